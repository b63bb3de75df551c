"""Hooks that apply to every Module of the process: on calls, and on registration of parameters, buffers, modules.

All call hooks share one table, so a Module's call needs one test to know that there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..runtime.autograd.hooks import RemovableHandle


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
    """What the registration hooks of `kind` make of a value that is about to be registered."""
    for hook in list(registration_hooks.values()):
        if hook.kind == kind:
            replaced = hook.call(module, name, value)
            value = value if replaced is None else replaced
    return value


def _add(table: dict[int, GlobalHook], hook: GlobalHook) -> RemovableHandle:
    handle = RemovableHandle(table)
    table[handle.id] = hook
    return handle


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, args)` before the forward of every module; it may return new args."""
    return _add(call_hooks, GlobalHook("forward_pre", hook))


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after the forward of every module; it may return a new output."""
    return _add(call_hooks, GlobalHook("forward", hook, with_kwargs, always_call))


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_output)` before the backward of every module; it may return new gradients."""
    return _add(call_hooks, GlobalHook("backward_pre", hook))


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` after the backward of every module."""
    return _add(call_hooks, GlobalHook("backward", hook))


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, parameter)` when any module registers one; it may return another."""
    return _add(registration_hooks, GlobalHook("parameter", hook))


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, buffer)` when any module registers one; it may return another."""
    return _add(registration_hooks, GlobalHook("buffer", hook))


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, submodule)` when any module registers one; it may return another."""
    return _add(registration_hooks, GlobalHook("module", hook))
