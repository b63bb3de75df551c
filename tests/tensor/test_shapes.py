"""Sizes, strides and broadcasting."""

import copy
import itertools
import pickle

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime import shapes


def test_size_is_a_tuple() -> None:
    """A Size equals and hashes as a tuple, prints as PyTorch's does, and counts its elements."""
    size = sg.Size([2, 3])
    assert size == (2, 3)
    assert hash(size) == hash((2, 3))
    assert repr(size) == str(size) == "specgrad.Size([2, 3])"
    assert repr(sg.Size([])) == "specgrad.Size([])"
    assert size.numel() == 6
    assert sg.Size([]).numel() == 1


def test_size_operations_give_sizes() -> None:
    """Slices, sums and multiples of a Size are Sizes; an item is an int."""
    size = sg.Size([2, 3])
    for result, expected in [
        (size[1:], (3,)),
        (size + (4,), (2, 3, 4)),
        ((4,) + size, (4, 2, 3)),
        (size * 2, (2, 3, 2, 3)),
        (2 * size, (2, 3, 2, 3)),
        (copy.deepcopy(size), (2, 3)),
        (pickle.loads(pickle.dumps(size)), (2, 3)),
    ]:
        assert type(result) is sg.Size
        assert result == expected
    assert type(size[0]) is int
    with pytest.raises(TypeError):
        size + [1]


def test_size_holds_integers_only() -> None:
    """Anything with __index__ becomes an int; the rest is refused with its position."""
    assert repr(sg.Size([np.int64(2), sg.tensor(3)])) == "specgrad.Size([2, 3])"
    with pytest.raises(TypeError, match=r"Size\(\) takes an iterable of 'int' \(item 1 is 'float'\)"):
        sg.Size([2, 3.0])
    with pytest.raises(TypeError, match=r"Size\(\) takes an iterable of 'int', not 'int'"):
        sg.Size(3)


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((), ()),
        ((3,), (1,)),
        ((2, 3, 4), (12, 4, 1)),
        ((0, 3), (3, 1)),
        ((3, 0), (1, 1)),
        ((2, 1, 3), (3, 3, 1)),
    ],
)
def test_contiguous_strides(shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    """Strides are row-major, an empty dimension counting as 1 (PyTorch's convention)."""
    assert shapes.contiguous_strides(shape) == strides
    assert shapes.is_contiguous(shape, strides)
    assert shapes.is_contiguous(shape, None)


@pytest.mark.parametrize(
    ("shape", "strides", "expected"),
    [
        ((2, 3), (1, 2), False),
        ((2, 3), (4, 1), False),
        ((1, 3), (99, 1), True),
        ((3, 1), (1, 99), True),
        ((0, 3), (7, 7), True),
        ((3,), (0,), False),
        ((3,), (2,), False),
    ],
)
def test_is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...], expected: bool) -> None:
    """Strides of dimensions of size 1, and of empty tensors, do not matter."""
    assert shapes.is_contiguous(shape, strides) is expected


def test_broadcast_shapes_agrees_with_numpy() -> None:
    """All pairs of small shapes broadcast to NumPy's result or fail where NumPy fails."""
    small = [s for n in range(4) for s in itertools.product((0, 1, 2, 3), repeat=n)]
    for a, b in itertools.product(small, small):
        try:
            expected = np.broadcast_shapes(a, b)
        except ValueError:
            with pytest.raises(RuntimeError):
                shapes.broadcast_shapes("add", a, b)
        else:
            assert shapes.broadcast_shapes("add", a, b) == expected


def test_broadcast_shapes_of_many() -> None:
    """Any number of shapes broadcast together, none to the shape of a 0-d tensor."""
    assert shapes.broadcast_shapes("add", (2, 1), (3,), ()) == (2, 3)
    assert shapes.broadcast_shapes("add") == ()
    assert type(sg.broadcast_shapes((2,), (2,))) is sg.Size


def test_broadcast_error_names_op_sizes_and_dimension() -> None:
    """The error has PyTorch's words, and the op and both shapes."""
    message = (
        r"mul\(\): The size of tensor a \(3\) must match the size of tensor b \(4\) at non-singleton "
        r"dimension 1: shapes \[2, 3\] and \[4\] do not broadcast"
    )
    with pytest.raises(RuntimeError, match=message):
        shapes.broadcast_shapes("mul", (2, 3), (4,))
