"""The CPU kernels of pooling against plain loops."""

import itertools

import numpy as np
import pytest

from specgrad.runtime.kernels.cpu import pool
from specgrad.runtime.kernels.windows import pool_size

RNG = np.random.default_rng(0)


def randn(*shape):
    return np.asarray(RNG.standard_normal(shape))


def naive_windows(x, kernel, stride, padding, dilation, ceil_mode):
    """For each window the places (row, column) inside the plane, and its size cut at the padded edge."""
    counts = [pool_size(x.shape[i], kernel[i], stride[i], padding[i], dilation[i], ceil_mode) for i in (0, 1)]
    for i, j in itertools.product(*map(range, counts)):
        top, left = i * stride[0] - padding[0], j * stride[1] - padding[1]
        rows = [top + k * dilation[0] for k in range(kernel[0])]
        columns = [left + k * dilation[1] for k in range(kernel[1])]
        padded = sum(r < x.shape[0] + padding[0] for r in rows) * sum(c < x.shape[1] + padding[1] for c in columns)
        inside = [(r, c) for r in rows for c in columns if 0 <= r < x.shape[0] and 0 <= c < x.shape[1]]
        yield i, j, inside, padded


POOLS = [
    # kernel, stride, padding, dilation, ceil_mode
    ((2, 2), (2, 2), (0, 0), (1, 1), False),
    ((3, 2), (2, 1), (1, 1), (1, 1), False),
    ((3, 3), (2, 2), (1, 1), (1, 1), True),
    ((2, 3), (3, 2), (0, 1), (1, 1), True),
    ((1, 1), (1, 1), (0, 0), (1, 1), False),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("case", [*POOLS, ((2, 3), (1, 2), (1, 1), (3, 2), True)], ids=str)
def test_max_pool2d_takes_the_first_maximum(case, dtype):
    x = (randn(2, 3, 7, 8) * 3).round().astype(dtype)  # with ties
    values, indices = pool.max_pool2d(x, *case)
    assert values.dtype == dtype
    for n, c in np.ndindex(2, 3):
        for i, j, inside, _ in naive_windows(x[n, c], *case):
            best = max(inside, key=lambda place: x[n, c][place])
            assert values[n, c, i, j] == x[n, c][best]
            assert indices[n, c, i, j] == best[0] * 8 + best[1]


def test_max_pool2d_passes_nan_on():
    x = np.arange(16.0).reshape(1, 4, 4)
    x[0, 0, 1] = np.nan
    values, indices = pool.max_pool2d(x, (2, 2), (2, 2), (0, 0), (1, 1), False)
    assert np.isnan(values[0, 0, 0]) and indices[0, 0, 0] == 1 and values[0, 1, 1] == 15


def test_max_pool2d_backward_adds_at_the_indices():
    x = randn(2, 3, 5, 4)
    values, indices = pool.max_pool2d(x, (3, 3), (1, 1), (1, 1), (1, 1), False)
    g = randn(*values.shape)
    expected = np.zeros_like(x)
    for place in np.ndindex(*values.shape):
        expected[place[:2]].reshape(-1)[indices[place]] += g[place]
    np.testing.assert_allclose(pool.max_pool2d_backward(g, indices, x.shape), expected, rtol=1e-13)
    with pytest.raises(IndexError, match="expected indices in"):
        pool.max_pool2d_backward(g, indices + 20, x.shape)


@pytest.mark.parametrize("count_pads, divisor", [(True, None), (False, None), (True, 5)])
@pytest.mark.parametrize("case", POOLS, ids=str)
def test_avg_pool2d_and_its_transpose(case, count_pads, divisor):
    kernel, stride, padding, dilation, ceil_mode = case
    x = randn(2, 3, 7, 8)
    arguments = (kernel, stride, padding, ceil_mode, count_pads, divisor)
    y = pool.avg_pool2d(x, *arguments)
    for n, c in np.ndindex(2, 3):
        for i, j, inside, padded in naive_windows(x[n, c], *case):
            count = divisor or (padded if count_pads else len(inside))
            assert y[n, c, i, j] == pytest.approx(sum(x[n, c][place] for place in inside) / count, abs=1e-13)
    g = randn(*y.shape)
    back = pool.avg_pool2d_backward(g, x.shape, *arguments)
    assert (back * x).sum() == pytest.approx((g * y).sum())


@pytest.mark.parametrize("size", [(1, 1), (3, 4), (7, 5), (9, 2)])
def test_adaptive_avg_pool2d_and_its_transpose(size):
    x = randn(2, 3, 7, 5)
    y = pool.adaptive_avg_pool2d(x, size)
    for i, j in np.ndindex(*size):
        rows = slice(i * 7 // size[0], -(-(i + 1) * 7 // size[0]))
        columns = slice(j * 5 // size[1], -(-(j + 1) * 5 // size[1]))
        np.testing.assert_allclose(y[..., i, j], x[..., rows, columns].mean((-2, -1)), rtol=1e-12, atol=1e-14)
    g = randn(*y.shape)
    assert (pool.adaptive_avg_pool2d_backward(g, x.shape) * x).sum() == pytest.approx((g * y).sum())
