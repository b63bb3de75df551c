"""Pooling on a simulated device: windows and their places against NumPy, and indices that lie outside of the plane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from specgrad.runtime.device.device import device
from specgrad.runtime.kernels.cuda_launch import arrays
from specgrad.runtime.ops.pooling import cuda
from tests.device.cuda.simulator import simulated

F32 = np.dtype(np.float32)


@pytest.fixture
def target_device() -> Iterator[Any]:
    """A simulated device."""
    with simulated():
        yield device("cuda", 0)


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "pad", "dilation"), [(9, 3, 2, 1, 1), (11, 2, 3, 0, 4), (7, 3, 1, 1, 2)]
)
def test_maxima_and_their_places(
    target_device: Any, size: int, kernel: int, stride: int, pad: int, dilation: int
) -> None:
    """Each is the greatest of its window, and what it gives back goes to where it was."""
    x = np.random.default_rng(size).normal(size=(2, size)).astype(F32)
    given = (kernel,), (stride,), (pad,), (dilation,), False, 1
    values, indices = cuda.max_pool(arrays.from_host(x, target_device), *given)
    padded = np.pad(x, ((0, 0), (pad, pad)), constant_values=-np.inf)
    windows = [padded[:, p : p + dilation * (kernel - 1) + 1 : dilation] for p in range(0, size, stride)]
    expected = np.stack([w.max(1) for w in windows if w.shape[1] == kernel], 1)
    assert np.array_equal(arrays.to_host(values), expected)
    at = arrays.to_host(indices)
    assert np.array_equal(np.take_along_axis(x, at, 1), expected)
    back = np.zeros(x.shape)
    for row, positions, shares in zip(back, at, expected, strict=True):
        np.add.at(row, positions, shares.astype(np.float64))
    found = arrays.to_host(cuda.max_pool_backward(values, indices, x.shape, 1))
    np.testing.assert_allclose(found, back, rtol=1e-6)


def test_indices_outside_of_the_plane(target_device: Any) -> None:
    """One is an error when the program waits, and touches no memory."""
    grad, indices = np.ones((1, 2), F32), np.array([[1, 7]])
    found = cuda.max_pool_backward(*(arrays.from_host(a, target_device) for a in (grad, indices)), (1, 4), 1)
    with pytest.raises(IndexError, match="max_pool_backward.*index 7 is out of bounds for dimension 1 with size 4"):
        arrays.to_host(found)
    assert np.array_equal(arrays.to_host(found), [[0, 1, 0, 0]])
