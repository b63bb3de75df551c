"""Convolutions by cuDNN, over a fake of its frontend; what it refuses is computed by products of matrices."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime import errors
from specgrad.runtime.kernels.cuda_libraries import libraries
from specgrad.runtime.kernels.cuda_libraries.cudnn import Cudnn
from tests.kernels.cuda_libraries.fake_cudnn import FakeCudnn, with_cudnn
from tests.kernels.cuda_libraries.test_entries import check_entry
from tests.places import simulated_device


@pytest.fixture
def cudnn() -> Iterator[FakeCudnn]:
    """A simulated device with cuDNN."""
    with with_cudnn() as fake:
        yield fake


CALLS: list[tuple[int, tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    (1, (2, 3, 9), (4, 3, 3), {"padding": 1}),
    (1, (2, 3, 8), (4, 3, 2), {"stride": 3}),  # the last elements are in no window
    (2, (2, 4, 6, 7), (6, 2, 3, 2), {"stride": (2, 1), "padding": (1, 0), "dilation": (1, 2), "groups": 2}),
    (2, (4, 5, 5), (3, 4, 1, 1), {}),
    (2, (1, 2, 5, 6), (3, 2, 2, 4), {"padding": "same"}),
    (3, (2, 2, 4, 5, 3), (2, 2, 2, 3, 1), {"padding": (0, 1, 0)}),
]
KINDS = {sg.float64: 1e-12, sg.float32: 2e-5, sg.float16: 5e-3, sg.bfloat16: 4e-2}


def gradients(dims: int, shapes: Any, keywords: dict[str, Any], kind: Any, target_device: str) -> list[np.ndarray]:
    """A convolution with a bias and its gradients, as float64."""
    rng = np.random.default_rng(5)
    sampled = [rng.normal(size=shape) for shape in (*shapes, shapes[1][:1])]
    given = [sg.tensor(x).to(kind).to(target_device).requires_grad_() for x in sampled]
    out = getattr(sg.nn.functional, f"conv{dims}d")(*given, **keywords)
    derivatives = sg.autograd.grad((out.to(sg.float64) ** 2).sum() if kind is sg.float64 else out.sum(), given)
    return [x.detach().cpu().to(sg.float64).numpy() for x in (out, *derivatives)]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_values_and_gradients(cudnn: FakeCudnn, call: Any, kind: Any) -> None:
    """They are those of float64 on the CPU, up to the dtype."""
    dims, *shapes, keywords = call
    found = gradients(dims, shapes, keywords, kind, "cuda")
    names = [name for name, _ in cudnn.executed]
    assert names == ["conv_fprop, bias", "conv_dgrad", "conv_wgrad"] or kind is sg.float64
    for one, other in zip(found, gradients(dims, shapes, keywords, kind, "cpu"), strict=True):
        np.testing.assert_allclose(one, other, rtol=KINDS[kind], atol=KINDS[kind] * abs(other).max())


@pytest.mark.parametrize("name", ["convolution", "convolution_input_backward", "convolution_weight_backward"])
def test_entries(cudnn: FakeCudnn, name: str) -> None:
    """Outputs and gradients of the entries' samples are those of the CPU."""
    check_entry(name)


def test_plans_are_kept(cudnn: FakeCudnn) -> None:
    """Equal convolutions share a plan; another shape, stride or dtype has its own."""
    layer = sg.nn.Conv2d(2, 3, 3, device="cuda")
    for _ in range(3):
        layer(sg.ones(1, 2, 6, 6, device="cuda"))
    assert len(cudnn.graphs) == 1 and len(cudnn.executed) == 3
    layer(sg.ones(2, 2, 6, 6, device="cuda"))
    sg.nn.functional.conv2d(sg.ones(1, 2, 6, 6, device="cuda"), layer.weight, stride=2)
    layer.half()(sg.ones(1, 2, 6, 6, device="cuda").half())
    assert len(cudnn.graphs) == 4


def test_calls_that_native_code_looks_at(cudnn: FakeCudnn) -> None:
    """What a call launches is tried out for native code; cuDNN is called but once for each call."""
    x, w = sg.ones(1, 2, 6, 6, device="cuda"), sg.ones(3, 2, 3, 3, device="cuda")
    for count in range(1, 4):
        sg.nn.functional.conv2d(x, w)
        assert len(cudnn.executed) == count
    sg.nn.functional.scaled_dot_product_attention(x, x, x)
    assert len(cudnn.executed) == 3


def test_precision(cudnn: FakeCudnn) -> None:
    """float32 is never rounded to 16 bits, to TF32 where that is allowed; deterministic algorithms can be asked for."""
    x, w = sg.ones(1, 2, 6, 6, device="cuda"), sg.ones(3, 2, 3, 3, device="cuda")
    switches = sg.backends.cudnn

    def plan(kind: Any = sg.float32) -> str:
        sg.nn.functional.conv2d(x.to(kind), w.to(kind))
        return cudnn.executed[-1][1]

    assert plan() == "atomics" and plan(sg.float16) == "winograd in half"
    with switches.flags(enabled=True, deterministic=True):
        assert plan() == "tensor cores"
    with switches.flags(enabled=True, allow_tf32=False):
        assert plan() == "plain"
    sg.use_deterministic_algorithms(True)
    try:
        assert plan() == "tensor cores"
    finally:
        sg.use_deterministic_algorithms(False)
    count = len(cudnn.executed)
    with switches.flags(enabled=False):
        sg.nn.functional.conv2d(x, w)
    assert len(cudnn.executed) == count and switches.enabled


def test_what_cudnn_refuses(cudnn: FakeCudnn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Products of matrices compute it; that there is no plan is asked once, an error of cuDNN's is told once."""
    cudnn.refusing.add("DOUBLE")
    x, w = sg.ones(1, 2, 6, 6, device="cuda").double(), sg.ones(3, 2, 3, 3, device="cuda").double()
    for _ in range(2):
        assert sg.nn.functional.conv2d(x, w).cpu().numpy().tolist() == np.full((1, 3, 4, 4), 18.0).tolist()
    assert len(cudnn.graphs) == 1 and not cudnn.executed
    monkeypatch.setattr(errors, "_error_message", set())
    cudnn.failing = "CUDNN_STATUS_BAD_PARAM"
    with pytest.warns(UserWarning, match=r"cuDNN failed to plan a call.*BAD_PARAM"):
        sg.nn.functional.conv2d(x.float(), w.float())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sg.nn.functional.conv2d(x.float(), w.float())


def test_bias_that_cudnn_adds(cudnn: FakeCudnn) -> None:
    """In the same graph, of the dtype that the others have in memory; where it refuses that, in another launch."""
    x, w = sg.ones(2, 2, 5, 5, device="cuda").half(), sg.ones(3, 2, 3, 3, device="cuda").half()
    bias = sg.tensor([0.5, -1.0, 2.0], device="cuda").half()  # float32 in memory still
    requested = np.broadcast_to([[[[18.5]], [[17.0]], [[20.0]]]], (2, 3, 3, 3)).tolist()
    assert sg.nn.functional.conv2d(x, w, bias).cpu().numpy().tolist() == requested
    assert [name for name, _ in cudnn.executed] == ["conv_fprop, bias"]
    cudnn.refusing.add("conv_fprop, bias")
    for _ in range(2):
        assert sg.nn.functional.conv2d(x[:1], w, bias).cpu().numpy().tolist() == requested[:1]
    assert [name for name, _ in cudnn.executed[1:]] == ["conv_fprop"] * 2
    assert len(cudnn.graphs) == 3, "that it is refused is asked once"


def test_bias_is_rounded_with_the_sum(cudnn: FakeCudnn) -> None:
    """It is added in float32: what the product and the bias have in common is lost in neither."""
    x, w = (sg.full((1, 1, 1, 1), number, device="cuda", dtype=sg.float16) for number in (2049 / 2048, 2048.0))
    x = x + sg.tensor(2.0**-10, device="cuda", dtype=sg.float16)
    bias = sg.full((1,), -2048.0, device="cuda", dtype=sg.float16)
    assert sg.nn.functional.conv2d(x, w, bias).item() == float(x) * 2048.0 - 2048.0


def channels_last(x: Any, dims: int) -> Any:
    """The same elements, those of a place side by side."""
    return x.movedim(-dims - 1, -1).contiguous().movedim(-1, -dims - 1)


@pytest.mark.parametrize("kind", [sg.float32, sg.float16], ids=str)
@pytest.mark.parametrize("call", [CALLS[0], CALLS[2], CALLS[5], (2, (4, 5, 5), (6, 2, 3, 2), {"groups": 2})], ids=str)
def test_channels_that_lie_last(cudnn: FakeCudnn, call: Any, kind: Any) -> None:
    """Operands are read where they lie, and give the same numbers in row order."""
    dims, *shapes, keywords = call
    rng = np.random.default_rng(7)
    x, w, above = (sg.tensor(rng.normal(size=s), device="cuda").to(kind) for s in (*shapes, shapes[1][:1]))
    convolve = getattr(sg.nn.functional, f"conv{dims}d")
    found = []
    for set_layout in (channels_last, lambda t, _: t):
        leaves = [set_layout(t, dims).detach().requires_grad_() for t in (x, w)]
        out = convolve(*leaves, **keywords)
        weights = set_layout(above.reshape(-1, *[1] * dims) * sg.ones_like(out), dims)
        found.append([out, *sg.autograd.grad(out, leaves, weights)])
    for one, other in zip(*found, strict=True):
        assert one.is_contiguous() and one.tolist() == other.tolist()
    there, here = cudnn.graphs[:3], cudnn.graphs[3:]
    assert len(here) == 3, "each layout has graphs of its own"
    for one, other in zip(there, here, strict=True):
        steps = [[tensor["stride"] for tensor in graph.attributes] for graph in (one, other)]
        assert steps[0][2] == steps[1][2] and all(is_strided[1] == 1 for is_strided in steps[0][:2])


def test_memory_that_begins_anywhere(cudnn: FakeCudnn) -> None:
    """Operands that do not begin at a multiple of 16 bytes are copied."""
    entire = sg.arange(51, device="cuda").float()
    x, w = entire[1:].reshape(1, 2, 5, 5), sg.ones(1, 2, 5, 5, device="cuda")
    assert sg.nn.functional.conv2d(x, w).item() == sum(range(1, 51))
    assert len(cudnn.executed) == 1


def test_current_stream(cudnn: FakeCudnn) -> None:
    """Work is given to the current stream."""
    x, w = sg.ones(1, 2, 6, 6, device="cuda"), sg.ones(3, 2, 3, 3, device="cuda")
    stream = sg.cuda.Stream()
    stream.wait_stream(sg.cuda.current_stream())
    with sg.cuda.stream(stream):
        y = sg.nn.functional.conv2d(x, w)
        (handle,) = (each for each in cudnn.world.handles.values() if each["kind"] == "cudnn")
        assert handle["stream"] == stream.cuda_stream
        assert float(y.sum()) == 48 * 18


def test_how_it_is_found(cudnn: FakeCudnn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the frontend is installed and loads cuDNN; without either there is none."""
    real: Any = SimpleNamespace(is_simulated=False)
    monkeypatch.setattr(cudnn, "__spec__", "found", raising=False)
    assert isinstance(libraries._cudnn_of(real), Cudnn)
    cudnn.failing = "libcudnn.so.9: cannot open shared object file"
    assert libraries._cudnn_of(real) is None
    monkeypatch.setitem(sys.modules, "cudnn", None)
    assert libraries._cudnn_of(real) is None


def test_without_the_frontend() -> None:
    """A simulated device has no cuDNN, and says so."""
    with simulated_device():
        assert libraries.convolutions() is None
        assert sg.backends.cudnn.version() is None or sg.backends.cudnn.is_available()
