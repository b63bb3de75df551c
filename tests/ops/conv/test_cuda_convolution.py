"""Convolution on a simulated device against sums over windows in NumPy: groups, strides, parts of the batch, dtypes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from specgrad.runtime.device.device import device
from specgrad.runtime.kernels.cuda_launch import arrays
from specgrad.runtime.ops.conv import cuda
from tests.device.cuda.simulator import simulated

F64, F32 = np.dtype(np.float64), np.dtype(np.float32)
KINDS = [F64, F32, np.dtype(np.complex64), np.dtype(ml_dtypes.bfloat16)]
# input, weight, stride, padding, dilation, groups
CASES = [
    ((2, 2, 5), (4, 2, 3), (2,), (1,), (1,), 1),
    ((5, 4, 6), (6, 2, 2), (1,), (2,), (3,), 2),
    ((3, 3, 5, 4), (6, 1, 3, 2), (2, 1), (1, 0), (1, 2), 3),
    ((2, 6, 4, 4), (4, 3, 1, 1), (1, 1), (0, 0), (1, 1), 2),
    ((4, 5, 4), (2, 4, 3, 2), (1, 2), (2, 1), (1, 1), 1),
    ((2, 2, 3, 4, 3), (2, 2, 2, 2, 2), (1, 2, 1), (1, 0, 1), (2, 1, 1), 1),
    ((3, 4, 3, 3, 2), (4, 1, 2, 1, 2), (2, 1, 1), (1, 1, 0), (1, 1, 1), 4),
    ((0, 2, 5), (4, 2, 3), (1,), (0,), (1,), 1),
]


@pytest.fixture
def target_device() -> Iterator[Any]:
    """A simulated device."""
    with simulated():
        yield device("cuda", 0)


def read(array: np.ndarray, target_device: Any) -> Any:
    """An array on the device; bfloat16 is read as float32."""
    found = arrays.from_host(array, target_device)
    return found.as_read(F32) if array.dtype.kind == "V" or array.dtype.itemsize == 2 else found


def windows(x: np.ndarray, case: Any) -> Iterator[tuple[Any, Any, np.ndarray]]:
    """For each tap of the kernel its place, and the padded input's elements that it meets, as a view."""
    _, weight, stride, padding, dilation, _ = case
    kernel = weight[2:]
    sizes = x.shape[-len(kernel) :]
    counts = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(sizes, kernel, stride, dilation, strict=True)]
    for tap in itertools.product(*map(range, kernel)):
        begin = [t * d for t, d in zip(tap, dilation, strict=True)]
        cut = [slice(b, b + s * (c - 1) + 1, s) for b, s, c in zip(begin, stride, counts, strict=True)]
        yield tap, cut, x[(..., *cut)]


def padded(x: np.ndarray, case: Any) -> np.ndarray:
    pads = case[3]
    return np.pad(x, [(0, 0)] * (x.ndim - len(pads)) + [(p, p) for p in pads])


def expected(x: np.ndarray, w: np.ndarray, grad: np.ndarray | None, case: Any) -> tuple[np.ndarray, ...]:
    """The output, and the gradients of input and weight."""
    dims, groups = len(case[2]), case[5]
    wide = np.complex128 if x.dtype.kind == "c" else F64
    batch = x if x.ndim == dims + 2 else x[None]
    x, w = padded(batch.astype(wide), case), w.astype(wide)
    outs, ins = len(w) // groups, w.shape[1]
    output, to_x, to_w = None, np.zeros_like(x), np.zeros_like(w)
    for tap, cut, seen in windows(x, case):
        taps = w[(slice(None), slice(None), *tap)].reshape(groups, outs, ins)
        separate = seen.reshape(len(x), groups, ins, *seen.shape[2:])
        part = np.einsum("goc,ngc...->ngo...", taps, separate)
        output = part if output is None else output + part
        if grad is not None:
            above = grad.astype(wide).reshape(part.shape)
            to_x[(..., *cut)] += np.einsum("goc,ngo...->ngc...", taps, above).reshape(seen.shape)
            flat = [array.reshape(*array.shape[:3], math.prod(array.shape[3:])) for array in (above, separate)]
            to_w[(slice(None), slice(None), *tap)] = np.einsum("ngop,ngcp->goc", *flat).reshape(len(w), ins)
    assert output is not None
    inside = tuple(slice(p, n - p) for p, n in zip(case[3], x.shape[2:], strict=True))
    return output.reshape(len(x), len(w), *output.shape[3:]), to_x[(..., *inside)], to_w


def sampled(rng: np.random.Generator, shape: Any, kind: np.dtype) -> np.ndarray:
    values = rng.integers(-4, 5, shape) / 2
    return (values + 1j * rng.integers(-4, 5, shape) if kind.kind == "c" else values).astype(kind)


@pytest.mark.parametrize("columns", [1 << 28, 200], ids=["at once", "in slices"])
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def test_output_and_gradients(
    target_device: Any, monkeypatch: pytest.MonkeyPatch, case: Any, kind: np.dtype, columns: int
) -> None:
    """All three are sums over windows, whatever part of the batch is computed at a time."""
    monkeypatch.setattr(cuda, "COLUMNS", columns)
    rng = np.random.default_rng(len(case[0]))
    x, w, bias = sampled(rng, case[0], kind), sampled(rng, case[1], kind), sampled(rng, case[1][:1], kind)
    output = arrays.to_host(
        cuda.convolution(read(x, target_device), read(w, target_device), read(bias, target_device), *case[2:])
    )
    grad = sampled(rng, output.shape, kind)
    found = (
        output,
        arrays.to_host(
            cuda.convolution_input_backward(read(grad, target_device), read(w, target_device), x.shape, *case[2:])
        ),
        arrays.to_host(
            cuda.convolution_weight_backward(read(grad, target_device), read(x, target_device), w.shape, *case[2:])
        ),
    )
    requested = expected(x, w, grad, case)
    column = bias.reshape(-1, *(1,) * len(case[2])).astype(requested[0].dtype)
    for one, other in zip(found, (requested[0] + column, *requested[1:]), strict=True):
        rounded = other.reshape(one.shape)
        assert np.allclose(one, rounded, rtol=1e-2 if kind.kind == "V" else 1e-6, atol=0)
