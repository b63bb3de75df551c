"""The CPU kernels of network ops against plain loops and SciPy in float64."""

import itertools

import numpy as np
import pytest
import scipy.signal
import scipy.special

from specgrad.runtime.kernels.cpu import (
    class_loss,
    conv,
    conv_sizes,
    embedding,
    linear,
    loss,
    normalization,
    pool,
    softmax,
)
from specgrad.runtime.kernels.windows import pool_size, side_pads

RNG = np.random.default_rng(0)


def randn(*shape, dtype=np.float64):
    return np.asarray(RNG.standard_normal(shape), dtype)


def naive_conv(x, w, b, stride, pads, dilation, groups):
    """Cross-correlation of batched input by SciPy, one pair of channels at a time; then every stride-th value."""
    x = np.pad(x, ((0, 0), (0, 0), *pads))
    spread = np.zeros(w.shape[:2] + tuple((k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation, strict=True)), w.dtype)
    spread[(slice(None), slice(None), *(slice(None, None, d) for d in dilation))] = w
    per_group = w.shape[0] // groups
    images = []
    for sample in x:
        planes = []
        for o in range(w.shape[0]):
            first = o // per_group * w.shape[1]
            total = sum(
                scipy.signal.correlate(sample[first + c], np.conj(spread[o, c]), "valid", "direct")
                for c in range(w.shape[1])
            )
            planes.append(total[tuple(slice(None, None, s) for s in stride)] + (0 if b is None else b[o]))
        images.append(planes)
    return np.array(images)


CONVS = [
    # input, weight, stride, padding, dilation, groups
    ((2, 3, 7), (4, 3, 3), (1,), (1,), (1,), 1),
    ((2, 4, 9), (6, 2, 2), (3,), (2,), (2,), 2),
    ((3, 2, 5, 4), (3, 2, 3, 2), (1, 1), (0, 0), (1, 1), 1),
    ((2, 4, 7, 5), (4, 2, 3, 3), (2, 1), (1, 2), (1, 2), 2),
    ((2, 3, 6, 6), (3, 1, 3, 3), (1, 1), (1, 1), (1, 1), 3),
    ((2, 3, 5, 6), (2, 3, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((2, 3, 5, 6), (2, 3, 1, 1), (2, 3), (0, 0), (1, 1), 1),
    ((1, 2, 4, 5), (2, 2, 2, 2), (1, 1), (0, 1, 1, 0), (1, 1), 1),
    ((2, 2, 4, 4), (2, 2, 2, 2), (1, 1), (3, 3), (1, 1), 1),
    ((1, 2, 4, 3, 5), (3, 2, 2, 2, 3), (1, 2, 1), (1, 0, 1), (2, 1, 1), 1),
]


@pytest.mark.parametrize("case", CONVS, ids=str)
def test_convolution_is_scipys_correlation(case):
    x_shape, w_shape, stride, padding, dilation, groups = case
    x, w, b = randn(*x_shape), randn(*w_shape), randn(w_shape[0])
    found = conv.convolution(x, w, b, stride, padding, dilation, groups)
    pads = side_pads(padding, len(stride))
    np.testing.assert_allclose(found, naive_conv(x, w, b, stride, pads, dilation, groups), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("case", CONVS, ids=str)
def test_convolution_gradients_are_its_transposes(case, dtype):
    """<g, conv(x, w)> is bilinear: both gradients reproduce it."""
    x_shape, w_shape, *geometry = case
    x, w = randn(*x_shape).astype(dtype), randn(*w_shape).astype(dtype)
    if dtype is np.complex128:
        x, w = x + 1j * randn(*x_shape), w + 1j * randn(*w_shape)
    y = conv.convolution(x, w, None, *geometry)
    g = randn(*y.shape).astype(dtype)
    input_grad = conv.convolution_input_grad(g, w, x.shape, *geometry)
    weight_grad = conv.convolution_weight_grad(g, x, w.shape, *geometry)
    assert input_grad.shape == x.shape and weight_grad.shape == w.shape
    np.testing.assert_allclose((input_grad * x).sum(), (g * y).sum(), rtol=1e-11)
    np.testing.assert_allclose((weight_grad * w).sum(), (g * y).sum(), rtol=1e-11)


def test_convolution_in_blocks(monkeypatch):
    """The result does not depend on how many samples are handled at a time."""
    x, w, b = randn(7, 3, 6, 5), randn(4, 3, 3, 3), randn(4)
    geometry = ((1, 1), (1, 1), (1, 1), 1)
    whole = conv.convolution(x, w, b, *geometry)
    grads = (
        conv.convolution_input_grad(whole, w, x.shape, *geometry),
        conv.convolution_weight_grad(whole, x, w.shape, *geometry),
    )
    monkeypatch.setattr(conv_sizes, "BLOCK_BYTES", 14000)
    assert len(list(conv_sizes.geometry(x.shape, w.shape, *geometry).blocks(8))) > 2
    np.testing.assert_allclose(conv.convolution(x, w, b, *geometry), whole, rtol=1e-12)
    np.testing.assert_allclose(conv.convolution_input_grad(whole, w, x.shape, *geometry), grads[0], rtol=1e-12)
    np.testing.assert_allclose(conv.convolution_weight_grad(whole, x, w.shape, *geometry), grads[1], rtol=1e-12)


def test_convolution_of_one_sample_and_of_none():
    w, b, geometry = randn(4, 3, 3, 3), randn(4), ((1, 1), (1, 1), (1, 1), 1)
    x = randn(3, 6, 5)
    alone = conv.convolution(x, w, b, *geometry)
    np.testing.assert_array_equal(alone, conv.convolution(x[None], w, b, *geometry)[0])
    assert conv.convolution_input_grad(alone, w, x.shape, *geometry).shape == x.shape
    assert conv.convolution_weight_grad(alone, x, w.shape, *geometry).shape == w.shape
    none = np.empty((0, 3, 6, 5))
    empty = conv.convolution(none, w, b, *geometry)
    assert empty.shape == (0, 4, 6, 5)
    assert conv.convolution_input_grad(empty, w, none.shape, *geometry).shape == none.shape
    assert not conv.convolution_weight_grad(empty, none, w.shape, *geometry).any()


def test_convolution_takes_strided_input():
    x, w = randn(2, 5, 4, 3).transpose(0, 3, 2, 1), randn(3, 4, 3, 2).transpose(1, 0, 3, 2)
    geometry = ((1, 1), (0, 0), (1, 1), 1)
    expected = conv.convolution(x.copy(), w.copy(), None, *geometry)
    np.testing.assert_array_equal(conv.convolution(x, w, None, *geometry), expected)


def test_linear_and_its_weight_gradient():
    for lead in [(), (4,), (2, 3), (0,)]:
        x, w, b = randn(*lead, 5), randn(3, 5), randn(3)
        y = linear.linear(x, w, b)
        np.testing.assert_allclose(y, x @ w.T + b, rtol=1e-12)
        g = randn(*y.shape)
        expected = np.einsum("no,ni->oi", g.reshape(-1, 3), x.reshape(-1, 5))
        np.testing.assert_allclose(linear.linear_weight_grad(g, x), expected, rtol=1e-12, atol=1e-14)
        row = randn(5)
        y = linear.linear(x, row, None)
        np.testing.assert_allclose(y, x @ row, rtol=1e-12)
        expected = np.einsum("n,ni->i", y.reshape(-1), x.reshape(-1, 5))
        np.testing.assert_allclose(linear.linear_weight_grad(y, x), expected, rtol=1e-12, atol=1e-14)


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


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 1e-6), (np.float64, 1e-14)])
@pytest.mark.parametrize("shape, dim", [((5, 7), 1), ((5, 7), 0), ((2, 3, 4), 1), ((), 0), ((0, 3), 1), ((3, 0), 1)])
def test_softmax_and_log_softmax(shape, dim, dtype, tolerance):
    x = (randn(*shape) * 4).astype(dtype)
    y, log_y = softmax.softmax(x, dim), softmax.log_softmax(x, dim)
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
    np.testing.assert_allclose(softmax.softmax_backward(g, y, dim), back, atol=10 * tolerance)
    back = g - np.exp(log_y) * g.sum(axis, keepdims=True)
    np.testing.assert_allclose(softmax.log_softmax_backward(g, log_y, dim), back, atol=10 * tolerance)


def test_softmax_of_extreme_values():
    x = np.array([[1e4, -1e4, 0.0], [np.nan, 1.0, 2.0], [-np.inf, 0.0, 0.0]])
    np.testing.assert_array_equal(softmax.softmax(x, 1)[0], [1, 0, 0])
    np.testing.assert_array_equal(softmax.log_softmax(x, 1)[0], [0, -2e4, -1e4])
    assert np.isnan(softmax.softmax(x, 1)[1]).all() and np.isnan(softmax.log_softmax(x, 1)[1]).all()
    np.testing.assert_array_equal(softmax.softmax(x, 1)[2], [0, 0.5, 0.5])


NORMS = [
    # input, reduced dims, affine shape
    ((4, 3, 5, 2), (0, 2, 3), (3, 1, 1)),  # batch norm
    ((6, 3), (0,), (3,)),  # batch norm of rows
    ((4, 5, 6), (2,), (6,)),  # layer norm
    ((4, 5, 6), (1, 2), (5, 6)),
    ((4, 3, 6), (2,), (3, 1)),  # instance norm
    ((3, 4, 5), (1,), (5,)),  # kept dimensions apart
    ((3, 4, 5), (0, 1, 2), (1,)),
    ((2, 2, 3, 4), (2, 3), (2, 3, 1)),  # a weight of kept and reduced dimensions
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
    grads = randn(*y.shape), randn(*mean.shape), randn(*var.shape)
    back = normalization.standardize_backward(*grads, x, w, mean, var, affine_shape, 1e-3)
    along, step = randn(*shape), 1e-6

    def total(x):
        return sum((g * v).sum() for g, v in zip(grads, naive_standardize(x, w, b, dims, affine_shape, 1e-3)))

    slope = (total(x + step * along) - total(x - step * along)) / (2 * step)
    assert (back * along).sum() == pytest.approx(slope, rel=1e-6, abs=1e-7)
    if affine:
        weight_grad = normalization.standardize_weight_grad(grads[0], x, mean, var, affine_shape, 1e-3)
        plain = (y - b.reshape(affine_shape)) * grads[0]
        assert (weight_grad.reshape(-1) * w).sum() == pytest.approx(plain.sum())


def test_standardize_in_float32_keeps_its_precision():
    """Mean and variance of many values far from zero are as good as the storage allows."""
    x = (randn(64, 3, 32, 32) + 100).astype(np.float32)
    _, mean, var = normalization.standardize(x, None, None, (0, 2, 3), (3, 1, 1), 1e-5)
    assert mean.dtype == np.float32 and mean.shape == (1, 3, 1, 1)
    np.testing.assert_allclose(mean, x.astype(np.float64).mean((0, 2, 3), keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(var, x.astype(np.float64).var((0, 2, 3), keepdims=True), rtol=1e-6)


@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("places", [None, (), (3,), (2, 3)])
def test_nll_loss_and_its_gradient(places, weighted, reduction):
    classes, ignored = 4, 2
    shape = (classes,) if places is None else (5, classes, *places)
    x, w = randn(*shape), np.abs(randn(classes)) if weighted else None
    target = RNG.integers(0, classes, () if places is None else (5, *places))
    loss_value, total = class_loss.nll_loss(x, target, w, reduction, ignored)
    rows = x.reshape(1, classes) if places is None else np.moveaxis(x, 1, -1).reshape(-1, classes)
    weights = (np.ones(classes) if w is None else w) * (np.arange(classes) != ignored)
    flat = target.reshape(-1)
    each = -weights[flat] * rows[np.arange(len(flat)), flat]
    scale = weights[flat].sum() if reduction == 1 else 1.0
    if scale == 0:
        assert np.isnan(loss_value)
        return
    expected = each.reshape(target.shape) if reduction == 0 else each.sum() / scale
    np.testing.assert_allclose(loss_value, expected, rtol=1e-12)
    g = randn(*loss_value.shape)
    back = class_loss.nll_loss_backward(g, target, w, total, x.shape, reduction, ignored)
    assert (back * x).sum() == pytest.approx((g * loss_value).sum())


def test_nll_loss_refuses_targets_that_are_no_class():
    for bad in (-1, 3):
        with pytest.raises(IndexError, match=f"Target {bad} is out of bounds"):
            class_loss.nll_loss(randn(2, 3), np.array([0, bad]))


def naive_losses(name, x, t, pos_weight):
    if name == "mse_loss":
        return (x - t) ** 2
    if name == "binary_cross_entropy":
        return -(t * np.log(x) + (1 - t) * np.log1p(-x))
    return pos_weight * t * np.log1p(np.exp(-x)) + (1 - t) * np.log1p(np.exp(x))


@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("name", ["mse_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"])
def test_pointwise_losses_and_their_gradients(name, weighted, reduction):
    x, t = RNG.uniform(0.1, 0.9, (3, 4)), RNG.uniform(0, 1, (3, 4))
    w, p = (np.abs(randn(4)), np.abs(randn(4))) if weighted else (None, None)
    extra = {"mse_loss": (), "binary_cross_entropy": (w,), "binary_cross_entropy_with_logits": (w, p)}[name]

    def reference(x):
        each = naive_losses(name, x, t, 1 if p is None else p) * (w if extra and weighted else 1)
        return [each, each.mean(), each.sum()][reduction]

    found = getattr(loss, name)(x, t, *extra, reduction)
    np.testing.assert_allclose(found, reference(x), rtol=1e-12)
    g, along, step = randn(*found.shape), randn(3, 4), 1e-6
    back = getattr(loss, f"{name}_backward")(g, x, t, *extra, reduction)
    slope = (g * (reference(x + step * along) - reference(x - step * along))).sum() / (2 * step)
    assert (back * along).sum() == pytest.approx(slope, rel=1e-6)


def test_pointwise_losses_at_the_edges():
    ends = np.array([0.0, 1.0, 0.0, 1.0])
    t = np.array([0.0, 1.0, 1.0, 0.0])
    np.testing.assert_array_equal(loss.binary_cross_entropy(ends, t, None, 0), [0, 0, 100, 100])
    far = np.array([1e4, -1e4])
    np.testing.assert_array_equal(loss.binary_cross_entropy_with_logits(far, np.zeros(2), None, None, 0), [1e4, 0])
    assert np.isnan(loss.mse_loss(np.zeros(0), np.zeros(0))) and loss.mse_loss(np.zeros(0), np.zeros(0), 2) == 0
    for x, t, name in [(1.5, 0.0, "input"), (0.5, -0.1, "target"), (np.nan, 0.5, "input")]:
        with pytest.raises(RuntimeError, match=f"elements of {name} should be between 0 and 1"):
            loss.binary_cross_entropy(np.array([x]), np.array([t]))


@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
def test_embedding_and_its_gradient(index_dtype):
    table = randn(6, 3)
    indices = np.array([[1, 4, 1], [0, 5, 1]], index_dtype)
    np.testing.assert_array_equal(embedding.embedding(table, indices), table[indices])
    assert embedding.embedding(table, indices[:0]).shape == (0, 3, 3)
    assert embedding.embedding(table[:, :0], indices).shape == (2, 3, 0)
    g = randn(2, 3, 3)
    expected = np.zeros((6, 3))
    np.add.at(expected, indices, g)
    np.testing.assert_allclose(embedding.embedding_backward(g, indices, 6, -1, False), expected, rtol=1e-14)
    expected /= np.array([1, 3, 1, 1, 1, 1])[:, None]
    expected[4] = 0
    np.testing.assert_allclose(embedding.embedding_backward(g, indices, 6, 4, True), expected, rtol=1e-14)
    back = embedding.embedding_gather(table, indices, 4, True)
    assert (back * g).sum() == pytest.approx((table * expected).sum())


@pytest.mark.parametrize("bad", [-1, 6])
def test_embedding_refuses_indices_outside_the_table(bad):
    with pytest.raises(IndexError, match=rf"expected an index in \[0, 5\], got {bad}"):
        embedding.embedding(randn(6, 3), np.array([0, bad]))
    with pytest.raises(IndexError, match=f"got {bad}"):
        embedding.embedding_backward(randn(2, 3), np.array([0, bad]), 6, -1, False)
