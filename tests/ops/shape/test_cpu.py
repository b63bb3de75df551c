"""Rearranging kernels: what they give, that they own it, and that the transposes of views are transposes."""

import numpy as np
import pytest

from specgrad.runtime.ops.shape import cpu as shape
from specgrad.runtime.ops.shape import cpu_pad_tri_flip as filling

rng = np.random.default_rng(0)


def inner(a, b):
    return float((a * b).sum())


TRANSPOSES = [
    (shape.select_backward, (3,), ((3, 4), 1, 2), lambda a: a[:, 2]),
    (shape.select_backward, (), ((3,), 0, 1), lambda a: a[1]),
    (shape.slice_backward, (2, 4), ((5, 4), 0, 1, 5, 2), lambda a: a[1:5:2]),
    (shape.slice_backward, (0, 4), ((5, 4), 0, 2, 2, 1), lambda a: a[2:2]),
    (shape.diagonal_backward, (3,), ((3, 4), 1, 0, 1), lambda a: a.diagonal(1)),
    (shape.diagonal_backward, (3, 2), ((2, 3, 4), 0, 2, 0), lambda a: a.diagonal(0, 2, 0)),
    (shape.diagonal_backward, (0,), ((3, 4), 7, 0, 1), lambda a: a.diagonal(7)),
]


@pytest.mark.parametrize("kernel, grad_shape, args, forward", TRANSPOSES)
def test_backward_kernels_are_the_transposes_of_their_views(kernel, grad_shape, args, forward):
    """<backward(g), x> = <g, forward(x)> for random x and g."""
    x = rng.normal(size=args[0])
    view = forward(x)
    grad = rng.normal(size=view.shape)
    assert grad.shape[:1] == grad_shape[:1]
    np.testing.assert_allclose(inner(kernel(grad, *args), x), inner(grad, view), atol=1e-12)


def test_restride_adds_and_reads_through_layouts():
    """Overlapping elements add up, gaps read as zero, and swapping the layouts gives the transpose."""
    windows = rng.normal(size=(4, 3))
    found = shape.restride(windows, (1, 1), 0, (6,), (1,), 0)
    expected = np.zeros(6)
    for i in range(4):
        expected[i : i + 3] += windows[i]
    np.testing.assert_allclose(found, expected)
    other = rng.normal(size=6)
    back = shape.restride(other, (1,), 0, (4, 3), (1, 1), 0)
    np.testing.assert_allclose(inner(found, other), inner(windows, back))
    np.testing.assert_array_equal(shape.restride(np.ones(2), (2,), 5, (4,), (1,), 4), [0, 1, 0, 1])
    np.testing.assert_array_equal(shape.restride(np.ones(0), (1,), 9, (2,), (1,), 0), [0, 0])
    assert shape.restride(np.ones(3), (1,), 0, (0, 2), (1, 1), 0).shape == (0, 2)


def test_cat_and_stack():
    """Arrays of shape (0,) count for nothing in cat; stack makes a new dimension."""
    a, b = np.ones((2, 3)), np.zeros((1, 3))
    np.testing.assert_array_equal(shape.cat([a, b], 0), np.r_[a, b])
    np.testing.assert_array_equal(shape.cat([np.ones(0), a.T, a.T], 1), np.c_[a.T, a.T])
    assert shape.cat([np.ones(0), np.ones(0)], 0).shape == (0,)
    np.testing.assert_array_equal(shape.stack([a, 2 * a], 1)[:, 1], 2 * a)
    assert shape.stack([np.array(1.0), np.array(2.0)], 0).tolist() == [1, 2]


def test_flip_and_roll():
    """Along some dimensions, along none, and in the flattened array."""
    a = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(filling.flip(a, (0, 1)), a[::-1, ::-1])
    np.testing.assert_array_equal(filling.flip(a, ()), a)
    np.testing.assert_array_equal(shape.roll(a, (5,), ()), np.roll(a, 5))
    np.testing.assert_array_equal(shape.roll(a, (1, -2), (0, 1)), np.roll(np.roll(a, 1, 0), -2, 1))
    assert filling.flip(np.array(2.0), (0,)) == 2
    assert shape.roll(np.ones((0, 2)), (1,), (0,)).shape == (0, 2)


def test_triangles_of_batches_ignore_nan_outside():
    """What is cut off becomes 0 even where it is nan."""
    a = np.full((2, 3, 3), np.nan)
    a[:, [0, 0, 1], [1, 2, 2]] = 1
    assert np.nansum(filling.triu(a, 1)) == 6 and not np.isnan(filling.triu(a, 1)).any()
    assert np.isnan(filling.tril(a, 0)).sum() == 12


@pytest.mark.parametrize("pad", [(), (1, 2), (0, 1, 2, 0), (-1, 1, 1, -2), (-2, -2)])
def test_padding_grows_and_cuts(pad):
    """Positive pads fill with the value, negative ones cut, last dimension first."""
    a = rng.normal(size=(3, 4))
    wide = np.full((23, 24), 7.0)
    wide[10:13, 10:14] = a
    (left, right, top, bottom) = (*pad, 0, 0, 0, 0)[:4]
    expected = wide[10 - top : 13 + bottom, 10 - left : 14 + right]
    np.testing.assert_array_equal(filling.constant_pad_nd(a, pad, 7.0), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.complex128, np.int8, np.bool_])
def test_results_are_memory_of_their_own_and_keep_the_dtype(dtype):
    """No kernel hands back its input's memory, even where nothing had to change."""
    a = np.ones((3, 4), dtype)
    found = [
        shape.clone(a),
        shape.to_copy(a),
        filling.flip(a, ()),
        shape.roll(a, (0,), ()),
        filling.triu(a, -9),
        shape.cat([a], 0),
        filling.constant_pad_nd(a, (), 0),
        shape.restride(a, (4, 1), 0, (3, 4), (4, 1), 0) if dtype != np.bool_ else a.copy(),
    ]
    for result in found:
        assert result.dtype == dtype and not np.may_share_memory(result, a)
        np.testing.assert_array_equal(result, a)


def test_an_empty_vector_first_counts_for_nothing() -> None:
    """Along the first dimension too, whatever the rank of what follows."""
    x = np.array([[1.0, 2.0]])
    assert shape.cat([np.zeros(0), x, x], 0).tolist() == [[1.0, 2.0], [1.0, 2.0]]
    assert shape.cat([np.zeros(0), np.zeros(0)], 0).shape == (0,)
