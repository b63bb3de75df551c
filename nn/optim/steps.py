"""What surrounds an optimizer's step: the hooks of its users, and its name among the events of a profiler."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ...runtime.autograd.grad_mode import watch
from ...runtime.profiler.ranges import record_function


def with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """`step` with the hooks around it, and a note for schedulers that it was called."""

    @wraps(step)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        self._opt_called = True
        if not (self._optimizer_step_pre_hooks or self._optimizer_step_post_hooks or watch.active):
            return step(self, *args, **kwargs)
        with named(self, "step"):
            for hook in list(self._optimizer_step_pre_hooks.values()):
                args, kwargs = _new_arguments(hook(self, args, kwargs), args, kwargs)
            result = step(self, *args, **kwargs)
            for hook in list(self._optimizer_step_post_hooks.values()):
                hook(self, args, kwargs)
        return result

    return wrapper


def named(optimizer: Any, method: str) -> record_function:
    """What a profiler shows of a call, whose kernels are no ops."""
    return record_function(f"Optimizer.{method}#{type(optimizer).__name__}.{method}")


def _new_arguments(found: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if found is None:
        return args, kwargs
    if not isinstance(found, tuple) or len(found) != 2:
        raise RuntimeError(f"step pre-hook must return None or a tuple of (new_args, new_kwargs), but got {found}.")
    return found
