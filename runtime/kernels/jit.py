"""`jit`: a numba kernel that is built when first called, so that importing a kernel module costs nothing."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


class LazyKernel:
    """Stands for a compiled function; the numba dispatcher is made on the first call and cached on disk."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.options = options
        self.compiled: Any = None

    def __call__(self, *args: Any) -> Any:
        if self.compiled is None:
            self.compile()
        return self.compiled(*args)

    def compile(self) -> Any:
        """The numba dispatcher itself, for callers that want to skip this wrapper."""
        if self.compiled is None:
            from numba import njit

            self.compiled = njit(cache=True, nogil=True, error_model="numpy", **self.options)(self.function)
            # From now on the module's own name is the dispatcher: calls skip this wrapper.
            namespace = self.function.__globals__
            if namespace.get(self.function.__name__) is self:
                namespace[self.function.__name__] = self.compiled
        return self.compiled


def jit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile on first use with numba: `@jit` or `@jit(fastmath=True)`."""
    if function is None:
        return functools.partial(jit, **options)
    return LazyKernel(function, options)
