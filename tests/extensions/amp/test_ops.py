"""Which dtype comes out of ops inside autocast on the CPU: what PyTorch 2.13 gives for float32 and for bfloat16."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad.codegen.verify.calls.findings import Report
from specgrad.codegen.verify.checks.dtypes import check_autocast
from specgrad.generated.registry import BY_NAME, OPS

F = sg.nn.functional
Maker = Callable[..., Any]


def of_floats(*shape: int) -> Any:
    return sg.rand(*shape) + 0.1


def of_halves(*shape: int) -> Any:
    return of_floats(*shape).bfloat16()


# What float32 and bfloat16 become of functions that are written by hand, f: float32 or h: bfloat16.
BY_HAND: list[tuple[str, str, Callable[[Maker], Any]]] = [
    ("attention", "hh", lambda x: F.scaled_dot_product_attention(x(1, 1, 2, 4), sg.ones(1, 1, 2, 4), x(1, 1, 2, 4))),
    ("einsum", "hh", lambda x: sg.einsum("ij,jk->ik", x(2, 3), sg.ones(3, 2))),
    ("layer_norm", "fh", lambda x: F.layer_norm(x(2, 3), [3], sg.ones(3), sg.ones(3))),
    ("group_norm", "fh", lambda x: F.group_norm(x(2, 4, 3), 2, sg.ones(4))),
    ("rms_norm", "fh", lambda x: F.rms_norm(x(2, 3), [3], sg.ones(3))),
    ("batch_norm", "fh", lambda x: F.batch_norm(x(4, 3), sg.zeros(3), sg.ones(3), sg.ones(3), sg.ones(3), True)),
    ("batch_norm_eval", "fh", lambda x: F.batch_norm(x(4, 3), sg.zeros(3), sg.ones(3))),
    ("instance_norm", "fh", lambda x: F.instance_norm(x(2, 3, 4), weight=sg.ones(3))),
    ("reflect", "ff", lambda x: F.pad(x(1, 2, 3), (1, 1), mode="reflect")),
    ("replicate", "ff", lambda x: F.pad(x(1, 2, 3), (1, 1), mode="replicate")),
    ("reflect3", "fh", lambda x: F.pad(x(1, 2, 3, 3, 3), (1,) * 6, mode="reflect")),
    ("circular", "fh", lambda x: F.pad(x(1, 2, 3), (1, 1), mode="circular")),
    ("constant", "fh", lambda x: F.pad(x(1, 2, 3), (1, 1))),
    ("avg_pool2d", "fh", lambda x: F.avg_pool2d(x(1, 4, 4), 2)),
    ("avg_pool3d", "ff", lambda x: F.avg_pool3d(x(1, 2, 2, 2), 2)),
    ("max_pool3d", "ff", lambda x: F.max_pool3d(x(1, 2, 2, 2), 2)),
    ("max_pool3d_indices", "fh", lambda x: F.max_pool3d(x(1, 2, 2, 2), 2, return_indices=True)[0]),
    ("adaptive_max_pool2d", "fh", lambda x: F.adaptive_max_pool2d(x(1, 2, 2), 1)),
    ("adaptive_max_pool3d", "ff", lambda x: F.adaptive_max_pool3d(x(1, 2, 2, 2), 1)),
    ("max_unpool1d", "ff", lambda x: F.max_unpool1d(x(1, 1), sg.tensor([[0]]), 2)),
    ("fractional", "ff", lambda x: F.fractional_max_pool2d(x(1, 4, 4), 2, output_size=2)),
    ("cross_entropy", "ff", lambda x: F.cross_entropy(x(2, 3), sg.tensor([0, 1]))),
    ("cross_entropy_of_probabilities", "ff", lambda x: F.cross_entropy(x(2, 3), x(2, 3))),
    ("weighted_mse", "ff", lambda x: F.mse_loss(x(2, 3), x(2, 3), weight=sg.ones(2, 3))),
    ("bilinear", "ff", lambda x: F.bilinear(x(2, 3), x(2, 3), sg.ones(2, 3, 3))),
    ("RNN", "hh", lambda x: sg.nn.RNN(2, 3)(x(2, 1, 2))[0]),
    ("LSTM", "hh", lambda x: sg.nn.LSTM(2, 3)(x(2, 1, 2))[0]),
    ("GRU", "fh", lambda x: sg.nn.GRU(2, 3)(x(2, 1, 2))[0]),
    ("RNNCell", "hh", lambda x: sg.nn.RNNCell(2, 3)(x(1, 2))),
    ("LSTMCell", "fh", lambda x: sg.nn.LSTMCell(2, 3)(x(1, 2))[0]),
    ("GRUCell", "fh", lambda x: sg.nn.GRUCell(2, 3)(x(1, 2))),
    ("GRUCell_of_a_state", "ff", lambda x: sg.nn.GRUCell(2, 3)(x(1, 2), sg.zeros(1, 3))),
    ("MultiheadAttention", "hh", lambda x: sg.nn.MultiheadAttention(4, 2)(*[x(2, 1, 4)] * 3)[0]),
    ("Conv1d", "hh", lambda x: sg.nn.Conv1d(2, 3, 2)(x(1, 2, 4))),
]


@pytest.mark.parametrize(("requested", "call"), [row[1:] for row in BY_HAND], ids=[row[0] for row in BY_HAND])
def test_functions_written_by_hand(requested: str, call: Callable[[Maker], Any]) -> None:
    """The dtypes of PyTorch, for an input of float32 and for one of bfloat16."""
    with sg.autocast("cpu"):
        found = [call(make).dtype for make in (of_floats, of_halves)]
    assert found == [{"f": sg.float32, "h": sg.bfloat16}[arg_kind] for arg_kind in requested]


# What PyTorch's op reference lists for the CPU, by the entries that stand for it.
LISTED = {
    "lower": "addbmm addmm baddbmm bmm conv1d conv2d conv3d conv_transpose1d linalg_vecdot linear matmul mm prelu",
    "float32": "adaptive_avg_pool3d avg_pool3d binary_cross_entropy cdist cholesky_solve cosine_embedding_loss fft_fft "
    "fft_irfftn grid_sampler huber_loss inverse kl_div linalg_eigh linalg_solve linalg_svd max_pool3d mse_loss "
    "nll_loss polar prod quantile smooth_l1_loss stft.center trace triplet_margin_loss view_as_complex",
    "widest": "cat index_copy stack",
    "": "add.Tensor exp layer_norm log_softmax max_pool2d mv pow.Tensor_Scalar relu softmax sum tanh",
}
LISTED_ON_CUDA = {
    "lower": "addmv addr conv2d einsum linear lstm_cell matmul mv prelu",
    "float32": "cumsum exp log_softmax mse_loss norm pow.Tensor_Scalar prod rsqrt softmax softplus sum tan",
    "widest": "addcdiv addcmul atan2 bilinear cross dot index_put scatter_add tensordot",
    "": "add.Tensor cat relu stack tanh trace",
}


@pytest.mark.parametrize(("device", "listed"), [("cpu", LISTED), ("cuda", LISTED_ON_CUDA)])
def test_entries_say_what_is_listed(device: str, listed: dict[str, str]) -> None:
    """A sample of both lists."""
    for word, names in listed.items():
        known = [BY_NAME[name] for name in names.split() if name in BY_NAME]
        assert {op.name: op.autocast.get(device, "") for op in known} == {op.name: word for op in known}


def test_ops_are_cast_as_entries_say() -> None:
    """The first call of each op with a word for the CPU: the dtypes and bits of a call with tensors cast by hand."""
    report = Report()
    for op in OPS:
        check_autocast(op, report)
    assert not report.findings
    assert report.checks >= 115


@pytest.mark.parametrize("word", ["lower", "refuse: it is unsafe"])
def test_a_false_word_is_found(word: str) -> None:
    """`verify` finds an op that does otherwise than its record says."""
    import dataclasses

    report = Report()
    check_autocast(dataclasses.replace(BY_NAME["mse_loss"], autocast={"cpu": word}), report)
    (found,) = map(str, report.findings.values())
    assert "mse_loss, autocast" in found
