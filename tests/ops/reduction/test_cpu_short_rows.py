"""Sums and products where rows or columns are few or short, which have loops of their own, against double precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.ops.reduction import cpu as reductions
from specgrad.runtime.ops.reduction import cpu_argreduce, cpu_backward

# Around rows of one block and fours of rows, and around the columns that are added as wide rows.
SHAPES = (
    (9, 1, 1),
    (8, 3, 1),
    (7, 64, 1),
    (5, 512, 1),
    (5, 513, 1),
    (1, 4100, 1),
    (2, 127, 3),
    (2, 129, 64),
    (3, 200, 5),
)
rng = np.random.default_rng(0)


def sample(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return np.asarray(rng.uniform(0.9, 1.1, shape)).astype(dtype)


def layouts(shape: tuple[int, ...], dtype: Any) -> Iterator[np.ndarray]:
    """Contiguous, transposed in memory, strided, and one row for all."""
    yield sample(shape, dtype)
    yield sample(shape[::-1], dtype).T
    yield sample((*shape[:-1], 2 * shape[-1]), dtype)[..., ::2]
    yield np.broadcast_to(sample(shape[1:], dtype), shape)


def close(found: np.ndarray, requested: np.ndarray) -> None:
    assert found.shape == requested.shape
    np.testing.assert_allclose(found, requested, rtol=200 * np.finfo(found.dtype).eps)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_along_the_middle(dtype: Any, shape: tuple[int, int, int]) -> None:
    """Sums, means and products of (before, along, after) equal those in double precision."""
    for a in layouts(shape, dtype):
        wide = a.astype(np.float64)
        close(reductions.sum_dim(a, (1,), False), wide.sum(1))
        close(reductions.summed(a, (1,), False, shape[1]), wide.mean(1))
        close(reductions.prod_dim(a, 1, True), wide.prod(1, keepdims=True))
        close(reductions.sum_all(a), wide.sum())
        close(reductions.prod_all(a), wide.prod())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(3, 5, 1), (3, 5, 4), (2, 300, 1)])
@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_slope_of_products(dtype: Any, shape: tuple[int, int, int], zeros: int) -> None:
    """Each element gets g times the product of the others, also where some are zero, huge or tiny."""
    for a in layouts(shape, dtype):
        a = a.copy()
        a[:, :zeros] = 0
        a[0] *= dtype(1e-3)
        grad = sample((shape[0], 1, shape[2]), dtype)
        wide = a.astype(np.float64)
        others = np.stack([np.delete(wide, i, 1).prod(1) for i in range(shape[1])], 1)
        with np.errstate(under="ignore"):
            requested = (grad * others).astype(dtype)
        found = cpu_backward.prod_backward(grad, a, 1)
        np.testing.assert_allclose(found, requested, rtol=2000 * np.finfo(dtype).eps, atol=np.finfo(dtype).tiny)


def test_nothing_and_one_number() -> None:
    """Over no elements sums are 0 and products 1; a 0-d array is its own."""
    assert reductions.prod_all(np.zeros(0)) == 1
    np.testing.assert_array_equal(reductions.prod_dim(np.zeros((3, 0, 2)), 1, False), np.ones((3, 2)))
    assert reductions.prod_dim(np.zeros((0, 3)), 1, False).shape == (0,)
    for keepdim in (False, True):
        assert reductions.prod_dim(np.array(2.0), 0, keepdim).shape == ()
    assert reductions.sum_dim(np.zeros((3, 0, 2)), (1,), True).shape == (3, 1, 2)


def test_infinities_and_nan_pass_through() -> None:
    """A row with one of them has it, the other rows do not."""
    a = np.ones((6, 7))
    a[1, 2], a[5, 6] = np.inf, np.nan
    np.testing.assert_array_equal(reductions.sum_dim(a, (1,), False), [7, np.inf, 7, 7, 7, np.nan])
    np.testing.assert_array_equal(reductions.prod_dim(a, 1, False), [1, np.inf, 1, 1, 1, np.nan])


@pytest.mark.parametrize("shape", [(6, 5, 40), (6, 1, 40), (1, 5, 1), (5, 40)])
def test_gradients_of_operands_that_are_broadcast(shape: tuple[int, ...]) -> None:
    """x * y by rows, two results at once, equals what the product rule says."""
    x, y = sg.tensor(sample((6, 5, 40), np.float64)), sg.tensor(sample(shape, np.float64))
    grad = sg.tensor(sample((6, 5, 40), np.float64))
    first, second = sg.autograd.grad(x.requires_grad_() * y.requires_grad_(), [x, y], grad)
    close(first.numpy(), grad.numpy() * y.detach().numpy())
    full = grad.numpy() * x.detach().numpy()
    lead = tuple(range(3 - len(shape)))
    ones = tuple(d for d, n in enumerate(shape, 3 - len(shape)) if n == 1 and full.shape[d] != 1)
    close(second.numpy(), full.sum((*lead, *ones), keepdims=True).reshape(shape))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 2, 5, 32, 33])
def test_extremes_of_short_rows(dtype: Any, count: int) -> None:
    """Values and places equal NumPy's: the first of equal ones, the first nan where there is one, infinities."""
    for a in layouts((7, 3, count), dtype):
        a = np.round(a, 1)
        a[0, 0, count // 2 :] = np.nan
        a[1, 0], a[2, 0] = np.inf, -np.inf
        for max_value, found in ((True, cpu_argreduce.max_dim), (False, cpu_argreduce.min_dim)):
            values, positions = found(a, 2, False)
            np.testing.assert_array_equal(positions, a.argmax(2) if max_value else a.argmin(2))
            np.testing.assert_array_equal(values, a.max(2) if max_value else a.min(2))
        np.testing.assert_array_equal(cpu_argreduce.amax(a, (2,), True), a.max(2, keepdims=True))
        np.testing.assert_array_equal(cpu_argreduce.amin(a, (2,), False), a.min(2))
        np.testing.assert_array_equal(cpu_argreduce.argmin(a, 2, False), a.argmin(2))
