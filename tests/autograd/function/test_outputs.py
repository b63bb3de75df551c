"""What a custom Function may return: inputs as they are, changed inputs, outputs without gradient, anything else."""

from typing import Any

import pytest

import specgrad as sg
from tests.examples import leaf


def make(forward: Any, backward: Any = None) -> Any:
    """The apply of a Function."""
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward or (lambda ctx, *g: g[0]))}
    return type("Made", (sg.autograd.Function,), methods).apply


def triple(ctx: Any, x: Any, *others: Any) -> Any:
    """A forward that writes to its input."""
    x.mul_(3)
    ctx.mark_dirty(x)
    return (x, *others) if others else x


def test_an_input_as_it_is() -> None:
    """It becomes a view of the input with the Function's node; the input stays what it was."""
    x = leaf(1.0, 2.0)
    y = make(lambda ctx, t: t, lambda ctx, g: g * 10)(x)
    assert y is not x and y._base is x and y.data_ptr() == x.data_ptr()
    assert y.grad_fn.name() == "MadeBackward" and x.is_leaf
    y.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]


@pytest.mark.parametrize("grad_mode", [True, False])
def test_an_input_without_a_graph(grad_mode: bool) -> None:
    """Where nothing is recorded the output is another tensor all the same, and does not require grad."""
    identity = make(lambda ctx, t: t)
    plain, x = sg.ones(2), leaf(1.0)
    with sg.set_grad_enabled(grad_mode):
        y = identity(plain)
        assert y is not plain and y._base is plain and not y.requires_grad
    with sg.no_grad():
        y = identity(x)
        assert y is not x and not y.requires_grad and x.requires_grad


def test_inputs_returned_twice_and_crosswise() -> None:
    """Each output has the gradient of its own place, whichever input it is."""
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    a, b = make(lambda ctx, t: (t, t), lambda ctx, g, h: g * 10 + h)(x)
    (a.sum() + b.sum()).backward()
    assert a is not b and x.grad.tolist() == [11.0, 11.0]
    x.grad = None
    p, q = make(lambda ctx, s, t: (t, s), lambda ctx, g, h: (h * 2, g * 3))(x, y)
    (p * 5 + q * 7).sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([14.0, 14.0], [15.0, 15.0])


def test_an_input_that_requires_no_grad() -> None:
    """Returned next to one that does, it becomes an output that requires grad, and itself does not."""
    x, plain = leaf(1.0, 2.0), sg.ones(2, dtype=sg.float64)
    y = make(lambda ctx, s, t: t, lambda ctx, g: (g * 10, g * 3))(x, plain)
    y.sum().backward()
    assert y is not plain and y.requires_grad and not plain.requires_grad
    assert x.grad.tolist() == [10.0, 10.0]


def test_the_same_output_twice() -> None:
    """One tensor in two places has the gradient of the last."""
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        return y, y

    def backward(ctx: Any, g: Any, h: Any) -> Any:
        seen.append((g.item(), h.item()))
        return g + h * 10

    x = leaf(1.0)
    a, b = make(forward, backward)(x)
    (a + 3 * b).backward()
    assert a is b and seen == [(0.0, 4.0)] and x.grad.item() == 40.0


def test_marked_as_non_differentiable() -> None:
    """An output so marked requires no grad; an input or a changed input so marked is given back outside the graph."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_non_differentiable(x)
        return x

    def changed(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        ctx.mark_non_differentiable(x)
        return x.mul_(2)

    x = leaf(1.0)
    y = make(forward)(x)
    assert y is not x and not y.requires_grad and x.requires_grad
    z = make(changed)(x * 1)
    assert z.grad_fn is None and not z.requires_grad and z.item() == 2.0


def test_outputs_recorded_inside_forward() -> None:
    """What forward recorded does not reach the caller: the gradient is backward's alone."""

    def forward(ctx: Any, x: Any) -> Any:
        with sg.enable_grad():
            return x * 2

    x = leaf(1.0)
    double = make(forward, lambda ctx, g: g * 5)
    double(x).backward()
    assert x.grad.item() == 5.0
    with sg.no_grad():
        assert not double(x).requires_grad
    other = leaf(5.0)
    y = make(lambda ctx, x: other * 2, lambda ctx, g: g * 7)(x)
    y.backward()
    assert x.grad.item() == 12.0 and other.grad is None


@pytest.mark.parametrize("value", ["text", 3.0, None, (), [1, 2], {"a": 1}])
def test_outputs_that_are_no_tensors_alone(value: Any) -> None:
    """Any object is handed through, a list as a list; there is nothing to differentiate then."""
    assert make(lambda ctx, x: value)(leaf(1.0)) == value
    assert make(lambda ctx, x: value)(sg.ones(1)) == value


def test_one_output_in_a_tuple() -> None:
    """A tuple of one stays one."""
    result = make(lambda ctx, x: (x * 2,))(leaf(1.0))
    assert isinstance(result, tuple) and len(result) == 1 and result[0].requires_grad


def test_changed_input_and_its_views() -> None:
    """Writing to a base rewrites its views; writing to a view, wherever it stands among the arguments, its base."""
    x = leaf(1.0, 2.0, 4.0)
    y = x * 1
    view = y[1:]
    make(triple, lambda ctx, g: g * 3)(y)
    (view * view).sum().backward()
    assert x.grad.tolist() == [0.0, 36.0, 72.0]

    def scale(ctx: Any, w: Any, v: Any) -> Any:
        ctx.save_for_backward(w, v.clone())
        ctx.mark_dirty(v)
        return v.mul_(w)

    def backward(ctx: Any, g: Any) -> Any:
        w, v = ctx.saved_tensors
        return (g * v).sum().reshape(1), g * w

    x.grad, w = None, leaf(3.0)
    y = x * 1
    z = make(scale, backward)(w, y[1:])
    (y * y).sum().backward()
    assert z.grad_fn.name() == "AsStridedBackward0" and y.grad_fn.name() == "CopySlices"
    assert x.grad.tolist() == [2.0, 36.0, 72.0] and w.grad.item() == 2 * 3 * (2.0**2 + 4.0**2)


def test_changed_view_next_to_another_output() -> None:
    """Several outputs, one of them a view that was written to."""
    x, w = leaf(1.0, 2.0), leaf(5.0)
    y = x * 1
    _, u = make(triple, lambda ctx, g, h: (g * 3, h * 2))(y[1:], w)
    (y.sum() + u.sum()).backward()
    assert x.grad.tolist() == [1.0, 3.0] and w.grad.item() == 2.0


def test_changed_input_that_required_no_grad() -> None:
    """It requires grad afterwards, as the result of any in-place op would; an integer one does not."""
    x, plain = leaf(1.0), sg.ones(1, dtype=sg.float64)

    def add(ctx: Any, s: Any, t: Any) -> Any:
        ctx.mark_dirty(t)
        return t.add_(s)

    z = make(add, lambda ctx, g: (g, g))(x, plain)
    z.backward()
    assert z is plain and plain.requires_grad and x.grad.item() == 1.0

    def count(ctx: Any, s: Any, i: Any) -> Any:
        ctx.mark_dirty(i)
        return s * 2, i.add_(1)

    number = sg.tensor([1])
    _, same = make(count, lambda ctx, g, h: (g * 2, None))(x, number)
    assert same is number and number.item() == 2 and not number.requires_grad


def test_mark_dirty_counts_as_a_write() -> None:
    """The version goes up whether or not forward wrote through an op; the last call of mark_dirty counts."""

    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.mark_dirty(x)
        ctx.mark_dirty(y)
        return x, y

    x = leaf(1.0)
    a, b = x * 1, x * 1
    p, q = make(forward, lambda ctx, g, h: (g, h))(a, b)
    assert (p is a, q is b) == (False, True)
    assert (a._version, b._version) == (0, 1)


def test_saving_a_changed_input() -> None:
    """save_for_backward keeps the new value, at the new version."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.mark_dirty(x)
        return x.mul_(2)

    x = leaf(3.0)
    make(forward, lambda ctx, g: g * ctx.saved_tensors[0])(x * 1).backward()
    assert x.grad.item() == 6.0
