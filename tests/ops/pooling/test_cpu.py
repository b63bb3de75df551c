"""The CPU kernels of pooling, and of padding with borders, against plain loops."""

import itertools

import numpy as np
import pytest

from specgrad.runtime.ops.image import cpu_pad as borders
from specgrad.runtime.ops.pooling import cpu as pool
from specgrad.runtime.shapes import pool_size

RNG = np.random.default_rng(0)


def randn(*shape):
    return np.asarray(RNG.standard_normal(shape))


def naive_windows(x, kernel, stride, padding, dilation, ceil_mode):
    """For each window the places inside the plane, and its size cut at the padded edge."""
    lines = list(zip(x.shape, kernel, stride, padding, dilation, strict=True))
    counts = [pool_size(n, k, s, p, d, ceil_mode) for n, k, s, p, d in lines]
    for index in np.ndindex(*counts):
        covered = [[i * s - p + j * d for j in range(k)] for i, (_, k, s, p, d) in zip(index, lines, strict=True)]
        padded = np.prod([sum(c < n + p for c in cs) for cs, (n, _, _, p, _) in zip(covered, lines, strict=True)])
        inside = [c for c in itertools.product(*covered) if all(0 <= a < n for a, n in zip(c, x.shape, strict=True))]
        yield index, inside, padded


POOLS = [
    # kernel, stride, padding, dilation, ceil_mode
    ((2, 2), (2, 2), (0, 0), (1, 1), False),
    ((3, 2), (2, 1), (1, 1), (1, 1), False),
    ((3, 3), (2, 2), (1, 1), (1, 1), True),
    ((2, 3), (3, 2), (0, 1), (1, 1), True),
    ((1, 1), (1, 1), (0, 0), (1, 1), False),
    ((2, 2), (5, 4), (0, 0), (1, 1), False),
    ((4,), (3,), (2,), (1,), True),
    ((2, 1, 3), (1, 2, 1), (1, 0, 1), (1, 1, 1), False),
]
DILATED = [((2, 3), (1, 2), (1, 1), (3, 2), True), ((3,), (1,), (1,), (2,), False)]


@pytest.mark.parametrize("shape", [(7, 8), (23, 40)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("case", [*POOLS, *DILATED], ids=str)
def test_max_pool_takes_the_first_maximum(case, dtype, shape):
    """Window by window, and all windows side by side where there are many."""
    spatial = len(case[0])
    sizes = {1: (shape[1],), 2: shape, 3: (4, *shape)}[spatial]
    x = (randn(2, 2, *sizes) * 3).round().astype(dtype)  # with ties
    values, indices = pool.max_pool(x, *case, spatial)
    assert values.dtype == dtype
    for n, c in np.ndindex(2, 2):
        for index, inside, _ in naive_windows(x[n, c], *case):
            best = max(inside, key=lambda at: x[n, c][at])
            assert values[n, c][index] == x[n, c][best]
            assert indices[n, c][index] == np.ravel_multi_index(best, sizes)


@pytest.mark.parametrize("size", [4, 40])
def test_max_pool_passes_nan_on(size):
    x = np.arange(1.0 * size * size).reshape(1, size, size)
    x[0, 0, 1] = np.nan
    values, indices = pool.max_pool(x, (2, 2), (2, 2), (0, 0), (1, 1), False, 2)
    assert np.isnan(values[0, 0, 0]) and indices[0, 0, 0] == 1 and values[0, 1, 1] == 3 * size + 3


def test_max_pool_finds_a_place_where_all_is_minus_infinity():
    """The first that is inside, also at the border."""
    x = np.full((1, 30, 30), -np.inf)
    x[0, 20, 20] = 1
    values, indices = pool.max_pool(x, (3, 3), (3, 3), (1, 1), (1, 1), False, 2)
    assert values[0, 0, 0] == -np.inf and indices[0, 0, 0] == 0 and indices[0, 1, 1] == 2 * 30 + 2
    assert values.max() == 1 and indices[0, 7, 7] == 20 * 30 + 20


def test_max_pool_backward_adds_at_the_indices():
    x = randn(2, 3, 5, 4)
    values, indices = pool.max_pool(x, (3, 3), (1, 1), (1, 1), (1, 1), False, 2)
    g = randn(*values.shape)
    expected = np.zeros_like(x)
    for index in np.ndindex(*values.shape):
        expected[index[:2]].reshape(-1)[indices[index]] += g[index]
    np.testing.assert_allclose(pool.max_pool_backward(g, indices, x.shape, 2), expected, rtol=1e-13)
    with pytest.raises(IndexError, match="expected indices in"):
        pool.max_pool_backward(g, indices + 20, x.shape, 2)


@pytest.mark.parametrize("count_pads, divisor", [(True, None), (False, None), (True, 5)])
@pytest.mark.parametrize("shape", [(7, 8), (23, 40)], ids=str)
@pytest.mark.parametrize("case", POOLS, ids=str)
def test_avg_pool_and_its_transpose(case, shape, count_pads, divisor):
    kernel, stride, padding, _, ceil_mode = case
    spatial = len(kernel)
    x = randn(2, 2, *{1: (shape[1],), 2: shape, 3: (4, *shape)}[spatial])
    arguments = (kernel, stride, padding, ceil_mode, count_pads, divisor, spatial)
    y = pool.avg_pool(x, *arguments)
    for n, c in np.ndindex(2, 2):
        for index, inside, padded in naive_windows(x[n, c], *case):
            count = divisor or (padded if count_pads else len(inside))
            assert y[n, c][index] == pytest.approx(sum(x[n, c][at] for at in inside) / count, abs=1e-13)
    g = randn(*y.shape)
    back = pool.avg_pool_backward(g, x.shape, *arguments)
    assert (back * x).sum() == pytest.approx((g * y).sum())


@pytest.mark.parametrize(
    "plane, size",
    [
        ((7, 5), (1, 1)),
        ((7, 5), (3, 4)),
        ((7, 5), (7, 5)),
        ((7, 5), (9, 2)),
        ((6, 24), (2, 6)),
        ((6, 24), (1, 1)),
        ((4, 12), (4, 2)),
        ((3, 28), (2, 7)),
        ((5, 16), (5, 3)),
    ],
)
def test_adaptive_pools_and_their_transposes(plane, size):
    """Windows of one even size among them, whose neighbours are added in pairs."""
    x = randn(2, 3, *plane)
    y, (values, indices) = pool.adaptive_avg_pool(x, size, 2), pool.adaptive_max_pool(x, size, 2)
    for i, j in np.ndindex(*size):
        rows = slice(i * plane[0] // size[0], -(-(i + 1) * plane[0] // size[0]))
        columns = slice(j * plane[1] // size[1], -(-(j + 1) * plane[1] // size[1]))
        np.testing.assert_allclose(y[..., i, j], x[..., rows, columns].mean((-2, -1)), rtol=1e-12, atol=1e-14)
        np.testing.assert_array_equal(values[..., i, j], x[..., rows, columns].max((-2, -1)))
    flat = np.take_along_axis(x.reshape(2, 3, -1), indices.reshape(2, 3, -1), -1)
    np.testing.assert_array_equal(flat.reshape(values.shape), values)
    g = randn(*y.shape)
    assert (pool.adaptive_avg_pool_backward(g, x.shape, 2) * x).sum() == pytest.approx((g * y).sum())


def test_pools_have_the_same_bits_for_any_number_of_threads(threads):
    x = randn(5, 3, 20, 30).astype(np.float32)
    window = ((3, 2), (2, 1), (1, 1))

    def results():
        yield from pool.max_pool(x, *window, (1, 1), False, 2)
        mean = pool.avg_pool(x, *window, False, False, None, 2)
        yield mean
        yield pool.avg_pool_backward(mean, x.shape, *window, False, False, None, 2)

    threads(1)
    alone = list(results())
    threads(4)
    for found, expected in zip(results(), alone, strict=True):
        np.testing.assert_array_equal(found, expected)


MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@pytest.mark.parametrize("dtype", [np.float32, np.complex128, np.int16, bool])
@pytest.mark.parametrize("mode", MODES)
def test_borders_are_numpys(mode, dtype):
    x = (randn(2, 3, 4, 5) * 5).astype(dtype)
    padded = borders.border_pad(x, (2, 3, 0, 1, 1, 2), mode)
    np.testing.assert_array_equal(padded, np.pad(x, ((0, 0), (1, 2), (0, 1), (2, 3)), MODES[mode]))


@pytest.mark.parametrize("mode", MODES)
def test_borders_and_their_transpose(mode):
    """Negative pads cut; <g, pad(x)> is linear in x."""
    x, pad = randn(2, 3, 6, 5), (-1, 2, 3, -2)
    y = borders.border_pad(x, pad, mode)
    assert y.shape == (2, 3, 7, 6)
    g = randn(*y.shape)
    assert (borders.border_pad_backward(g, x.shape, pad, mode) * x).sum() == pytest.approx((g * y).sum())
