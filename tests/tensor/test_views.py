"""Views: the layout that each function gives reads the same elements as NumPy's own indexing does."""

import numpy as np
import pytest

from specgrad.runtime.shapes import contiguous_strides
from specgrad.runtime.tensor import view_shapes

ROWS = (3, 4)
CUBE = (2, 3, 4)


def layouts(shape):
    """The same elements contiguous, transposed in memory, and as every second element of a larger array."""
    base = np.arange(1000.0)
    size = int(np.prod(shape))
    yield base[:size].reshape(shape)
    yield base[:size].reshape(shape[::-1]).transpose()
    yield base[7 : 7 + 2 * size].reshape(*shape[:-1], shape[-1] * 2)[..., ::2]


def apply(name, array, *args):
    """The array that a view function describes, over the storage of `array`; None where it refuses."""
    storage = array.base if array.base is not None else array
    while storage.base is not None:
        storage = storage.base
    offset = (array.__array_interface__["data"][0] - storage.__array_interface__["data"][0]) // 8
    strides = tuple(s // 8 for s in array.strides)
    found = getattr(view_shapes, name)(array.shape, strides, offset, *args)
    if found is None:
        return None
    size, steps, start = found
    steps = contiguous_strides(size) if steps is None else steps
    return np.lib.stride_tricks.as_strided(storage[start:], size, tuple(8 * s for s in steps))


CASES = [
    ("transpose", CUBE, (0, 2), lambda a: a.swapaxes(0, 2)),
    ("transpose", ROWS, (1, 1), lambda a: a),
    ("t", ROWS, (), lambda a: a.T),
    ("t", (3,), (), lambda a: a),
    ("permute", CUBE, ((2, 0, 1),), lambda a: a.transpose(2, 0, 1)),
    ("squeeze", (1, 3, 1, 2), (), lambda a: a.squeeze()),
    ("squeeze", (1, 3, 1, 2), ((0, 1),), lambda a: a.squeeze(0)),
    ("unsqueeze", ROWS, (0,), lambda a: a[None]),
    ("unsqueeze", ROWS, (2,), lambda a: a[:, :, None]),
    ("expand", (3, 1), ((2, 3, 4),), lambda a: np.broadcast_to(a, (2, 3, 4))),
    ("expand", (1, 3), ((0, 3),), lambda a: a[:0]),
    ("select", CUBE, (1, 2), lambda a: a[:, 2]),
    ("slice", (5, 3), (0, 1, 5, 2), lambda a: a[1:5:2]),
    ("slice", (5, 3), (0, 3, 3, 1), lambda a: a[3:3]),
    ("narrow", (3, 5), (1, 2, 3), lambda a: a[:, 2:5]),
    ("diagonal", ROWS, (1, 0, 1), lambda a: a.diagonal(1)),
    ("diagonal", CUBE, (-1, 2, 0), lambda a: a.diagonal(-1, 2, 0)),
    ("diagonal", ROWS, (9, 0, 1), lambda a: a.diagonal(9)),
    ("as_strided", ROWS, ((2, 2), (1, 3), 1), lambda a: None),
]


@pytest.mark.parametrize("name, shape, args, expected", CASES, ids=lambda v: str(v)[:20])
def test_a_view_reads_what_numpy_reads(name, shape, args, expected):
    """The layout of each view function, over any layout of its input, has NumPy's elements."""
    for array in layouts(shape):
        reference = expected(array)
        if reference is not None:
            np.testing.assert_array_equal(apply(name, array, *args), reference)


def test_as_strided_is_the_layout_given():
    """as_strided looks at nothing but its arguments."""
    assert view_shapes.as_strided((3,), (1,), 5, (2, 2), (1, 3), 1) == ((2, 2), (1, 3), 1)


@pytest.mark.parametrize("shape, size", [(CUBE, (6, 4)), (CUBE, (2, 12)), (ROWS, (2, 2, 3)), ((6,), (1, 6, 1))])
def test_view_keeps_the_order_of_elements(shape, size):
    """Where view gives a layout it reads the elements in row order; for contiguous input it always does."""
    for position, array in enumerate(layouts(shape)):
        found = apply("view", array, size)
        assert found is not None or position > 0
        if found is not None:
            np.testing.assert_array_equal(found, array.reshape(size))


def test_view_refuses_exactly_where_numpy_must_copy():
    """view gives None when, and only when, no strides can express the shape."""
    base = np.arange(24.0)
    arrays = [
        base.reshape(4, 6).T,
        base.reshape(2, 3, 4).transpose(1, 0, 2),
        base.reshape(4, 6)[:, ::2],
        base.reshape(4, 6)[::2],
        np.broadcast_to(base[:4], (3, 4)),
        np.broadcast_to(base[:4, None], (4, 3)),
    ]
    sizes = {
        12: [(12,), (2, 6), (4, 3), (3, 4), (2, 2, 3), (3, 2, 2)],
        24: [(24,), (2, 12), (6, 4), (3, 2, 4)],
    }
    for array in arrays:
        for size in sizes[array.size]:
            aliased = np.shares_memory(array.reshape(size), array)
            assert (apply("view", array, size) is not None) == aliased, (array.strides, size)


def test_view_of_nothing_and_of_one_number():
    """Sizes 0 and no dimensions at all are shapes like others."""
    assert view_shapes.view((0, 3), (3, 1), 2, (3, 0)) == ((3, 0), None, 2)
    assert view_shapes.view((), (), 4, (1, 1)) == ((1, 1), None, 4)
    assert view_shapes.view((1,), (7,), 4, ()) == ((), None, 4)


@pytest.mark.parametrize("size, stride, read_extent", [((3, 4), (4, 1), 12), ((2, 2), (1, 1), 3), ((0, 4), (4, 1), 0)])
def test_span_counts_the_elements_reached_over(size, stride, read_extent):
    """span is the distance from a layout's first element to behind its last."""
    assert view_shapes.span(size, stride) == read_extent


EXPANDED = [
    ((3,), (1, 3), (3, 1)),
    ((3,), (1, 1, 3), (3, 3, 1)),
    ((2,), (3, 1, 2), (0, 2, 1)),
    ((1,), (4, 1, 1), (0, 1, 1)),
    ((1, 1), (1, 1, 1), (1, 1, 1)),
    ((3, 1), (1, 3, 5), (3, 1, 0)),
    ((), (1, 2, 1), (0, 0, 0)),
    ((0,), (1, 0), (0, 1)),
]


@pytest.mark.parametrize(("shape", "size", "strides"), EXPANDED)
def test_new_dimensions_of_size_one_go_on_with_the_layout(lib, shape, size, strides):
    """As in PyTorch: so a tensor that gets one stays contiguous to whoever looks at its strides."""
    assert lib.ones(shape).expand(size).stride() == strides
