"""Custom Functions and the graph: in-place outputs, returned inputs, saved outputs, second order, wrong backwards."""

from typing import Any

import pytest

import specgrad as sg


def leaf(*values: float) -> Any:
    """A float64 vector that requires grad."""
    return sg.tensor(values, dtype=sg.float64, requires_grad=True)


def make(backward: Any, forward: Any = lambda ctx, x: x * 2) -> Any:
    """The apply of a Function of one argument."""
    return type(
        "Made", (sg.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    ).apply


class Exp(sg.autograd.Function):
    """Saves its output."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * ctx.saved_tensors[0]


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


def test_save_for_backward_takes_tensors_only() -> None:
    """Anything else is refused with a hint of what was given."""
    apply = make(lambda ctx, g: g, lambda ctx, x: ctx.save_for_backward(x, 3) or x * 2)
    with pytest.raises(TypeError, match="save_for_backward can only save variables, but argument.*int"):
        apply(leaf(1.0))


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


def test_mark_dirty_leaf() -> None:
    """A leaf that requires grad may not be changed by a Function either."""

    def forward(ctx: Any, x: Any) -> Any:
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        make(lambda ctx, g: g * 3, forward)(leaf(1.0))


def test_returning_an_input() -> None:
    """An input returned as it is becomes a new tensor of this Function; the input keeps its own history."""
    x = leaf(1.0, 2.0)
    y = make(lambda ctx, g: g * 10, lambda ctx, t: t)(x)
    assert y is not x and x.is_leaf and y.grad_fn.name() == "MadeBackward"
    y.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]


def test_returning_a_view() -> None:
    """A view of an input is a valid output."""
    x = leaf(1.0, 2.0)
    y = make(lambda ctx, g: g.view(2), lambda ctx, t: t.view(2, 1))(x)
    (y * y).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_wrong_number_of_gradients() -> None:
    """Too few and too many gradients are errors that say how many were expected; surplus None is fine."""
    with pytest.raises(
        RuntimeError, match=r"MadeBackward returned an incorrect number of gradients.*expected 1, got 2"
    ):
        make(lambda ctx, g: (g, g))(leaf(1.0)).backward()
    make(lambda ctx, g: (g, None, None))(leaf(1.0)).backward()
    two = make(lambda ctx, g: g, lambda ctx, x, y: x * 2)
    with pytest.raises(RuntimeError, match=r"incorrect number of gradients.*expected 2, got 1"):
        two(leaf(1.0), leaf(1.0)).backward()


def test_wrong_shape_of_gradient() -> None:
    """A gradient that cannot be summed to its input's shape is an error that names both."""
    with pytest.raises(RuntimeError, match=r"invalid gradient at index 0 - got \[3\] but expected.*\[2\]"):
        make(lambda ctx, g: sg.ones(3, dtype=sg.float64))(leaf(1.0, 2.0)).sum().backward()


def test_gradient_of_broadcast_shape() -> None:
    """A gradient of a shape that the input broadcasts to is summed."""
    x = leaf(1.0, 2.0)
    make(lambda ctx, g: sg.ones(3, 2, dtype=sg.float64))(x).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_gradient_that_is_no_tensor() -> None:
    """Anything but a Tensor or None is refused."""
    with pytest.raises((TypeError, RuntimeError), match="MadeBackward.*(expected|Tensor)"):
        make(lambda ctx, g: 3.0)(leaf(1.0)).backward()


def test_missing_backward() -> None:
    """A Function without backward says so when it is needed."""

    class Half(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

    with pytest.raises(NotImplementedError, match="must implement .*backward"):
        Half.apply(leaf(1.0)).backward()


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
