"""Custom Functions and memory: no reference cycles, nothing kept for longer than it is needed."""

import weakref
from typing import Any

import pytest

import specgrad as sg

pytestmark = pytest.mark.usefixtures("no_collector")


def leaf() -> Any:
    return sg.tensor([1.0, 2.0], dtype=sg.float64, requires_grad=True)


def saves_both(ctx: Any, x: Any) -> Any:
    y = x * 2
    ctx.save_for_backward(x, y)
    ctx.save_for_forward(x, y)
    ctx.note = "mine"
    return y


def returns_its_input(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x


def changes_its_input(ctx: Any, x: Any) -> Any:
    x.mul_(2)
    ctx.mark_dirty(x)
    ctx.save_for_backward(x)
    return x


def has_others(ctx: Any, x: Any) -> Any:
    y, z = x * 2, x * 3
    ctx.mark_non_differentiable(z)
    ctx.save_for_backward(y, z)
    return y, z


FORWARDS = [saves_both, returns_its_input, changes_its_input, has_others]


def make(forward: Any) -> Any:
    methods = {
        "forward": staticmethod(forward),
        "backward": staticmethod(lambda ctx, *g: g[0] * ctx.saved_tensors[0]),
        "jvp": staticmethod(lambda ctx, t: t * 2),
    }
    return type("Made", (sg.autograd.Function,), methods).apply


@pytest.mark.parametrize("forward", FORWARDS)
def test_dropped_before_backward(forward: Any) -> None:
    """Inputs, outputs and node are gone as soon as the caller has let go of the outputs."""
    x = leaf() * 1
    outputs = make(forward)(x)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    references = [weakref.ref(x), *map(weakref.ref, outputs), weakref.ref(outputs[0].grad_fn)]
    del x, outputs
    assert [r() for r in references] == [None] * len(references)


@pytest.mark.parametrize("forward", FORWARDS)
def test_dropped_after_double_backward(forward: Any) -> None:
    """So are they after a recorded backward, whose graph holds them no longer than it lives itself."""
    x = leaf()
    start = x * 1
    outputs = make(forward)(start)
    first = outputs[0] if isinstance(outputs, tuple) else outputs
    (g,) = sg.autograd.grad((first * first).sum(), x, create_graph=True)
    references = [weakref.ref(t) for t in (start, first, first.grad_fn, g)]
    del start, outputs, first, g
    assert [r() for r in references] == [None] * 4


def test_saved_tensors_are_freed_by_backward() -> None:
    """Backward frees what was saved; the user's own attributes stay."""
    x = leaf() * 1
    y = make(saves_both)(x)
    node, saved = y.grad_fn, weakref.ref(x)
    assert len(node.saved_tensors) == len(node._raw_saved_tensors) == 2
    y.sum().backward()
    del x
    assert saved() is None
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        node.saved_tensors  # noqa: B018
    assert node.note == "mine"


def test_dropped_after_forward_mode() -> None:
    """Tangents and what jvp reads are not kept either."""
    with sg.autograd.forward_ad.dual_level():
        x = sg.autograd.forward_ad.make_dual(leaf(), sg.ones(2, dtype=sg.float64))
        y = make(saves_both)(x)
        references = [weakref.ref(t) for t in (x, y, sg.autograd.forward_ad.unpack_dual(y).tangent)]
        del x, y
        assert [r() for r in references] == [None] * 3


def test_nothing_is_kept_where_nothing_is_recorded() -> None:
    """Under no_grad what forward wanted to save is dropped at once, also when ctx is kept."""
    retained = []

    def forward(ctx: Any, x: Any) -> Any:
        retained.append(ctx)
        return saves_both(ctx, x)

    with sg.no_grad():
        y = make(forward)(leaf())
    reference = weakref.ref(y)
    del y
    assert reference() is None and retained[0].saved_tensors == ()


def test_ctx_outlives_its_node() -> None:
    """A ctx that somebody keeps can still be read when the outputs are gone."""
    retained = []

    def forward(ctx: Any, x: Any) -> Any:
        retained.append(ctx)
        return saves_both(ctx, x)

    make(forward)(leaf())
    assert [t.tolist() for t in retained[0].saved_tensors] == [[1.0, 2.0], [2.0, 4.0]]


def test_dropped_after_vmap() -> None:
    """A call by a generated rule keeps no more than any other call, with attributes on ctx and after backward too."""

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs, output)
        ctx.x = inputs[0]

    methods = {
        "forward": staticmethod(lambda x: x.exp()),
        "setup_context": staticmethod(setup),
        "backward": staticmethod(lambda ctx, g: g * ctx.saved_tensors[1] + ctx.x * 0),
    }
    function = type("Made", (sg.autograd.Function,), {**methods, "generate_vmap_rule": True})
    x = leaf()
    start = x * 1
    y = sg.vmap(function.apply)(start)
    (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    references = [weakref.ref(t) for t in (start, y, y.grad_fn, y.grad_fn.ctx, g)]
    del start, y, g
    assert [r() for r in references] == [None] * 5
