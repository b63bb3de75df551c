"""Hooks around forward and backward."""

from typing import Any

import pytest

import specgrad as sg


def _linear(lib: Any) -> Any:
    m = lib.nn.Linear(2, 1, bias=False)
    with lib.no_grad():
        m.weight.copy_(lib.tensor([[2.0, 3.0]]))
    return m


def test_forward_pre_hook(lib: Any) -> None:
    """A pre-hook sees the positional arguments and may replace them; a single value becomes the only one."""
    m = _linear(lib)
    seen: list[Any] = []
    handle = m.register_forward_pre_hook(lambda module, args: seen.append((module, len(args))))
    m.register_forward_pre_hook(lambda module, args: args[0] * 2)
    assert m(lib.ones(2)).item() == 10
    assert seen == [(m, 1)]
    handle.remove()
    m(lib.ones(2))
    assert len(seen) == 1


def test_forward_hook(lib: Any) -> None:
    """A forward hook sees arguments and output, and may replace the output."""
    m = _linear(lib)
    m.register_forward_hook(lambda module, args, output: output + args[0].sum())
    assert m(lib.ones(2)).item() == 7


def test_order_and_prepend(lib: Any) -> None:
    """Hooks run in the order of registration; prepend puts one first."""
    m = lib.nn.Identity()
    order: list[str] = []
    m.register_forward_hook(lambda *a: order.append("b"))
    m.register_forward_hook(lambda *a: order.append("a"), prepend=True)
    m.register_forward_pre_hook(lambda *a: order.append("2"))
    m.register_forward_pre_hook(lambda *a: order.append("1"), prepend=True)
    m(1)
    assert order == ["1", "2", "a", "b"]


def test_hooks_with_kwargs(lib: Any) -> None:
    """with_kwargs hooks see keyword arguments; a pre-hook may replace them."""

    class Add(lib.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, x: Any, *, y: Any) -> Any:
            return x + y

    m = Add()
    m.register_forward_pre_hook(lambda mod, args, kwargs: (args, {"y": kwargs["y"] * 10}), with_kwargs=True)
    m.register_forward_hook(lambda mod, args, kwargs, out: (out, kwargs["y"]), with_kwargs=True)
    assert m(1, y=2) == (21, 20)


def test_pre_hook_with_kwargs_must_return_a_pair(lib: Any) -> None:
    """Anything but None or a pair is an error that shows it."""
    m = lib.nn.Identity()
    m.register_forward_pre_hook(lambda mod, args, kwargs: 5, with_kwargs=True)
    with pytest.raises(RuntimeError, match=r"None or a tuple of \(new_args, new_kwargs\), but got 5"):
        m(1)


def test_always_called_hook(lib: Any) -> None:
    """always_call hooks run when forward raises too, the others do not; the error goes on."""

    class Broken(lib.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, x: Any) -> Any:
            raise ValueError("broken")

    m = Broken()
    seen: list[Any] = []
    m.register_forward_hook(lambda mod, args, out: seen.append("never"))
    m.register_forward_hook(lambda mod, args, out: seen.append(out), always_call=True)
    with pytest.raises(ValueError, match="broken"):
        m(1)
    assert seen == [None]


def test_error_in_always_called_hook(lib: Any) -> None:
    """An error of an always-called hook becomes a warning when forward has raised already."""

    class Broken(lib.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, x: Any) -> Any:
            raise ValueError("broken")

    def hook(*args: Any) -> None:
        raise KeyError("hook")

    m = Broken()
    m.register_forward_hook(hook, always_call=True)
    with pytest.warns(UserWarning, match="silenced"), pytest.raises(ValueError, match="broken"):
        m(1)


def test_full_backward_hook(lib: Any) -> None:
    """The hook sees the gradients of inputs and outputs, and what it returns goes on."""
    m = _linear(lib)
    seen: list[Any] = []

    def hook(module: Any, grad_input: Any, grad_output: Any) -> Any:
        seen.append((grad_input[0].tolist(), grad_output[0].tolist()))
        return (grad_input[0] * 10,)

    m.register_full_backward_hook(hook)
    x = lib.ones(2, requires_grad=True)
    (m(x) * 4).sum().backward()
    assert seen == [([8.0, 12.0], [4.0])]
    assert x.grad.tolist() == [80.0, 120.0]
    assert m.weight.grad.tolist() == [[4.0, 4.0]]


def test_full_backward_pre_hook(lib: Any) -> None:
    """The hook sees and may replace the gradient of the output before the module's backward runs."""
    m = _linear(lib)
    m.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 10,))
    x = lib.ones(2, requires_grad=True)
    m(x).sum().backward()
    assert x.grad.tolist() == [20.0, 30.0]
    assert m.weight.grad.tolist() == [[10.0, 10.0]]


def test_backward_hook_order_and_several_values(lib: Any) -> None:
    """Every positional argument and output has its place; what is no tensor, or gets no gradient, is None or zero."""

    class Mix(lib.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, a: Any, flag: bool, b: Any) -> Any:
            return a * 2, b * 3, flag

    m = Mix()
    order: list[Any] = []
    m.register_full_backward_pre_hook(lambda mod, g: order.append(("pre", [x is None for x in g])))
    m.register_full_backward_hook(lambda mod, gi, go: order.append(("post", [x is None for x in gi])))
    m.register_full_backward_hook(lambda mod, gi, go: order.append(("first", len(go))), prepend=True)
    a, b = lib.ones(2, requires_grad=True), lib.ones(2, requires_grad=True)
    m(a, True, b)[0].sum().backward()
    assert order == [("pre", [False, True, True]), ("first", 3), ("post", [False, True, False])]
    assert b.grad.tolist() == [0.0, 0.0]


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
def test_backward_hook_without_inputs_that_need_gradients(lib: Any) -> None:
    """The hook runs when only parameters need gradients; it may then return None only."""
    m = _linear(lib)
    seen: list[Any] = []
    handle = m.register_full_backward_hook(lambda mod, gi, go: seen.append((gi, go[0].tolist())))
    m(lib.ones(2)).sum().backward()
    assert seen == [((None,), [1.0])]
    handle.remove()
    m.register_full_backward_hook(lambda mod, gi, go: (lib.ones(2),))
    with pytest.raises(RuntimeError, match="should always return None"):
        m(lib.ones(2)).sum().backward()


@pytest.mark.parametrize("kind", ["pre", "post"])
def test_backward_hook_returns_wrong_number(lib: Any, kind: str) -> None:
    """Hooks must return as many gradients as there are."""
    m = _linear(lib)
    if kind == "pre":
        m.register_full_backward_pre_hook(lambda mod, go: (go[0], go[0]))
    else:
        m.register_full_backward_hook(lambda mod, gi, go: (gi[0], gi[0]))
    with pytest.raises(RuntimeError, match=r"invalid number of grad_(input|output), got 2, but expected 1"):
        m(lib.ones(2, requires_grad=True)).sum().backward()


def test_backward_hooks_leave_no_trace_without_gradients(lib: Any) -> None:
    """Under no_grad, and in modules that nothing needs gradients of, backward hooks change nothing."""
    m = _linear(lib)
    m.register_full_backward_hook(lambda *a: pytest.fail("called"))
    with lib.no_grad():
        assert not m(lib.ones(2, requires_grad=True)).requires_grad
    m.requires_grad_(False)
    assert not m(lib.ones(2)).requires_grad


def test_backward_hook_warns_about_dicts(lib: Any) -> None:
    """Outputs in a dict cannot be watched; a warning says so."""

    class AsDict(lib.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, x: Any) -> Any:
            return {"x": x}

    m = AsDict()
    m.register_full_backward_hook(lambda *a: None)
    with pytest.warns(UserWarning, match="module output should be a Tensor or a tuple of Tensors"):
        m(lib.ones(2, requires_grad=True))


def test_double_backward_through_hooks(lib: Any) -> None:
    """Gradients that went through hooks can be differentiated again."""

    class Cube(lib.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, x: Any) -> Any:
            return x * x * x

    m = Cube()
    m.register_full_backward_hook(lambda mod, gi, go: None)
    m.register_full_backward_pre_hook(lambda mod, go: None)
    x = lib.tensor([2.0], requires_grad=True)
    (first,) = lib.autograd.grad(m(x).sum(), x, create_graph=True)
    (second,) = lib.autograd.grad(first.sum(), x)
    assert (first.item(), second.item()) == (12.0, 12.0)


def _registry(lib: Any) -> Any:
    if lib.__name__ == "torch":
        return lib.nn.modules.module
    import specgrad.nn.modules.module.hooks

    return specgrad.nn.modules.module.hooks


def test_global_hooks(lib: Any) -> None:
    """Global hooks run on every module, before the module's own."""
    registry = _registry(lib)
    order: list[str] = []
    m = lib.nn.Sequential(_linear(lib))
    m[0].register_forward_pre_hook(lambda *a: order.append("own pre"))
    m[0].register_forward_hook(lambda *a: order.append("own"))
    handles = [
        registry.register_module_forward_pre_hook(lambda mod, args: order.append(f"pre {type(mod).__name__}")),
        registry.register_module_forward_hook(lambda mod, args, out: order.append(type(mod).__name__)),
        registry.register_module_full_backward_pre_hook(lambda mod, g: order.append(f"b-pre {type(mod).__name__}")),
        registry.register_module_full_backward_hook(lambda mod, i, o: order.append(f"b {type(mod).__name__}")),
    ]
    m(lib.ones(2, requires_grad=True)).sum().backward()
    for handle in handles:
        handle.remove()
    m(lib.ones(2))
    assert order == [
        *["pre Sequential", "pre Linear", "own pre", "Linear", "own", "Sequential"],
        *["b-pre Sequential", "b-pre Linear", "b Linear", "b Sequential", "own pre", "own"],
    ]


def test_handle_is_a_context_manager(lib: Any) -> None:
    """Leaving the handle's block takes the hook away, with what was noted about it."""
    m = lib.nn.Identity()
    with m.register_forward_hook(lambda *a: 5, with_kwargs=True, always_call=True):
        assert m(1) == 5
    assert m(1) == 1
    assert not m._forward_hooks and not m._forward_hooks_with_kwargs and not m._forward_hooks_always_called


def test_old_backward_hook(lib: Any) -> None:
    """The old name still registers a hook on gradients of the output, and warns, here at once."""
    layer, seen = lib.nn.Linear(2, 1), []
    with pytest.warns(FutureWarning, match="deprecated"):
        layer.register_backward_hook(lambda module, grad_input, grad_output: seen.append(grad_output[0].tolist()))
        layer(lib.ones(1, 2, requires_grad=True)).sum().backward()
    assert seen == [[[1.0]]]


def test_compile_is_accepted() -> None:
    """`Module.compile` changes nothing: kernels are compiled anyway."""
    layer = sg.nn.Linear(2, 1)
    before = layer(sg.ones(2))
    layer.compile(fullgraph=True)
    assert layer(sg.ones(2)) == before
