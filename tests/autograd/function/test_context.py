"""What custom Functions read from ctx and grad_fn: arguments, needs_input_grad, saved tensors, the graph."""

from typing import Any

import pytest

import specgrad as sg
from specgrad.autograd.function import BackwardCFunction, FunctionCtx, InplaceFunction
from tests.examples import leaf


def make(forward: Any, backward: Any = lambda ctx, *g: g[0], **methods: Any) -> Any:
    """A Function of these static methods."""
    named = {"forward": forward, "backward": backward, **methods}
    return type("Made", (sg.autograd.Function,), {name: staticmethod(m) for name, m in named.items()})


def test_setup_context_sees_all_arguments() -> None:
    """Defaults and keywords too, in forward's order, and gradients are wanted for all of them; nothing is recorded."""
    seen: list[Any] = []

    def forward(x: Any, k: float = 3.0, *, scale: float = 1.0) -> Any:
        return x * k * scale

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        seen.append((inputs[0] is x, inputs[1:], output.requires_grad, sg.is_grad_enabled()))
        ctx.k = inputs[1]

    x = leaf(1.0)
    function = make(forward, lambda ctx, g: (g * ctx.k, None), setup_context=setup)
    for y in (function.apply(x), function.apply(x, 4.0), function.apply(x, k=5.0), function.apply(k=6.0, x=x)):
        y.backward()
    assert seen == [(True, (k,), False, False) for k in (3.0, 4.0, 5.0, 6.0)] and x.grad.item() == 18.0
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'scale'"):
        function.apply(x, scale=2.0)
    short = make(forward, lambda ctx, g: g, setup_context=setup)
    with pytest.raises(RuntimeError, match=r"incorrect number of gradients \(expected 2, got 1\)"):
        short.apply(x).backward()
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        function.apply()


def test_keywords_with_ctx() -> None:
    """Arguments by name are arguments like others, and have gradients; defaults count only next to them."""
    x, w = leaf(1.0), leaf(3.0)
    function = make(lambda ctx, x, w=None: x * 2 if w is None else x * w, lambda ctx, g: (g * 5, g * 7))
    function.apply(x, w=w).backward()
    assert (x.grad.item(), w.grad.item()) == (5.0, 7.0)
    with pytest.raises(RuntimeError, match=r"incorrect number of gradients \(expected 1, got 2\)"):
        function.apply(x).backward()


def test_needs_input_grad() -> None:
    """One entry for each argument, False for lists of tensors; the same in backward, whatever is asked for."""
    seen: list[Any] = []

    def forward(ctx: Any, a: Any, k: Any, b: Any, c: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return a * c

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return g, None, None, g

    a, c = leaf(1.0), leaf(2.0)
    y = make(forward, backward).apply(a, [leaf(3.0)], sg.ones(1), c)
    y.backward(inputs=[a], retain_graph=True)
    sg.autograd.grad(y, c)
    assert seen == [(True, False, False, True)] * 3
    assert c.grad is None and a.grad.item() == 1.0


def test_saved_tensors() -> None:
    """Inputs are the very tensors, outputs have their place in the graph, and both can be read as often as wanted."""
    seen: list[Any] = []

    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        ctx.save_for_backward(x, None, y, x * 3)
        assert ctx.saved_tensors == () and ctx.to_save[0] is x
        return y

    def backward(ctx: Any, g: Any) -> Any:
        for _ in range(2):
            x, nothing, y, other = ctx.saved_tensors
            seen.append((x is start, nothing, y.grad_fn is out.grad_fn, y.requires_grad, other.requires_grad))
        return g

    start = leaf(1.0) * 1
    out = make(forward, backward).apply(start)
    out.backward()
    assert seen == [(True, None, True, True, False)] * 2


def test_the_last_call_counts() -> None:
    """save_for_backward called twice keeps what the second call says."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.save_for_backward(x * 5)
        return x * 2

    x = leaf(1.0)
    make(forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(x).backward()
    assert x.grad.item() == 5.0


def test_grad_fn_and_ctx() -> None:
    """grad_fn shows what is on ctx, ctx what is on grad_fn, and forward's ctx is backward's."""
    seen: list[Any] = []

    def forward(ctx: Any, x: Any, k: Any, y: Any) -> Any:
        seen.append(ctx)
        ctx.save_for_backward(x)
        ctx.k = 5
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        seen.append((ctx is seen[0], ctx.foo, ctx.name(), ctx.metadata, len(ctx.next_functions)))
        return g, None, None

    function = make(forward, backward)
    y = function.apply(leaf(1.0), "text", sg.ones(1))
    node = y.grad_fn
    node.foo, node.metadata["key"] = 3, 1
    assert (node.k, node.needs_input_grad, node.saved_tensors[0].item()) == (5, (True, False, False), 1.0)
    assert isinstance(node, function._backward_cls) and isinstance(node, BackwardCFunction)
    assert node._forward_cls is function and node.name() == function._backward_cls.__name__ == "MadeBackward"
    assert [(n and n.name(), i) for n, i in node.next_functions] == [("AccumulateGrad", 0), (None, 0)]
    assert (y * 2).grad_fn._sequence_nr() == node._sequence_nr() + 1
    y.backward()
    assert isinstance(seen[0], FunctionCtx) and seen[1] == (True, 3, "MadeBackward", {"key": 1}, 2)
    with pytest.raises(AttributeError, match="has no attribute 'missing'"):
        seen[0].missing  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'missing'"):
        node.missing  # noqa: B018


def test_grad_mode_in_backward() -> None:
    """Backward is recorded only when create_graph asks for it."""
    seen = []

    def backward(ctx: Any, g: Any) -> Any:
        seen.append((sg.is_grad_enabled(), g.requires_grad))
        return g * 2

    x, apply = leaf(1.0), make(lambda ctx, x: x * 2, backward).apply
    apply(x).backward()
    sg.autograd.grad(apply(x), x, create_graph=True)
    sg.autograd.grad(apply(x) ** 2, x, create_graph=True)
    assert seen == [(False, False), (True, False), (True, True)]


def test_missing_gradients() -> None:
    """Zeros of the output's dtype stand for what is missing, None where that was said; also of a single output."""
    seen: list[Any] = []

    def forward(ctx: Any, x: Any, materialize: bool) -> Any:
        ctx.set_materialize_grads(materialize)
        return x * 1, x.long(), "text"

    def backward(ctx: Any, *grads: Any) -> Any:
        seen.append([None if g is None else (g.tolist(), g.dtype) for g in grads])
        return sg.ones(1), None

    for materialize in (True, False):
        node = make(forward, backward).apply(leaf(1.0), materialize)[0].grad_fn
        node(None, None, None)
    assert seen == [[([0.0], sg.float64), ([0], sg.int64), None], [None] * 3]
    nothing = make(lambda ctx, x: x * 1, lambda ctx, g: None).apply
    x = leaf(1.0)
    nothing(make(lambda ctx, x: x * 1, lambda ctx, g: g + 1).apply(x)).backward()
    assert x.grad.item() == 1.0


def test_saved_tensor_hooks() -> None:
    """Saved inputs and outputs of a Function pass through the hooks in order, and their place in the graph stays."""
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        ctx.save_for_backward(x, y)
        return y

    def backward(ctx: Any, g: Any) -> Any:
        x, y = ctx.saved_tensors
        return g * x * y

    x = leaf(3.0)
    with sg.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t.item()) or t.numpy(), sg.from_numpy):
        y = make(forward, backward).apply(x)
    assert seen == [3.0, 6.0] and y.grad_fn._raw_saved_tensors[1].data.tolist() == [6.0]
    (g,) = sg.autograd.grad(y, x, create_graph=True)
    assert g.item() == 18.0
    assert sg.autograd.grad(g, x)[0].item() == 6.0 + 3.0 * 18.0  # d(x y)/dx = y + x dy/dx, with dy/dx = backward's x y


def test_inplace_function_and_subclasses() -> None:
    """A Function may be derived from another, or from InplaceFunction."""

    class Double(InplaceFunction):
        @staticmethod
        def forward(ctx: Any, x: Any, inplace: bool = False) -> Any:
            if inplace:
                ctx.mark_dirty(x)
            return x.mul_(2) if inplace else x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2, None

    class Other(Double):
        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 5, None

    x = leaf(1.0)
    (Double.apply(x * 1, True) + Double.apply(x, False) + Other.apply(x)).backward()
    assert x.grad.item() == 9.0 and Other.apply(x).grad_fn.name() == "OtherBackward"
