"""Views that a custom Function returns: their gradient is the Function's own, so that a write cannot be followed."""

from typing import Any

import pytest

import specgrad as sg
from tests.examples import leaf

FORBIDDEN = "This view was created inside a custom Function"
MULTI_VIEW = "This view is the output of a function that returns multiple views"


def make(forward: Any, backward: Any = lambda ctx, *g: g[0]) -> Any:
    """The apply of a Function."""
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Made", (sg.autograd.Function,), methods).apply


def identity(ctx: Any, x: Any) -> Any:
    return x


def column(ctx: Any, x: Any) -> Any:
    return x.view(2, 1)


def of_something_new(ctx: Any, x: Any) -> Any:
    return (x * 2)[1:]


def one_of_two(ctx: Any, x: Any) -> Any:
    return x.view(2, 1), x + 1


def both(ctx: Any, x: Any) -> Any:
    y = x * 2
    return y[:1], y[1:]


def test_a_view_is_an_output_like_any_other() -> None:
    """It has the Function's gradient, and the input as its base."""
    x = leaf(1.0, 2.0)
    y = make(column, lambda ctx, g: g.view(2) * 5)(x)
    assert y._base is x and y.grad_fn.name() == "MadeBackward"
    (y * y).sum().backward()
    assert x.grad.tolist() == [10.0, 20.0]


@pytest.mark.parametrize(
    ("forward", "expected"),
    [
        (identity, FORBIDDEN),
        (column, FORBIDDEN),
        (of_something_new, FORBIDDEN),
        (one_of_two, MULTI_VIEW),
        (both, MULTI_VIEW),
    ],
)
def test_writing_to_it(forward: Any, expected: str) -> None:
    """It is forbidden, through views of it too, with PyTorch's explanation; under no_grad it is not."""
    start = leaf(1.0, 2.0) * 1
    found = make(forward)(start)
    y = found[0] if isinstance(found, tuple) else found
    for written in (y, y[0:]):
        with pytest.raises(RuntimeError, match=f"is a view and is being modified inplace. {expected}"):
            written.mul_(2)
    with sg.no_grad():
        y.mul_(2)


@pytest.mark.parametrize("forward", [identity, column])
@pytest.mark.parametrize("grad_mode", [True, False])
def test_writing_to_its_base(forward: Any, grad_mode: bool) -> None:
    """Once the memory was written to, its place in the graph is unknown: using it is an error."""
    start = leaf(1.0, 2.0) * 1
    y = make(forward)(start)
    with sg.set_grad_enabled(grad_mode):
        start[1:].mul_(2)
    with pytest.raises(RuntimeError, match=f"Output 0 of MadeBackward is a view and its base.*{FORBIDDEN}"):
        (y * 2).sum().backward()


def test_detached_is_no_view() -> None:
    """What forward returns detached may be written to; the input's memory changes with it."""
    x = leaf(1.0)
    start = x * 1
    y = make(lambda ctx, x: x.detach(), lambda ctx, g: g * 5)(start)
    y.mul_(2)
    y.backward()
    assert start.item() == 2.0 and start._version == 1 and x.grad.item() == 10.0


def test_views_outside_the_graph() -> None:
    """Where nothing is differentiated a returned input may be written to."""
    plain = sg.ones(2)
    make(identity)(plain).mul_(2)
    assert plain.tolist() == [2.0, 2.0]


def multi_views(x: Any) -> Any:
    return x.unbind()[0]


def made_outside(x: Any) -> Any:
    with sg.no_grad():
        return x[:1]


@pytest.mark.parametrize(
    ("view", "expected"), [(multi_views, MULTI_VIEW), (made_outside, "A view was created in no_grad mode")]
)
def test_changing_what_may_not_be_changed(view: Any, expected: str) -> None:
    """mark_dirty is a write as any other: views that may not be written to may not be marked dirty."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.mul_(3)

    with pytest.raises(RuntimeError, match=expected):
        make(forward, lambda ctx, g: g * 3)(view(leaf(1.0, 2.0) * 1))
