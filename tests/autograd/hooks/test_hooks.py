"""Hooks on tensors and on nodes: what they see, in which order they run. Every rule holds for PyTorch too."""

from typing import Any

import pytest


def leaf(lib: Any, *values: float) -> Any:
    """A float64 vector that requires grad."""
    return lib.tensor(values, dtype=lib.float64, requires_grad=True)


def test_hook_on_a_leaf(lib: Any) -> None:
    """A leaf's hook sees each gradient and may replace it before it is added."""
    x = leaf(lib, 1.0, 2.0)
    seen = []
    x.register_hook(lambda g: seen.append(g.tolist()))
    x.register_hook(lambda g: g * 10)
    (x * 3).sum().backward()
    assert seen == [[3.0, 3.0]]
    assert x.grad.tolist() == [30.0, 30.0]


def test_leaf_hook_sees_the_sum(lib: Any) -> None:
    """Uses of a leaf in one backward reach its hook as one gradient."""
    x = leaf(lib, 2.0)
    seen = []
    x.register_hook(lambda g: seen.append(g.item()))
    (x * 3 + x * 4).backward()
    assert seen == [7.0]


@pytest.mark.parametrize("rows", [(), (2,), (2, 5)])
@pytest.mark.parametrize("of_node", [False, True])
def test_hooks_of_a_linear_layer(lib: Any, rows: tuple[int, ...], of_node: bool) -> None:
    """From the last layer to the first, the bias before the weight, whose gradient takes one node more in PyTorch."""
    model = lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.ReLU(), lib.nn.Linear(4, 2))
    order = []
    for name, parameter in model.named_parameters():
        parameter.register_hook(lambda grad, name=name: order.append(name))
    y = model(lib.ones(*rows, 3))
    if of_node:
        y.grad_fn.register_hook(lambda *_: order.append("node"))
    y.sum().backward()
    backwards = ["2.bias", "2.weight", "0.bias", "0.weight"]
    assert [name for name in order if name != "node"] == backwards and ("node" in order) is of_node


def test_hooks_of_one_node_run_in_the_order_of_its_inputs(lib: Any) -> None:
    """Those of a convolution first for the weight, of a product for the first factor; a leaf twice in it comes once."""
    order = []
    convolution = lib.nn.Conv1d(2, 3, 2)
    named = [*convolution.named_parameters(), ("x", leaf(lib, 1.0)), ("y", leaf(lib, 2.0))]
    for name, parameter in named:
        parameter.register_hook(lambda grad, name=name: order.append(name))
    convolution(lib.ones(1, 2, 4)).sum().backward()
    assert order == ["weight", "bias"]
    x, y = named[2][1], named[3][1]
    for product, expected in ((x * y, ["x", "y"]), (y * x, ["y", "x"]), (x * x, ["x"])):
        order.clear()
        product.sum().backward()
        assert order == expected


def test_leaf_hook_runs_as_soon_as_its_gradient_is_complete(lib: Any) -> None:
    """A leaf that only the newest node used is done before older nodes run: an optimizer may step there."""
    x, w = leaf(lib, 2.0), leaf(lib, 3.0)
    order = []
    y = x * 2
    y.grad_fn.register_hook(lambda *_: order.append("older node"))
    w.register_post_accumulate_grad_hook(lambda t: order.append("w"))
    (y * w).backward()
    assert order == ["w", "older node"]


def test_leaf_hook_when_a_contribution_is_missing(lib: Any) -> None:
    """A branch that hands no gradient on does not keep a leaf's hook from running."""
    x = leaf(lib, 2.0)
    seen = []
    x.register_hook(lambda g: seen.append(g.item()))

    class Stop(lib.autograd.Function):
        forward = staticmethod(lambda ctx, t: t * 1)
        backward = staticmethod(lambda ctx, g: None)

    (Stop.apply(x) * 3 + Stop.apply(x * 1) + x * 5).backward()
    assert seen == [5.0] and x.grad.item() == 5.0


def test_hook_on_an_intermediate(lib: Any) -> None:
    """A non-leaf's hook changes what flows on to older nodes."""
    x = leaf(lib, 2.0)
    y = x * 3
    y.register_hook(lambda g: g + 1)
    (y * 5).backward()
    assert x.grad.item() == 18.0


def test_hook_of_one_output(lib: Any) -> None:
    """A hook on one output of several sees and changes only that one's gradient."""
    x = leaf(lib, 1.0, 2.0)
    a, b = x.unbind()
    b.register_hook(lambda g: g * 100)
    (a * 3 + b * 5).backward()
    assert x.grad.tolist() == [3.0, 500.0]


def test_order_of_hooks(lib: Any) -> None:
    """Tensor hooks in order of registration, then node pre-hooks, then the node, then its post-hooks."""
    x = leaf(lib, 1.0)
    y = x * 2
    order: list[str] = []
    y.grad_fn.register_hook(lambda gi, go: order.append("post"))
    y.grad_fn.register_prehook(lambda go: order.append("pre"))
    y.register_hook(lambda g: order.append("first"))
    y.register_hook(lambda g: order.append("second"))
    x.register_hook(lambda g: order.append("leaf"))
    x.register_post_accumulate_grad_hook(lambda t: order.append("accumulated"))
    y.backward()
    assert order == ["first", "second", "pre", "post", "leaf", "accumulated"]


def test_node_hooks_replace(lib: Any) -> None:
    """A pre-hook's tuple replaces the output gradients, a post-hook's the input gradients."""
    x = leaf(lib, 1.0)
    y = x * 2
    seen: list[Any] = []
    y.grad_fn.register_prehook(lambda go: (go[0] * 10,))

    def post(grad_inputs: Any, grad_outputs: Any) -> Any:
        seen.append((grad_inputs[0].item(), grad_outputs[0].item()))
        return tuple(g and g + 0.5 for g in grad_inputs)

    y.grad_fn.register_hook(post)
    y.backward()
    assert seen == [(20.0, 10.0)]
    assert x.grad.item() == 20.5


def test_removed_hook_does_not_run(lib: Any) -> None:
    """remove() takes a hook away, twice without harm; a handle is a context manager too."""
    x = leaf(lib, 1.0)
    handle = x.register_hook(lambda g: g * 100)
    handle.remove()
    handle.remove()
    with x.register_hook(lambda g: g * 7):
        (x * 1).backward()
    (x * 1).backward()
    assert x.grad.item() == 8.0


def test_post_accumulate_hook(lib: Any) -> None:
    """The hook finds .grad complete and may take it, as an optimizer that runs inside backward does."""
    x = leaf(lib, 1.0, 2.0)

    def step(parameter: Any) -> None:
        with lib.no_grad():
            parameter -= 0.1 * parameter.grad
        parameter.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * 5 + x * 5).sum().backward()
    assert x.grad is None
    assert x.tolist() == pytest.approx([0.0, 1.0])


def test_hook_of_wrong_shape(lib: Any) -> None:
    """A hook must return a gradient of the same shape."""
    x = leaf(lib, 1.0, 2.0)
    x.register_hook(lambda g: g.sum())
    with pytest.raises(RuntimeError, match="shape|size"):
        (x * 2).sum().backward()


def test_hooks_need_grad(lib: Any) -> None:
    """Hooks on tensors without gradient, and accumulation hooks on non-leaves, are refused."""
    with pytest.raises(RuntimeError, match="doesn't require grad"):
        lib.ones(1).register_hook(print)
    with pytest.raises(RuntimeError, match="leaf"):
        (leaf(lib, 1.0) * 2).register_post_accumulate_grad_hook(print)
    with pytest.raises(RuntimeError, match="requires_grad"):
        lib.ones(1).retain_grad()


def test_retain_grad(lib: Any) -> None:
    """retain_grad keeps a non-leaf's gradient, once however often it is called; on a leaf it does nothing."""
    x = leaf(lib, 2.0)
    y = x * 3
    y.retain_grad()
    y.retain_grad()
    x.retain_grad()
    (y * y).backward(retain_graph=True)
    assert y.grad.item() == 12.0 and y.retains_grad and not x.retains_grad
    y.register_hook(lambda g: g * 2)
    (y * 1).backward()
    assert y.grad.item() == 14.0


def test_retained_grad_is_what_hooks_made_of_it(lib: Any) -> None:
    """retain_grad keeps the gradient after all hooks of the tensor, whenever they were registered."""
    x = leaf(lib, 2.0)
    y = x * 3
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    y.backward()
    assert y.grad.item() == 2.0
    assert x.grad.item() == 6.0


def test_hooks_run_for_autograd_grad(lib: Any) -> None:
    """autograd.grad runs hooks too, and gives what they return."""
    x = leaf(lib, 2.0)
    y = x * 3
    y.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    assert [g.item() for g in lib.autograd.grad(y, x, retain_graph=True)] == [31.0]
    assert [g.item() for g in lib.autograd.grad(y, y)] == [10.0]


def test_hook_under_create_graph(lib: Any) -> None:
    """What a hook computes is recorded when the gradients are."""
    x = leaf(lib, 3.0)
    y = x * x
    y.register_hook(lambda g: g * x)
    (first,) = lib.autograd.grad(y, x, create_graph=True)
    assert first.item() == 18.0
    assert lib.autograd.grad(first, x)[0].item() == 12.0


def test_exception_in_a_hook(lib: Any) -> None:
    """An exception in a hook reaches the caller, and the grad mode is as it was."""
    x = leaf(lib, 1.0)
    y = x * 2
    y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        y.backward()
    assert lib.is_grad_enabled()
    (x * 2).backward()
    assert x.grad.item() == 2.0


def test_next_functions_walk(lib: Any) -> None:
    """grad_fn and next_functions show the graph; a leaf is an AccumulateGrad with its variable."""
    x = leaf(lib, 1.0)
    y = (x * 2).exp()
    assert type(y.grad_fn).__name__ == y.grad_fn.name() == "ExpBackward0"
    below = y.grad_fn.next_functions[0][0]
    assert below.name() == "MulBackward0"
    end, number = below.next_functions[0]
    assert type(end).__name__ == "AccumulateGrad" and end.variable is x and number == 0
    assert below.next_functions[1] == (None, 0)
