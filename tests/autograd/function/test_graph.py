"""Custom Functions and the graph: saved inputs and outputs, second order, writes, backwards that call Functions."""

from typing import Any

import pytest

import specgrad as sg
from tests.examples import Exp, leaf


def make(backward: Any, forward: Any = lambda ctx, x: x * 2) -> Any:
    """The apply of a Function of one argument."""
    return type(
        "Made", (sg.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    ).apply


class Cube(sg.autograd.Function):
    """Saves its input."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 3 * ctx.saved_tensors[0] ** 2


@pytest.mark.parametrize("function", [Exp, Cube])
def test_double_backward(function: Any) -> None:
    """Second and third derivatives go through saved outputs and saved inputs."""
    x = leaf(0.5, -1.0)
    assert sg.autograd.gradcheck(function.apply, x)
    assert sg.autograd.gradgradcheck(function.apply, x)
    y = function.apply(x).sum()
    for _ in range(3):
        (y,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    assert y.tolist() == pytest.approx(x.exp().tolist() if function is Exp else [6.0, 6.0])


def test_freed_saved_tensors() -> None:
    """A second backward is an error that names retain_graph, as for any node."""
    y = Cube.apply(leaf(1.0))
    y.backward()
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        y.backward()


def test_saved_tensor_modified() -> None:
    """A saved tensor that was changed in place since is noticed."""
    x = leaf(1.0) * 1
    y = Cube.apply(x)
    x.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_mark_dirty() -> None:
    """An input changed in place is returned as itself, with a new history and version."""

    def forward(ctx: Any, x: Any) -> Any:
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    triple = make(lambda ctx, g: g * 3, forward)
    x = leaf(1.0, 2.0)
    y = x * 1
    version = y._version
    z = triple(y)
    assert z is y and y._version > version and y.grad_fn.name() == "MadeBackward"
    (y * y).sum().backward()
    assert x.grad.tolist() == [18.0, 36.0]


def test_mark_dirty_on_a_view() -> None:
    """Writing through a view in a Function becomes part of the base's history."""

    def forward(ctx: Any, x: Any) -> Any:
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    triple = make(lambda ctx, g: g * 3, forward)
    x = leaf(1.0, 2.0, 4.0)
    y = x * 1
    triple(y[1:])
    (y * y).sum().backward()
    assert y.tolist() == [1.0, 6.0, 12.0]
    assert x.grad.tolist() == [2.0, 36.0, 72.0]


def test_once_differentiable() -> None:
    """First derivatives work; the second is an error instead of a wrong number."""

    class Square(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @sg.autograd.function.once_differentiable
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2 * ctx.saved_tensors[0]

    x = leaf(3.0)
    Square.apply(x).backward()
    assert x.grad.item() == 6.0
    (g,) = sg.autograd.grad(Square.apply(x) ** 2, x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        g.backward()


def test_not_differentiable_twice_silently() -> None:
    """A second derivative sees what backward did with its arguments, also constants: here it is zero."""
    x = leaf(3.0)
    apply = make(lambda ctx, g: g * 5)
    (g,) = sg.autograd.grad(apply(x), x, create_graph=True)
    assert not g.requires_grad or sg.autograd.grad(g, x, allow_unused=True)[0] is None


def test_function_within_function() -> None:
    """A Function's backward may call other Functions."""
    outer = make(lambda ctx, g: g * Cube.apply(ctx.x), lambda ctx, x: setattr(ctx, "x", x.detach()) or x * 1)
    x = leaf(2.0)
    outer(x).backward()
    assert x.grad.item() == 8.0
