"""Hooks of one Module and of all, on calls and on registration, and calling forward with them.

All call hooks share one table, so a Module's call needs one test to know that there are none.
"""

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ....runtime.autograd.hooks import RemovableHandle, add_hook
from .backward_hooks import BackwardHooks


class GlobalHook(NamedTuple):
    """A hook, what it is attached to, and how a forward hook wants to be called."""

    kind: str
    call: Callable[..., Any]
    with_kwargs: bool = False
    always_call: bool = False


call_hooks: dict[int, GlobalHook] = {}
registration_hooks: dict[int, GlobalHook] = {}


def of_kind(kind: str) -> Iterator[tuple[int, GlobalHook]]:
    return ((number, hook) for number, hook in list(call_hooks.items()) if hook.kind == kind)


def at_registration(kind: str, module: Any, name: str, value: Any) -> Any:
    for hook in list(registration_hooks.values()):
        if hook.kind == kind:
            replaced = hook.call(module, name, value)
            value = value if replaced is None else replaced
    return value


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, args)` before the forward of every module, until `remove()` of the handle.

    What it returns, if not None, stands for the args.
    """
    return add_hook(call_hooks, GlobalHook("forward_pre", hook))


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after the forward of every module, until `remove()` of the handle.

    What it returns, if not None, stands for the output. With `with_kwargs` it is called as
    `hook(module, args, kwargs, output)`; with `always_call` also where forward, or another hook, raises.
    """
    return add_hook(call_hooks, GlobalHook("forward", hook, with_kwargs, always_call))


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_output)` before the backward of every module, until `remove()` of the handle.

    What it returns, if not None, stands for the gradients of the output.
    """
    return add_hook(call_hooks, GlobalHook("backward_pre", hook))


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` after the backward of every module, until `remove()` of the handle.

    What it returns, if not None, stands for the gradients of the input.
    """
    return add_hook(call_hooks, GlobalHook("backward", hook))


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, parameter)` when any module registers a parameter, until `remove()` of the handle.

    What it returns, if not None, is registered instead.
    """
    return add_hook(registration_hooks, GlobalHook("parameter", hook))


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, buffer)` when any module registers a buffer, until `remove()` of the handle.

    What it returns, if not None, is registered instead.
    """
    return add_hook(registration_hooks, GlobalHook("buffer", hook))


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, submodule)` when any module registers a module in it, until `remove()` of the handle.

    What it returns, if not None, is registered instead.
    """
    return add_hook(registration_hooks, GlobalHook("module", hook))


Hook = Callable[..., Any]


class ModuleHooks:
    """Hooks around forward and backward. Tables map a hook's number to the hook, in the order of calling."""

    _forward_pre_hooks: OrderedDict[int, Hook]
    _forward_pre_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks: OrderedDict[int, Hook]
    _forward_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks_always_called: OrderedDict[int, bool]
    _backward_pre_hooks: OrderedDict[int, Hook]
    _backward_hooks: OrderedDict[int, Hook]
    forward: Callable[..., Any]

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before each forward, until `remove()` of the handle that is returned.

        What it returns, if not None, replaces args. With `with_kwargs` it is called as `hook(module, args, kwargs)` and
        returns None or a pair (args, kwargs). `prepend` puts it before the hooks that are there.
        """
        handle = add_hook(self._forward_pre_hooks, hook, prepend, (self._forward_pre_hooks_with_kwargs,))
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        return handle

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after each forward, until `remove()` of the handle that is returned.

        What it returns, if not None, replaces the output. With `with_kwargs` it is called as
        `hook(module, args, kwargs, output)`, and with `always_call` also when forward raises. `prepend` puts it before
        the hooks that are there.
        """
        notes = (self._forward_hooks_with_kwargs, self._forward_hooks_always_called)
        handle = add_hook(self._forward_hooks, hook, prepend, notes)
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        return handle

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` before the module's gradients are computed.

        The tuple that it returns, if not None, replaces grad_output. `prepend` puts it before the hooks that are there.
        """
        return add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients of the module's inputs are computed.

        The tuple that it returns, if not None, replaces grad_input, whose entries are those of the positional
        arguments of the call: None for what is not a tensor. `prepend` puts it before the hooks that are there.
        """
        return add_hook(self._backward_hooks, hook, prepend)

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        called: set[int] = set()
        result = None
        try:
            args, kwargs = self._run_forward_pre_hooks(args, kwargs)
            backward = self._backward_watch()
            if backward is not None:
                args = backward.watch_inputs(args)
            result = self.forward(*args, **kwargs)
            for number, hook in self._all_forward_hooks():
                called.add(number)
                value = hook.call(*_forward_hook_arguments(self, hook, args, kwargs, result))
                result = result if value is None else value
            return result if backward is None else backward.watch_outputs(result)
        except Exception:
            self._run_always_called(called, args, kwargs, result)
            raise

    def _run_forward_pre_hooks(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        for _, global_hook in of_kind("forward_pre"):
            args = _as_args(global_hook.call(self, args), args)
        for number, hook in list(self._forward_pre_hooks.items()):
            if number not in self._forward_pre_hooks_with_kwargs:
                args = _as_args(hook(self, args), args)
                continue
            result = hook(self, args, kwargs)
            if result is None:
                continue
            if not isinstance(result, tuple) or len(result) != 2:
                raise RuntimeError(
                    f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {result}."
                )
            args, kwargs = result
        return args, kwargs

    def _all_forward_hooks(self) -> Iterator[tuple[int, GlobalHook]]:
        yield from of_kind("forward")
        for number, hook in list(self._forward_hooks.items()):
            with_kwargs = number in self._forward_hooks_with_kwargs
            yield (number, GlobalHook("forward", hook, with_kwargs, number in self._forward_hooks_always_called))

    def _backward_watch(self) -> BackwardHooks | None:
        pre_hooks = [h.call for _, h in of_kind("backward_pre")] + [*self._backward_pre_hooks.values()]
        hooks = [h.call for _, h in of_kind("backward")] + [*self._backward_hooks.values()]
        return BackwardHooks(self, pre_hooks, hooks) if pre_hooks or hooks else None

    def _run_always_called(self, called: set[int], args: Any, kwargs: Any, result: Any) -> None:
        """After an error, run the always-called hooks that it kept from running; their own errors become warnings."""
        for number, hook in self._all_forward_hooks():
            if hook.always_call and number not in called:
                try:
                    hook.call(*_forward_hook_arguments(self, hook, args, kwargs, result))
                except Exception as error:
                    warnings.warn(
                        "module forward hook with ``always_call=True`` raised an exception that was silenced as "
                        f"another error was raised in forward: {error}",
                        stacklevel=4,
                    )


def _as_args(result: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    if result is None:
        return args
    return result if isinstance(result, tuple) else (result,)


def _forward_hook_arguments(module: Any, hook: GlobalHook, args: Any, kwargs: Any, result: Any) -> tuple[Any, ...]:
    return (module, args, kwargs, result) if hook.with_kwargs else (module, args, result)
