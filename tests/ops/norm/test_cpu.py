"""The CPU kernels of norms and of softmax against NumPy and SciPy in float64."""

import numpy as np
import pytest
import scipy.special

from specgrad.generated.kernels.programs import (
    cpu_log_softmax,
    cpu_log_softmax_backward,
    cpu_softmax,
    cpu_softmax_backward,
)
from specgrad.runtime.ops.norm import cpu as normalization

RNG = np.random.default_rng(0)


def randn(*shape):
    return np.asarray(RNG.standard_normal(shape))


NORMS = [
    # input, reduced dims, affine shape
    ((4, 3, 5, 2), (0, 2, 3), (3, 1, 1)),  # batch norm
    ((6, 3), (0,), (3,)),  # batch norm of rows
    ((131, 5), (0,), (5,)),  # of several blocks of rows
    ((3, 2050), (0,), (2050,)),  # and of channels
    ((4, 5, 6), (2,), (6,)),  # layer norm
    ((4, 5, 6), (1, 2), (5, 6)),
    ((4, 3, 6), (2,), (3, 1)),  # instance norm
    ((3, 4, 5), (1,), (5,)),  # kept dimensions apart
    ((3, 4, 5), (0, 1, 2), (1,)),
    ((2, 2, 3, 4), (2, 3), (2, 3, 1)),  # a weight of kept and reduced dimensions, as group norm has
    ((2, 3, 4), (2,), (3, 4)),  # a weight for each place of all dimensions but one
    ((4, 2, 3), (0,), (3,)),  # one for several of the kept ones
    ((4, 2, 3), (0,), (2, 1)),
    ((4, 2, 3), (1,), (4, 1, 1)),
    ((2, 1, 1), (0, 2), (1, 1)),
]


def naive_standardize(x, w, b, dims, affine_shape, eps):
    mean, var = x.mean(dims, keepdims=True), x.var(dims, keepdims=True)
    scale = 1 if w is None else w.reshape(affine_shape)
    return (x - mean) / np.sqrt(var + eps) * scale + (0 if b is None else b.reshape(affine_shape)), mean, var


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("case", NORMS, ids=str)
def test_standardize_and_its_gradients(case, affine):
    shape, dims, affine_shape = case
    x, w, b = randn(*shape), randn(np.prod(affine_shape)), randn(np.prod(affine_shape))
    w, b = (w, b) if affine else (None, None)
    y, mean, var = normalization.standardize(x, w, b, dims, affine_shape, 1e-3)
    expected = naive_standardize(x, w, b, dims, affine_shape, 1e-3)
    for one, other in zip((y, mean, var), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)
    g, along, step = randn(*y.shape), randn(*shape), 1e-6
    args = (g, x, w, mean, var, dims, affine_shape, 1e-3)
    back, weight_grad, bias_grad = normalization.standardize_backward((True, affine, affine), *args)

    def total(x):
        return (g * naive_standardize(x, w, b, dims, affine_shape, 1e-3)[0]).sum()

    derivative = (total(x + step * along) - total(x - step * along)) / (2 * step)
    assert (back * along).sum() == pytest.approx(derivative, rel=1e-6, abs=1e-7)
    if affine:
        plain = (y - b.reshape(affine_shape)) * g
        assert (weight_grad.reshape(-1) * w).sum() == pytest.approx(plain.sum())
        assert (bias_grad.reshape(-1) * b).sum() == pytest.approx((g * b.reshape(affine_shape)).sum())
        only = normalization.standardize_backward((False, False, True), g, None, *args[2:])
        np.testing.assert_allclose(only[2].reshape(-1), bias_grad.reshape(-1), rtol=1e-12)
    else:
        assert weight_grad is None and bias_grad is None


def test_standardize_in_float32_keeps_its_precision():
    """Mean and variance of many values far from zero are as good as the storage allows."""
    x = (randn(64, 3, 32, 32) + 100).astype(np.float32)
    _, mean, var = normalization.standardize(x, None, None, (0, 2, 3), (3, 1, 1), 1e-5)
    assert mean.dtype == np.float32 and mean.shape == (1, 3, 1, 1)
    np.testing.assert_allclose(mean, x.astype(np.float64).mean((0, 2, 3), keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(var, x.astype(np.float64).var((0, 2, 3), keepdims=True), rtol=1e-6)


def test_columns_in_float32_keep_their_precision():
    """Channels side by side: far from zero, of one value, and where one element is nan."""
    x = (randn(1000, 5) + 100).astype(np.float32)
    x[:, 1], x[3, 2] = 7, np.nan
    y, mean, var = normalization.standardize(x, None, None, (0,), (5,), 1e-5)
    exact = x.astype(np.float64)
    np.testing.assert_allclose(mean, exact.mean(0, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(var, exact.var(0, keepdims=True), rtol=1e-5, atol=1e-12)
    assert not var[0, 1] and not y[:, 1].any() and np.isnan(y[:, 2]).all()
    back, _, _ = normalization.standardize_backward(
        (True, False, False), y[::-1].copy(), x, None, mean, var, (0,), (5,), 1e-5
    )
    g, z = np.delete(y[::-1].astype(np.float64), [1, 2], 1), np.delete(exact, [1, 2], 1)
    away, rstd = z - z.mean(0), 1 / np.sqrt(z.var(0) + 1e-5)
    derivatives = rstd * (g - g.mean(0) - away * rstd**2 * (g * away).mean(0))
    np.testing.assert_allclose(np.delete(back, [1, 2], 1), derivatives, atol=1e-5)


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 1e-6), (np.float64, 1e-14)])
@pytest.mark.parametrize("shape, dim", [((5, 7), 1), ((5, 7), 0), ((2, 3, 4), 1), ((), 0), ((0, 3), 1), ((3, 0), 1)])
def test_softmax_and_log_softmax(shape, dim, dtype, tolerance):
    x = (randn(*shape) * 4).astype(dtype)
    y, log_y = cpu_softmax.softmax(x, dim), cpu_log_softmax.log_softmax(x, dim)
    assert y.dtype == log_y.dtype == dtype
    if not x.size:
        assert y.shape == log_y.shape == shape
        return
    axis = dim if shape else None
    exact = x.astype(np.float64)
    np.testing.assert_allclose(y, scipy.special.softmax(exact, axis), atol=tolerance)
    np.testing.assert_allclose(log_y, scipy.special.log_softmax(exact, axis), rtol=10 * tolerance, atol=10 * tolerance)
    g = randn(*shape).astype(dtype)
    back = y * (g - (g * y).sum(axis, keepdims=True))
    np.testing.assert_allclose(cpu_softmax_backward.softmax_backward(g, y, dim), back, atol=10 * tolerance)
    back = g - np.exp(log_y) * g.sum(axis, keepdims=True)
    np.testing.assert_allclose(cpu_log_softmax_backward.log_softmax_backward(g, log_y, dim), back, atol=10 * tolerance)


def test_softmax_of_extreme_values():
    x = np.array([[1e4, -1e4, 0.0], [np.nan, 1.0, 2.0], [-np.inf, 0.0, 0.0]])
    np.testing.assert_array_equal(cpu_softmax.softmax(x, 1)[0], [1, 0, 0])
    np.testing.assert_array_equal(cpu_log_softmax.log_softmax(x, 1)[0], [0, -2e4, -1e4])
    assert np.isnan(cpu_softmax.softmax(x, 1)[1]).all() and np.isnan(cpu_log_softmax.log_softmax(x, 1)[1]).all()
    np.testing.assert_array_equal(cpu_softmax.softmax(x, 1)[2], [0, 0.5, 0.5])
