"""Repeating, moving and splitting dimensions, diagonals: forms of the arguments, and what is refused."""

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg

X = sg.arange(24.0).reshape(2, 3, 4)
V = sg.tensor([1, 2])

SHAPES = [
    (lambda: X.repeat(2, 1, 1), (4, 3, 4)),
    (lambda: V.repeat((3, 2)), (3, 4)),
    (lambda: V.repeat(sg.tensor(2)), (4,)),
    (lambda: X.tile(2), (2, 3, 8)),
    (lambda: sg.tile(V, (2, 1, 1)), (2, 1, 2)),
    (lambda: V.broadcast_to(3, 2), (3, 2)),
    (lambda: X.ravel(), (24,)),
    (lambda: X.unflatten(-1, (2, -1)), (2, 3, 2, 2)),
    (lambda: sg.movedim(X, (0, 1), (-1, 0)), (3, 4, 2)),
    (lambda: V.diag(-1), (3, 3)),
    (lambda: X[0].diag(1), (3,)),
]


@pytest.mark.parametrize(("call", "shape"), SHAPES)
def test_shapes(call: Callable[[], Any], shape: tuple[int, ...]) -> None:
    """Sizes are taken loose or as a tuple, dimensions counted from either end."""
    assert tuple(call().shape) == shape


def test_repeat_copies() -> None:
    """Also where nothing is repeated, the memory is new."""
    x = sg.zeros(2, 2)
    x.repeat(1, 1).fill_(1)
    assert x.sum() == 0


def test_squeeze_of_a_method() -> None:
    """`x.squeeze()` removes all dimensions of size 1; a tuple names some."""
    x = sg.ones(1, 3, 1)
    assert [x.squeeze().shape, x.squeeze(0).shape, x.squeeze((0, 2)).shape] == [(3,), (3, 1), (3,)]
    with pytest.raises(TypeError):
        x.squeeze(0, 2)


WRONG = [
    (lambda: X.repeat(2), r"repeat\(\): number of dimensions of repeat dims \(1\)"),
    (lambda: V.repeat(-1), r"repeat\(\): .* negative dimension: got counts \[-1\]"),
    (lambda: X.unflatten(1, (2, 2)), r"unflatten\(\): provided sizes \[2, 2\] don't multiply up to .* dim 1 \(3\)"),
    (lambda: X.unflatten(1, ()), r"unflatten\(\): sizes must be non-empty"),
    (lambda: X.unflatten(1, (-1, -1)), r"unflatten\(\): expected sizes of which at most one is -1"),
    (lambda: X.movedim((0, 1), (0,)), r"movedim\(\): Invalid source or destination dims"),
    (lambda: X.diag(), r"diag\(\): Supports 1D or 2D tensors. Got 3D"),
    (lambda: V.trace(), r"trace\(\): expected a matrix, but got tensor with dim 1"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_refused(call: Callable[[], Any], message: str) -> None:
    """Errors name the op, what it expects and what came."""
    with pytest.raises(RuntimeError, match=message):
        call()


def test_broadcasting_functions() -> None:
    """The common shape of shapes and of tensors; shapes that do not broadcast are refused."""
    assert sg.broadcast_shapes((2, 1), 3, ()) == (2, 3)
    a, b = sg.broadcast_tensors(sg.ones(2, 1), sg.ones(3))
    assert a.shape == b.shape == (2, 3) and a.stride() == (1, 0)
    with pytest.raises(RuntimeError, match=r"broadcast_shapes\(\): .* shapes \[2\] and \[3\] do not broadcast"):
        sg.broadcast_shapes((2,), (3,))
