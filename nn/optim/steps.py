"""Wrapper of an optimizer's step: calls step hooks, and names the step for a profiler."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from itertools import chain
from typing import Any

from ...runtime import arguments
from ...runtime.autograd.hooks.hooks import RemovableHandle, add_hook
from ...runtime.modes.intercept import watch
from ...runtime.profiler.ranges import record_function

Hook = Callable[..., Any]

_before_all: OrderedDict[int, Hook] = OrderedDict()  # around the steps of all optimizers
_after_all: OrderedDict[int, Hook] = OrderedDict()


def register_optimizer_step_pre_hook(hook: Hook) -> RemovableHandle:
    """Call a function before each step of every optimizer.

    Args:
        hook: called as `hook(optimizer, args, kwargs)`; it may return new (args, kwargs).
    """
    return add_hook(_before_all, hook)


def register_optimizer_step_post_hook(hook: Hook) -> RemovableHandle:
    """Call a function after each step of every optimizer.

    Args:
        hook: called as `hook(optimizer, args, kwargs)`.
    """
    return add_hook(_after_all, hook)


def with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """`step` with the hooks around it, and a note for schedulers that it was called."""

    @wraps(step)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "_optimizer_step_pre_hooks" not in self.__dict__:  # around an optimizer, and made without `__init__`
            return step(self, *args, **kwargs)
        self._opt_called = True
        own_before, own_after = self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks
        try:
            if not (own_before or own_after or watch.active or _before_all or _after_all):
                return step(self, *args, **kwargs)
            return _between_hooks(step, self, args, kwargs)
        except Exception as error:
            arguments.leave(step, error, (self, *args), kwargs)
            raise

    arguments.guards.add(wrapper.__code__)  # type: ignore[attr-defined]
    wrapper.hooked = True  # type: ignore[attr-defined]
    return wrapper


def _between_hooks(step: Callable[..., Any], optimizer: Any, args: Any, kwargs: Any) -> Any:
    with named(optimizer, "step"):
        for hook in list(chain(_before_all.values(), optimizer._optimizer_step_pre_hooks.values())):
            args, kwargs = _new_arguments(hook(optimizer, args, kwargs), args, kwargs)
        result = step(optimizer, *args, **kwargs)
        for hook in list(chain(optimizer._optimizer_step_post_hooks.values(), _after_all.values())):
            hook(optimizer, args, kwargs)
    return result


def named(optimizer: Any, method: str) -> record_function:
    """A profiler event for a method of an optimizer, whose kernels are not ops."""
    return record_function(f"Optimizer.{method}#{type(optimizer).__name__}.{method}")


def _new_arguments(found: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if found is None:
        return args, kwargs
    if not isinstance(found, tuple) or len(found) != 2:
        raise RuntimeError(f"step pre-hook must return None or a tuple of (new_args, new_kwargs), but got {found}.")
    return found
