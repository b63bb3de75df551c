"""Attention of 16-bit floats and its gradients by cuDNN, over a fake of its frontend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated import ops
from tests.kernels.cuda_libraries.fake_cudnn import FakeCudnn, with_cudnn

KINDS = {sg.float16: 8e-3, sg.bfloat16: 6e-2}
HALF = pytest.mark.parametrize("kind", KINDS, ids=str)
attend = sg.nn.functional.scaled_dot_product_attention


@pytest.fixture
def cudnn() -> Iterator[FakeCudnn]:
    with with_cudnn() as fake:
        yield fake


def names(cudnn: FakeCudnn) -> list[str]:
    """The operations that were executed."""
    return [name for name, _ in cudnn.executed]


def sampled(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    rng = np.random.default_rng(6)
    return [rng.normal(size=shape) for shape in shapes]


def results(
    target_device: str, kind: Any, given: list[np.ndarray], run: Callable[..., Any], computed: Any
) -> list[Any]:
    """The output and its gradients, of numbers that `kind` has; weights of the output's elements are all different."""
    leaves = [sg.tensor(x).to(kind).to(computed).to(target_device).requires_grad_() for x in given]
    out = run(*leaves)
    weights = sg.tensor(sampled(tuple(out.shape))[0]).to(kind).to(computed).to(target_device)
    return [x.detach().cpu().to(sg.float64).numpy() for x in (out, *sg.autograd.grad(out, leaves, weights))]


def check(kind: Any, given: list[np.ndarray], run: Callable[..., Any]) -> None:
    """A device computes in 16 bits what the CPU computes in float64."""
    found, requested = results("cuda", kind, given, run, kind), results("cpu", kind, given, run, sg.float64)
    for one, other in zip(found, requested, strict=True):
        np.testing.assert_allclose(one, other, rtol=KINDS[kind], atol=KINDS[kind] * abs(other).max())


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("heads", [(2, 2), (4, 2)], ids=str)
@HALF
def test_values_and_gradients(cudnn: FakeCudnn, kind: Any, heads: tuple[int, int], is_causal: bool) -> None:
    """For heads of keys that several of queries share too; keys that no query sees get zeros."""
    given = sampled((2, heads[0], 5, 8), (2, heads[1], 6, 8), (2, heads[1], 6, 16))
    check(kind, given, lambda *x: attend(*x, is_causal=is_causal, enable_gqa=True, scale=0.4))
    assert names(cudnn) == ["sdpa", "sdpa_backward"]


@HALF
def test_rows_of_all_heads(cudnn: FakeCudnn, kind: Any) -> None:
    """Queries, keys and values side by side are read where they lie, and so are their gradients written."""
    (x,) = sampled((2, 5, 48))
    check(kind, [x], lambda x: ops.self_attention(x, 2, None, None, None, 1.0, True, 0.3)[0])
    assert names(cudnn) == ["sdpa", "sdpa_backward"]
    query = next(one for one in cudnn.graphs[-1].attributes if one["name"] == "q")
    assert query["stride"] == [240, 8, 48, 1]


@HALF
def test_operands_that_are_copied(cudnn: FakeCudnn, kind: Any) -> None:
    """Features apart, rows that are one in memory, memory that begins anywhere, and gradients that lie so."""
    given = sampled((1, 2, 8, 5), (1, 1, 6, 8), (1 + 2 * 6 * 8,))

    def run(q: Any, k: Any, v: Any) -> Any:
        return attend(q.transpose(2, 3), k.expand(1, 2, 6, 8), v[1:].reshape(1, 2, 6, 8)).transpose(2, 3)

    check(kind, given, run)
    leaf = sg.ones(1, 2, 4, 8, device="cuda").half().requires_grad_()
    attend(leaf, leaf, leaf).float().sum().backward()  # one number for all elements, and float32
    assert leaf.grad.cpu().numpy().sum() == 64
    assert names(cudnn) == ["sdpa", "sdpa_backward"] * 2


def test_gradients_of_some(cudnn: FakeCudnn) -> None:
    """Those that nobody wants are left out."""
    q, k, v = (sg.tensor(x, device="cuda").half() for x in sampled(*[(1, 2, 4, 8)] * 3))
    k.requires_grad_()
    attend(q, k, v).sum().backward()
    assert q.grad is None and k.grad.dtype is sg.float16 and names(cudnn) == ["sdpa", "sdpa_backward"]


def test_graphs_are_kept(cudnn: FakeCudnn) -> None:
    """By all that changes them: dtype, shape, steps, scale, causality, and whether equal calls give equal bits."""
    q = sg.ones(1, 2, 4, 8, device="cuda").half().requires_grad_()
    wide = sg.ones(1, 2, 4, 16, device="cuda").half()[..., :8].requires_grad_()

    def run(given: Any = q, **keywords: Any) -> int:
        attend(given, given, given, **keywords).sum().backward()
        return len(cudnn.graphs)

    assert [run(), run()] == [2, 2]
    assert run(is_causal=True) == 4
    assert run(scale=0.25) == 6
    assert run(q.detach().bfloat16().requires_grad_()) == 8
    assert run(q.detach()[:, :1].requires_grad_()) == 10
    assert run(wide) == 12
    sg.use_deterministic_algorithms(True)
    try:
        assert [run(), run()] == [13, 13]
    finally:
        sg.use_deterministic_algorithms(False)
    assert names(cudnn)[-1] == "sdpa_backward, deterministic" and run() == 13


@pytest.mark.parametrize("refused", ["sdpa", "sdpa_backward"])
def test_what_cudnn_refuses(cudnn: FakeCudnn, refused: str) -> None:
    """Products of matrices compute it, from logarithms of either."""
    cudnn.refusing.add(refused)
    for is_causal in (False, True):
        check(sg.float16, sampled(*[(1, 2, 5, 8)] * 3), lambda *x, c=is_causal: attend(*x, is_causal=c))
    assert names(cudnn) == [{"sdpa": "sdpa_backward", "sdpa_backward": "sdpa"}[refused]] * 2


@HALF
def test_shared_heads_are_summed_in_float32(cudnn: FakeCudnn, kind: Any) -> None:
    """Where products compute it too: many queries that share a key round its gradient once."""
    cudnn.refusing.add("sdpa_backward")
    given = sampled((1, 32, 5, 8), (1, 1, 6, 8), (1, 1, 6, 8))
    found, requested = (
        results(target_device, kind, given, lambda *x: attend(*x, enable_gqa=True), computed)[3]
        for target_device, computed in (("cuda", kind), ("cpu", sg.float64))
    )
    np.testing.assert_allclose(found, requested, rtol=0, atol=sg.finfo(kind).eps * abs(requested).max())


def test_what_is_not_asked(cudnn: FakeCudnn) -> None:
    """float32, masks, biases and dropout are products of matrices; gradients that are differentiated, formulas."""
    given = sampled(*[(1, 2, 4, 8)] * 3)
    q = sg.ones(1, 2, 4, 8, device="cuda").requires_grad_()
    attend(q, q, q).sum().backward()
    mask = sg.ones(4, 4, device="cuda", dtype=sg.bool).tril()
    check(sg.float16, given, lambda *x: attend(*x, attn_mask=mask.to(x[0].device)))
    check(sg.float16, given, lambda *x: attend(*x, attn_mask=mask.to(x[0].device).to(x[0].dtype)))
    half = q.detach().half().requires_grad_()
    attend(half, half, half, dropout_p=0.5).sum().backward()
    assert not cudnn.executed
    with sg.backends.cudnn.flags(enabled=False):
        attend(half, half, half).sum().backward()
    assert not cudnn.executed
    (derivative,) = sg.autograd.grad(attend(half, half, half).sum(), half, create_graph=True)
    derivative.sum().backward()
    assert names(cudnn) == ["sdpa"]
