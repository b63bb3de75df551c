"""Hooks that apply to every Module of the process: on calls, and on registration of parameters, buffers, modules.

All call hooks share one table, so a Module's call needs one test to know that there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ....runtime.autograd.hooks.hooks import RemovableHandle, add_hook


class GlobalHook(NamedTuple):
    """A hook, what it is attached to, and how a forward hook wants to be called."""

    kind: str
    call: Callable[..., Any]
    with_kwargs: bool = False
    always_call: bool = False


call_hooks: dict[int, GlobalHook] = {}
registration_hooks: dict[int, GlobalHook] = {}


def of_kind(kind: str) -> Iterator[tuple[int, GlobalHook]]:
    """The call hooks of one kind, in order of registration."""
    return ((number, hook) for number, hook in list(call_hooks.items()) if hook.kind == kind)


def at_registration(kind: str, module: Any, name: str, value: Any) -> Any:
    """A value that is about to be registered, after the global registration hooks of `kind`, which may replace it."""
    for hook in list(registration_hooks.values()):
        if hook.kind == kind:
            replaced = hook.call(module, name, value)
            value = value if replaced is None else replaced
    return value


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call a function before the forward of every module.

    Args:
        hook: called as `hook(module, args)`; what it returns, if not None, stands for the args.

    Returns:
        A handle whose `remove()` takes the hook away.
    """
    return add_hook(call_hooks, GlobalHook("forward_pre", hook))


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call a function after the forward of every module.

    Args:
        hook: called as `hook(module, args, output)`; what it returns, if not None, stands for the output.
        with_kwargs: call it as `hook(module, args, kwargs, output)`.
        always_call: call it also where forward, or another hook, raises.

    Returns:
        A handle whose `remove()` takes the hook away.
    """
    return add_hook(call_hooks, GlobalHook("forward", hook, with_kwargs, always_call))


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call a function before the backward of every module.

    Args:
        hook: called as `hook(module, grad_output)`; what it returns, if not None, stands for
            the gradients of the output.

    Returns:
        A handle whose `remove()` takes the hook away.
    """
    return add_hook(call_hooks, GlobalHook("backward_pre", hook))


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call a function after the backward of every module.

    Args:
        hook: called as `hook(module, grad_input, grad_output)`; what it returns, if not None, stands
            for the gradients of the input.

    Returns:
        A handle whose `remove()` takes the hook away.
    """
    return add_hook(call_hooks, GlobalHook("backward", hook))


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call a function when any module registers a parameter.

    Args:
        hook: called as `hook(module, name, parameter)`; what it returns, if not None, is registered instead.

    Returns:
        A handle whose `remove()` takes the hook away.
    """
    return add_hook(registration_hooks, GlobalHook("parameter", hook))


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call a function when any module registers a buffer.

    Args:
        hook: called as `hook(module, name, buffer)`; what it returns, if not None, is registered instead.

    Returns:
        A handle whose `remove()` takes the hook away.
    """
    return add_hook(registration_hooks, GlobalHook("buffer", hook))


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call a function when any module registers a module in it.

    Args:
        hook: called as `hook(module, name, submodule)`; what it returns, if not None, is registered instead.

    Returns:
        A handle whose `remove()` takes the hook away.
    """
    return add_hook(registration_hooks, GlobalHook("module", hook))
