"""Reduction kernels against plain NumPy, over dtypes, layouts, empty and 0-d arrays."""

import math
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.ops.reduction import cpu as reductions
from specgrad.runtime.ops.reduction import cpu_argreduce
from specgrad.runtime.ops.scan import cpu as scan

rng = np.random.default_rng(0)
DTYPES = (np.float32, np.float64, np.complex64, np.complex128, np.int64)


def sample(shape, dtype):
    values = rng.uniform(-2, 2, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.uniform(-2, 2, shape)
    return np.asarray(values * (10 if dtype == np.int64 else 1)).astype(dtype)


def layouts(shape, dtype):
    """Contiguous, transposed, and strided arrays of one shape."""
    yield sample(shape, dtype)
    yield sample(shape[::-1], dtype).T
    yield sample((*shape[:-1], shape[-1] * 2), dtype)[..., ::2]


def op(function):
    """An op of tensors as a function of arrays, which it reads as they lie."""
    return lambda a, *given, **named: function(sg.from_numpy(a), *given, **named).numpy()


def close(found, expected, dtype):
    tolerance = 1e-5 if np.dtype(dtype).itemsize in (4, 8) and dtype not in (np.float64, np.int64) else 1e-12
    found = np.asarray(found)
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * 10)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dim", [(0,), (1,), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("keepdim", [False, True])
def test_sums_over_any_dimensions(dtype, dim, keepdim):
    """sum_dim, mean_dim and norm equal their definitions for every layout."""
    for a in layouts((3, 4, 5), dtype):
        close(reductions.sum_dim(a, dim, keepdim), a.sum(dim, keepdims=keepdim), dtype)
        close(reductions.sum_all(a), a.sum(), dtype)
        if a.dtype.kind in "fc":
            close(reductions.mean_dim(a, dim, keepdim), a.mean(dim, keepdims=keepdim), dtype)
            close(op(sg.var)(a, dim, correction=1, keepdim=keepdim), a.var(dim, ddof=1, keepdims=keepdim), dtype)
            close(op(sg.std)(a, dim, correction=0, keepdim=keepdim), a.std(dim, keepdims=keepdim), dtype)
            for p in (0.5, 1, 3):
                expected = (np.abs(a) ** p).sum(dim, keepdims=keepdim) ** (1 / p)
                close(reductions.norm(a, p, dim, keepdim), expected, dtype)


@pytest.mark.parametrize("size", [1, 7, 1023, 1024, 1025, 5000])
def test_sum_of_all_elements_for_every_number_of_blocks(size):
    """The blocked sum of a contiguous array has no gap or overlap between blocks."""
    a = rng.integers(-9, 9, size).astype(np.float64)
    assert reductions.sum_all(a) == a.sum()
    assert reductions.sum_all(a.reshape(1, size)).shape == ()


def test_sum_keeps_float32_precision_in_long_columns():
    """Neither the sum of all elements nor that of a long column loses digits to its length."""
    a = rng.uniform(0, 1, (200_003, 3)).astype(np.float32)
    exact = a.astype(np.float64)
    for found, expected in [
        (reductions.sum_dim(a, (0,), False), exact.sum(0)),
        (reductions.sum_dim(a, (0,), True), exact.sum(0, keepdims=True)),
        (reductions.sum_dim(a, (0, 1), False), exact.sum()),
        (reductions.sum_all(a), exact.sum()),
    ]:
        assert np.shape(found) == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=3e-7)


def test_sum_passes_on_infinity_and_nan():
    """inf stays inf, and inf - inf is nan, without a warning."""
    assert reductions.sum_all(np.array([1.0, np.inf])) == np.inf
    assert np.isnan(reductions.sum_all(np.array([np.inf, -np.inf])))
    assert np.isnan(reductions.sum_dim(np.array([[np.inf, -np.inf]]), (1,), False))[0]


def test_reductions_of_nothing():
    """Over no elements: 0 for a sum, 1 for a product, nan for a mean, -inf for logsumexp."""
    a = np.zeros((2, 0))
    assert reductions.sum_all(a) == 0 and reductions.prod_all(a) == 1 and np.isnan(reductions.mean_all(a))
    np.testing.assert_array_equal(reductions.sum_dim(a, (1,), False), [0, 0])
    np.testing.assert_array_equal(reductions.prod_dim(a, 1, True), [[1], [1]])
    np.testing.assert_array_equal(op(sg.logsumexp)(a, (1,)), [-np.inf, -np.inf])
    assert np.isnan(op(sg.var)(a, (1,), correction=1)).all()
    assert reductions.norm(a, 2.0, (0, 1), False) == 0
    assert cpu_argreduce.amax(a, (0,), False).shape == (0,)
    assert cpu_argreduce.max_dim(a, 0, False)[1].shape == (0,)
    assert cpu_argreduce.any_all(a) == False and cpu_argreduce.all_all(a) == True  # noqa: E712


def test_reductions_of_one_number():
    """A 0-d array is reduced over no dimension, and dimension 0 of it is itself."""
    a = np.array(3.0)
    for found in (
        reductions.sum_all(a),
        reductions.sum_dim(a, (), True),
        reductions.prod_dim(a, 0, True),
        scan.cumsum(a, 0),
        reductions.norm(a, 2.0, (), False),
        cpu_argreduce.max_dim(a, 0, True)[0],
        cpu_argreduce.amin(a, (), False),
    ):
        assert np.shape(found) == () and found == 3
    assert reductions.prod_others(a, 0) == 1
    assert cpu_argreduce.argmax(a, 0, True) == 0 and cpu_argreduce.max_dim(a, 0, False)[1].shape == ()


@pytest.mark.parametrize("dim", [0, 1])
def test_products_along_a_dimension(dim):
    """prod_others is the product of the other elements also where some are zero."""
    a = sample((3, 4), np.float64)
    a[1, 2] = a[0, 1] = a[1, 1] = 0
    np.testing.assert_allclose(reductions.prod_dim(a, dim, False), a.prod(dim))
    expected = np.empty_like(a)
    for i, j in np.ndindex(a.shape):
        expected[i, j] = np.delete(a[i] if dim else a[:, j], j if dim else i).prod()
    np.testing.assert_allclose(reductions.prod_others(a, dim), expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_cumulative_sums(dtype):
    """cumsum adds up along its dimension in every layout."""
    for a in layouts((3, 4), dtype):
        close(scan.cumsum(a, 0), np.cumsum(a, 0), dtype)
        close(scan.cumsum(a, 1), np.cumsum(a, 1), dtype)


@pytest.mark.parametrize("size", [(), (1,), (4,), (3, 1), (1, 4), (1, 3, 1), (2, 3, 4)])
def test_sum_to_size_is_the_transpose_of_broadcasting(size):
    """<sum_to_size(a), b> = <a, broadcast(b)>, and the result is memory of its own."""
    a, b = sample((2, 3, 4), np.float64), sample(size, np.float64)
    found = reductions.sum_to_size(a, size)
    assert found.shape == size and not np.may_share_memory(found, a)
    assert math.isclose((found * b).sum(), (a * b).sum(), rel_tol=1e-12, abs_tol=1e-12)


def test_norms_of_special_order():
    """p = 0 counts, p = inf and -inf take extremes."""
    a = np.array([[3.0, 0.0, -4.0], [0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(reductions.norm(a, 0.0, (1,), False), [2, 1])
    np.testing.assert_array_equal(reductions.norm(a, math.inf, (1,), False), [4, 1])
    np.testing.assert_array_equal(reductions.norm(a, -math.inf, (1,), True), [[0], [0]])
    np.testing.assert_array_equal(reductions.norm(a, 2.0, (1,), False), [5, 1])
    assert reductions.norm(a.astype(np.complex64), 2.0, (0, 1), False).dtype == np.float32


def test_logsumexp_neither_overflows_nor_underflows():
    """Shifted by the greatest element, also when that is infinite."""
    a = np.array([[1000.0, 1000.0], [-1000.0, -1000.0], [-np.inf, -np.inf], [np.inf, 0.0], [-np.inf, 5.0]])
    found = op(sg.logsumexp)(a, (1,))
    np.testing.assert_allclose(found, [1000 + math.log(2), -1000 + math.log(2), -np.inf, np.inf, 5.0])


def test_extrema_pass_on_nan_and_take_the_first_of_equals():
    """nan is greatest and least; among equal elements the index is that of the first."""
    a = np.array([[1.0, np.nan, 3.0], [2.0, 5.0, 5.0]])
    assert np.isnan(cpu_argreduce.max_all(a)) and np.isnan(cpu_argreduce.min_all(a))
    values, positions = cpu_argreduce.max_dim(a, 1, False)
    np.testing.assert_array_equal(values, [np.nan, 5.0])
    np.testing.assert_array_equal(positions, [1, 1])
    np.testing.assert_array_equal(cpu_argreduce.min_dim(a[1:], 1, True)[1], [[0]])
    np.testing.assert_array_equal(cpu_argreduce.amin(a, (0,), True), [[1.0, np.nan, 3.0]])
    assert cpu_argreduce.argmax(a, None, False) == 1
    assert cpu_argreduce.argmin(a, None, True).shape == (1, 1)


def test_extrema_and_tests_of_bools():
    """For bools the maximum is or, the minimum is and."""
    a = np.array([[True, False], [False, False]])
    np.testing.assert_array_equal(cpu_argreduce.amax(a, (1,), False), [True, False])
    np.testing.assert_array_equal(cpu_argreduce.any_dim(a, (0,), False), [True, False])
    np.testing.assert_array_equal(cpu_argreduce.all_dim(a, (0, 1), True), [[False]])
    assert cpu_argreduce.max_dim(a, 1, False)[0].dtype == np.bool_


MIN_MAX = {
    "numbers": lambda a: a,
    "negative": lambda a: -np.abs(a),
    "all infinite": lambda a: np.full_like(a, -np.inf),
    "one infinite": lambda a: np.where(a == a.max(), np.inf, a),
    "nan": lambda a: np.where(a == a.min(), np.nan, a),
    "nan with a sign": lambda a: np.where(a == a.max(), -np.float64(np.nan), a),
    "small": lambda a: a * 1e-310,
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("values", MIN_MAX)
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5), (2, 3, 4), (2, 40_001), (300_001,)])
def test_extremes_of_rows(shape: tuple[int, ...], values: str, dtype: Any) -> None:
    """By the order of their bits, which nan is outside of; those of one long row in chunks."""
    sampled = np.random.default_rng(0).standard_normal(shape)
    with np.errstate(under="ignore"):
        a = MIN_MAX[values](sampled).astype(dtype)
    for dims in {tuple(range(a.ndim)), (a.ndim - 1,)}:
        for keepdim in (False, True):
            for ours, numpys in ((cpu_argreduce.amax, np.max), (cpu_argreduce.amin, np.min)):
                np.testing.assert_array_equal(ours(a, dims, keepdim), numpys(a, axis=dims, keepdims=keepdim))
    np.testing.assert_array_equal(cpu_argreduce.max_all(a), a.max())
    np.testing.assert_array_equal(cpu_argreduce.min_all(a), a.min())
