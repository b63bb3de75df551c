"""The CPU kernels of convolution against SciPy in float64, and against each other."""

import numpy as np
import pytest
import scipy.signal

from specgrad.runtime.ops.conv import cpu as conv
from specgrad.runtime.shapes import side_pads

RNG = np.random.default_rng(0)


def randn(*shape):
    return np.asarray(RNG.standard_normal(shape))


def naive_conv(x, w, b, stride, pads, dilation, groups):
    """Cross-correlation of batched input by SciPy, one pair of channels at a time; then every stride-th value."""
    x = np.pad(x, ((0, 0), (0, 0), *pads))
    expanded = np.zeros(
        w.shape[:2] + tuple((k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation, strict=True)), w.dtype
    )
    expanded[(slice(None), slice(None), *(slice(None, None, d) for d in dilation))] = w
    per_group = w.shape[0] // groups
    images = []
    for sample in x:
        planes = []
        for o in range(w.shape[0]):
            first = o // per_group * w.shape[1]
            total = sum(
                scipy.signal.correlate(sample[first + c], np.conj(expanded[o, c]), "valid", "direct")
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
    ((2, 3, 9, 7, 8), (5, 3, 3, 2, 3), (2, 3, 2), (1, 1, 2), (1, 2, 2), 1),
    ((1, 3, 8, 8), (4, 3, 2, 2), (3, 3), (0, 0), (1, 1), 1),  # places that no window reaches
    ((1, 2, 1, 1), (2, 2, 1, 1), (2, 2), (1, 1), (1, 1), 1),  # windows that see nothing but padding
    ((2, 3, 40, 45), (7, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),  # rows of several whole tiles
    ((2, 3, 40, 45), (5, 3, 3, 3), (2, 2), (1, 1), (1, 1), 1),
    ((1, 2, 500), (3, 2, 3), (1,), (0,), (1,), 1),
    ((1, 2, 500), (1, 2, 5), (3,), (2,), (2,), 1),
    ((3, 2, 16, 16), (4, 2, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((2, 3, 7, 6), (3, 1, 5, 5), (1, 1), (2, 2), (1, 1), 3),
    ((2, 2, 9, 50), (2, 1, 3, 3), (1, 1), (1, 1), (1, 1), 2),
    ((1, 2, 7, 33), (2, 1, 7, 7), (1, 1), (3, 3), (1, 1), 2),
    ((2, 3, 8, 40), (3, 1, 3, 3), (2, 2), (1, 1), (1, 1), 3),
    ((19, 3, 4, 4), (5, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),  # small pictures, many samples
    ((131, 6, 2, 3), (4, 3, 2, 2), (1, 1), (1, 0, 0, 1), (1, 1), 2),
    ((9, 3, 5, 5), (5, 3, 3, 3), (2, 2), (1, 1), (1, 1), 1),
    ((20, 4, 1, 1), (6, 4, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((20, 4, 3), (6, 4, 3), (1,), (1,), (1,), 1),
    ((2, 3, 7, 9), (3, 1, 5, 5), (2, 2), (2, 2), (1, 1), 3),
    ((2, 3, 9, 13), (16, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),  # channels that fill vectors
    ((2, 32, 5, 13), (64, 16, 3, 2), (1, 1), (1, 1, 1, 0), (1, 2), 2),
    ((1, 48, 4, 40), (80, 48, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((2, 5, 23, 11), (51, 5, 3, 3), (2, 3), (1, 1), (2, 1), 1),
    ((3, 16, 130), (16, 16, 3), (1,), (2,), (2,), 1),
    ((2, 6, 9, 11), (58, 3, 1, 1), (1, 1), (0, 0), (1, 1), 2),  # products of planes as they lie
    ((3, 5, 70), (27, 5, 1), (1,), (0,), (1,), 1),
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
    input_grad = conv.convolution_input_backward(g, w, x.shape, *geometry)
    weight_grad = conv.convolution_weight_backward(g, x, w.shape, *geometry)
    assert input_grad.shape == x.shape and weight_grad.shape == w.shape
    np.testing.assert_allclose((input_grad * x).sum(), (g * y).sum(), rtol=1e-11)
    np.testing.assert_allclose((weight_grad * w).sum(), (g * y).sum(), rtol=1e-11)


@pytest.mark.parametrize("channels, sizes", [(4, (3, 6, 5)), (16, (16, 6, 5)), (48, (64, 9, 7))])
def test_convolution_of_a_batch_is_that_of_its_samples(channels, sizes):
    """Samples do not meet, but in the gradient of the weight, where many are summed up at a time."""
    x, w, b = randn(70, *sizes), randn(channels, sizes[0], 3, 3), randn(channels)
    geometry = ((1, 1), (1, 1), (1, 1), 1)
    y = conv.convolution(x, w, b, *geometry)
    for n in (0, 69):
        np.testing.assert_array_equal(conv.convolution(x[n : n + 1], w, b, *geometry), y[n : n + 1])
        np.testing.assert_array_equal(
            conv.convolution_input_backward(y, w, x.shape, *geometry)[n],
            conv.convolution_input_backward(y[n], w, x.shape[1:], *geometry),
        )
    separate = sum(conv.convolution_weight_backward(y[n], x[n], w.shape, *geometry) for n in range(70))
    np.testing.assert_allclose(conv.convolution_weight_backward(y, x, w.shape, *geometry), separate, rtol=1e-11)


def test_convolution_of_one_sample_and_of_none():
    w, b, geometry = randn(4, 3, 3, 3), randn(4), ((1, 1), (1, 1), (1, 1), 1)
    x = randn(3, 6, 5)
    alone = conv.convolution(x, w, b, *geometry)
    np.testing.assert_array_equal(alone, conv.convolution(x[None], w, b, *geometry)[0])
    assert conv.convolution_input_backward(alone, w, x.shape, *geometry).shape == x.shape
    assert conv.convolution_weight_backward(alone, x, w.shape, *geometry).shape == w.shape
    none = np.empty((0, 3, 6, 5))
    empty = conv.convolution(none, w, b, *geometry)
    assert empty.shape == (0, 4, 6, 5)
    assert conv.convolution_input_backward(empty, w, none.shape, *geometry).shape == none.shape
    assert not conv.convolution_weight_backward(empty, none, w.shape, *geometry).any()


@pytest.mark.parametrize("case", [CONVS[3], CONVS[4], CONVS[-11], *CONVS[-9:]], ids=str)
def test_convolution_has_the_same_bits_for_any_number_of_threads(case, threads):
    x_shape, w_shape, *geometry = case
    x, w = randn(*x_shape).astype(np.float32), randn(*w_shape).astype(np.float32)
    g = conv.convolution(x, w, None, *geometry)

    def results():
        yield conv.convolution(x, w, None, *geometry)
        yield conv.convolution_input_backward(g, w, x.shape, *geometry)
        yield conv.convolution_weight_backward(g, x, w.shape, *geometry)

    threads(1)
    alone = list(results())
    for number in (2, 4):
        threads(number)
        for found, expected in zip(results(), alone, strict=True):
            np.testing.assert_array_equal(found, expected)


def test_convolution_takes_strided_input():
    x, w = randn(2, 5, 4, 3).transpose(0, 3, 2, 1), randn(3, 4, 3, 2).transpose(1, 0, 3, 2)
    geometry = ((1, 1), (0, 0), (1, 1), 1)
    expected = conv.convolution(x.copy(), w.copy(), None, *geometry)
    np.testing.assert_array_equal(conv.convolution(x, w, None, *geometry), expected)


@pytest.mark.parametrize("stride", [7, 2**31, 2**40])
def test_strides_beyond_the_input(stride):
    """One place of the output is all that a long stride leaves: its gradient is the weights, wherever they reach."""
    weight = randn(2, 3, 4)
    found = conv.convolution_input_backward(np.ones((1, 2, 1)), weight, (1, 3, 4), (stride,), (0,), (1,), 1)
    np.testing.assert_allclose(found, weight.sum(0)[None], rtol=1e-14)
