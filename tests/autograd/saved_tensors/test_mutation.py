"""Writing to saved tensors where it is allowed: what was saved keeps its value. So is PyTorch."""

from collections.abc import Callable
from typing import Any

import pytest


def leaf(lib: Any) -> Any:
    """A float32 vector that requires grad."""
    return lib.tensor([1.0, 2.0], requires_grad=True)


def within(lib: Any, program: Callable[[Any, Any], Any]) -> list[float]:
    """The gradient of a leaf after a program that may write to what it has saved."""
    with lib.autograd.graph.allow_mutation_on_saved_tensors():
        x = leaf(lib)
        program(lib, x).backward()
    return x.grad.tolist()


def saved_input(lib: Any, x: Any) -> Any:
    """An input of pow, written to by sin_."""
    y = x.clone()
    z = (y**2).sum()
    y.sin_()
    return z


def through_a_view(lib: Any, x: Any) -> Any:
    """The base is saved, a view written to, the base saved again and written to again."""
    y = x.clone()
    first = (y**2).sum()
    y[0].mul_(10)
    second = (y**2).sum()
    y.mul_(2)
    return first + second


def saved_output(lib: Any, x: Any) -> Any:
    """exp saves its output."""
    z = x.exp()
    retained = z * 1
    z.mul_(2)
    return retained.sum() + z.sum()


def without_recording(lib: Any, x: Any) -> Any:
    """A write under no_grad."""
    z = x.exp()
    with lib.no_grad():
        z.zero_()
    return z.sum()


def in_all_ways(lib: Any, x: Any) -> Any:
    """Item assignment, out=, .data, random numbers and a transposition in place."""
    w = lib.ones(2)
    z = (x * w).sum()
    w[0] = 100.0
    lib.add(w, w, out=w)
    w.data.mul_(3)
    w.uniform_(5, 6)
    m = lib.ones(2, 3)
    z = z + (x @ m).sum()
    m.t_()
    m.fill_(7)
    return z


def a_leaf(lib: Any, x: Any) -> Any:
    """The leaf itself."""
    z = (x * x).sum()
    with lib.no_grad():
        x.mul_(3)
    return z


def by_an_optimizer(lib: Any, x: Any) -> Any:
    """A step between forward and backward."""
    x.grad = lib.ones(2)
    z = (x * x).sum()
    lib.optim.SGD([x], lr=0.5).step()
    x.grad = None
    return z


def in_a_loop(lib: Any, x: Any) -> Any:
    """Values that replace one another in the same memory: x**8."""
    y = x.clone()
    for _ in range(3):
        y.mul_(y.clone())
    return y.sum()


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (saved_input, [2.0, 4.0]),
        (through_a_view, [202.0, 8.0]),
        (saved_output, [3 * 2.718281828, 3 * 7.389056099]),
        (without_recording, [2.718281828, 7.389056099]),
        (in_all_ways, [4.0, 4.0]),
        (a_leaf, [2.0, 4.0]),
        (by_an_optimizer, [2.0, 4.0]),
        (in_a_loop, [8.0, 8 * 2.0**7]),
    ],
)
def test_gradients_are_those_of_the_old_values(lib: Any, program: Any, expected: list[float]) -> None:
    """Outside, each of these programs is an error, or wrong where nothing is checked."""
    assert within(lib, program) == pytest.approx(expected)


def test_custom_functions_and_second_derivatives(lib: Any) -> None:
    """What save_for_backward kept is protected too, and so are graphs of gradients."""

    class Square(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, t: Any) -> Any:
            ctx.save_for_backward(t)
            return t * t

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return 2 * grad * ctx.saved_tensors[0]

    with lib.autograd.graph.allow_mutation_on_saved_tensors():
        x = leaf(lib)
        y = x.clone()
        z = Square.apply(y).sum()
        y.sin_()
        (first,) = lib.autograd.grad(z, x, create_graph=True)
        assert first.tolist() == [2.0, 4.0]
        assert lib.autograd.grad(first.sum(), x)[0].tolist() == [2.0, 2.0]


def test_copied_only_when_written_to(lib: Any) -> None:
    """Until then what is saved shares the memory of the tensor, and other tensors are never copied."""
    with lib.autograd.graph.allow_mutation_on_saved_tensors():
        x = leaf(lib)
        y, other = x.clone(), x.clone()
        z = y * other
        y.mul_(2)
        assert z.grad_fn._saved_self.data_ptr() != y.data_ptr()
        assert z.grad_fn._saved_other.data_ptr() == other.data_ptr()
        assert z.grad_fn._saved_self.tolist() == [1.0, 2.0]


def test_backward_outside(lib: Any) -> None:
    """A graph recorded inside can only be run inside."""
    x = leaf(lib)
    with lib.autograd.graph.allow_mutation_on_saved_tensors():
        z = (x**2).sum()
    with pytest.raises(AssertionError, match="backward outside of the 'allow_mutation_on_saved_tensors' context"):
        z.backward()


def test_saved_before(lib: Any) -> None:
    """What was saved outside is not protected."""
    y = leaf(lib).clone()
    z = (y**2).sum()
    with lib.autograd.graph.allow_mutation_on_saved_tensors():
        y.sin_()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            z.backward()


def test_blocks_do_not_nest(lib: Any) -> None:
    """A second block inside is refused; one after the other is fine."""
    allow = lib.autograd.graph.allow_mutation_on_saved_tensors
    with allow(), pytest.raises(RuntimeError, match="contexts cannot be nested"), allow():
        pass
    assert within(lib, saved_input) == [2.0, 4.0]
