"""Forward mode through custom Functions: when `jvp` is called, with what, and what it must return."""

from typing import Any

import pytest

import specgrad as sg
from specgrad.autograd import forward_ad
from specgrad.func import jvp
from tests.examples import leaf


def dual(*values: float) -> Any:
    """A dual number whose tangent is ones."""
    return forward_ad.make_dual(sg.tensor(values, dtype=sg.float64), sg.ones(len(values), dtype=sg.float64))


def tangent(t: Any) -> Any:
    found = forward_ad.unpack_dual(t).tangent
    return None if found is None else found.tolist()


def make(forward: Any, jvp: Any = None, backward: Any = lambda ctx, *g: g[0]) -> Any:
    """The apply of a Function."""
    methods = {"forward": forward, "backward": backward, **({} if jvp is None else {"jvp": jvp})}
    return type("Made", (sg.autograd.Function,), {name: staticmethod(m) for name, m in methods.items()}).apply


class Cube(sg.autograd.Function):
    """With all rules, from saved inputs."""

    @staticmethod
    def forward(x: Any) -> Any:
        return x**3

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 3 * ctx.saved_tensors[0] ** 2

    @staticmethod
    def jvp(ctx: Any, t: Any) -> Any:
        return t * 3 * ctx.saved_tensors[0] ** 2


class Exp(Cube):
    """With all rules, from the saved output."""

    @staticmethod
    def forward(x: Any) -> Any:
        return x.exp()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * ctx.saved_tensors[0]

    jvp = backward


def test_what_jvp_gets() -> None:
    """A tangent for each tensor, zeros where it has none, None for anything else; forward sees plain values."""
    seen: list[Any] = []

    def forward(ctx: Any, x: Any, k: float, y: Any, i: Any) -> Any:
        seen.append((tangent(x), tangent(y), sg.is_grad_enabled(), ctx.needs_input_grad))
        ctx.save_for_forward(x, None, y)
        ctx.k = k
        return x * k * y

    def push(ctx: Any, x_t: Any, k_t: Any, y_t: Any, i_t: Any) -> Any:
        x, nothing, y = ctx.saved_tensors
        seen.append((x_t.tolist(), k_t, y_t.tolist(), i_t, nothing, tangent(x), sg.is_grad_enabled()))
        return ctx.k * (x_t * y + x * y_t)

    with forward_ad.dual_level():
        x = dual(3.0)
        out = make(forward, push)(x, 2.0, leaf(5.0), sg.tensor([1]))
        assert tangent(out) == [10.0] and tangent(x) == [1.0] and forward_ad.unpack_dual(out).primal.item() == 30.0
    assert seen == [
        (None, None, False, (False, False, True, False)),
        ([1.0], None, [0.0], None, None, None, True),
    ]


def test_materialize_and_saved_tensors_by_mode() -> None:
    """set_materialize_grads(False) gives None; jvp and backward see what was saved for each, and no more."""
    seen: list[Any] = []

    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.set_materialize_grads(False)
        ctx.save_for_forward(x, y)
        ctx.save_for_backward(x)
        return x * y

    def push(ctx: Any, x_t: Any, y_t: Any) -> Any:
        seen.append((y_t, len(ctx.saved_tensors)))
        return x_t * ctx.saved_tensors[1]

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(len(ctx.saved_tensors))
        return g, None

    with forward_ad.dual_level():
        y = make(forward, push, backward)(forward_ad.make_dual(leaf(3.0), sg.ones(1, dtype=sg.float64)), leaf(2.0))
        y.backward()
    assert seen == [(None, 2), 1]


def test_jvp_is_called_only_for_tangents() -> None:
    """Without a tangent among the inputs nothing is missed; with one a missing jvp is an error."""
    with forward_ad.dual_level():
        assert tangent(make(lambda ctx, x: x * 2)(leaf(1.0))) is None
        with pytest.raises(
            NotImplementedError, match="You must implement the jvp function for custom autograd.Function"
        ):
            make(lambda ctx, x: x * 2)(dual(1.0))
        with sg.no_grad():
            assert tangent(make(lambda ctx, x: x * 2, lambda ctx, t: t * 2)(dual(1.0))) == [2.0]


def two(ctx: Any, x: Any) -> Any:
    floor = x.floor()
    ctx.mark_non_differentiable(floor)
    return x * 2, floor, x.long(), "text"


def view(ctx: Any, x: Any) -> Any:
    return x[1:]


def change(ctx: Any, x: Any, *others: Any) -> Any:
    ctx.mark_dirty(x)
    return x.mul_(2)


@pytest.mark.parametrize(
    ("forward", "push", "expected"),
    [
        (two, lambda ctx, t: t, "invalid number of forward gradients (expected 4 but got 1)"),
        (
            two,
            lambda ctx, t: (t, t, None, None),
            "returned a gradient at position 1, but the corresponding forward output",
        ),
        (
            two,
            lambda ctx, t: (t, None, t, None),
            "returned a gradient at position 2, but the corresponding forward output",
        ),
        (
            two,
            lambda ctx, t: (t, None, None, t),
            "returned a gradient at position 3, but the corresponding forward output",
        ),
        (two, lambda ctx, t: (3.0, None, None, None), "expected Variable or None (got float) for grad output 0"),
        (two, lambda ctx, t: (t[1:], None, None, None), "different size than that of the original Tensor"),
        (two, lambda ctx, t: (t * 1j, None, None, None), "returned a complex tangent at position 0 for a real output"),
        (
            lambda ctx, x: x,
            lambda ctx, t: t.clone(),
            "is returning a view (or an input as-is) but the jvp is not returning",
        ),
        (
            view,
            lambda ctx, t: t[1:] * 1,
            "is returning a view (or an input as-is) but the jvp is not returning a view.",
        ),
        (view, lambda ctx, t: (t * 1)[1:], "but the jvp is not returning a view of the given grad input."),
        (
            change,
            lambda ctx, t: t * 2,
            "An inplace custom Function is not modifying the forward mode gradients inplace.",
        ),
    ],
)
def test_wrong_tangents(forward: Any, push: Any, expected: str) -> None:
    """Number, type, shape and memory of what jvp returns are checked, in PyTorch's words."""
    with forward_ad.dual_level(), pytest.raises(RuntimeError) as caught:
        make(forward, push)(dual(1.0, 2.0))
    assert expected in str(caught.value)


def test_outputs_with_and_without_tangents() -> None:
    """None is for outputs without derivative; views of an input have views of its tangent."""
    with forward_ad.dual_level():
        a, b, c, text = make(two, lambda ctx, t: (t * 2, None, None, None))(dual(1.0, 2.0))
        assert (tangent(a), tangent(b), tangent(c), text) == ([2.0, 2.0], None, None, "text")
        assert tangent(make(view, lambda ctx, t: t[1:])(dual(1.0, 2.0))) == [1.0]
        assert tangent(make(lambda ctx, x: x, lambda ctx, t: t.view_as(t))(dual(1.0, 2.0))) == [1.0, 1.0]


def test_changed_inputs() -> None:
    """A tangent changes with its primal, also those of the base of a view and of what had no tangent."""
    with forward_ad.dual_level():
        x = dual(3.0, 4.0)
        y = make(change, lambda ctx, t: t.mul_(2))(x[1:])
        assert tangent(y) == [2.0] and tangent(x) == [1.0, 2.0]
        base = sg.ones(2, dtype=sg.float64)
        part = base[1:]
        assert make(change, lambda ctx, t, u: u * 3)(part, dual(2.0)) is part
        assert tangent(part) == [3.0] and tangent(base) == [0.0, 3.0]


@pytest.mark.parametrize(("function", "expected"), [(Cube, [12.0, 12.0, 6.0]), (Exp, [7.38905609893065] * 3)])
def test_modes_in_each_other(function: Any, expected: Any) -> None:
    """Reverse over forward, forward over reverse, and forward levels in each other: the same higher derivatives."""
    x, one = leaf(2.0), sg.ones(1, dtype=sg.float64)
    with forward_ad.dual_level():
        d = forward_ad.make_dual(x, one)
        out = function.apply(d)
        first = forward_ad.unpack_dual(out).tangent
        assert first.item() == pytest.approx(expected[0])
        assert sg.autograd.grad(first, x, retain_graph=True)[0].item() == pytest.approx(expected[1])
        for create in (False, True):
            (g,) = sg.autograd.grad(out, d, retain_graph=True, create_graph=create)
            assert tangent(g) == pytest.approx([expected[1]])

    def along(f: Any) -> Any:
        return lambda v: jvp(f, (v,), (one,))[1]

    third = along(along(along(function.apply)))
    assert third(sg.tensor([2.0], dtype=sg.float64)).item() == pytest.approx(expected[2])
    assert sg.autograd.gradcheck(function.apply, x, check_forward_ad=True)
