"""`jit`: a numba kernel that is built when first called, so that importing a kernel module costs nothing."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

from .cache.digest import digest, of_function
from .compile.loading import load_compiler
from .compile.scalar_library import building, cpu_library, is_scalar, names_in, rebuilt
from .llvm import INTRINSICS

# SPECGRAD_BOUNDS=1 lets kernels raise IndexError where they would read or write outside of an array: `verify` sets it.
CHECKED = os.environ.get("SPECGRAD_BOUNDS") == "1"


class LazyKernel:
    """Stands for a compiled function; the numba dispatcher is made on the first call and cached on disk."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], flat: bool = False) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.options = options
        self.flat = flat
        self.compiled: Any = None
        self.linked: Any = None

    def __call__(self, *args: Any) -> Any:
        if self.compiled is None:
            self.compile()
        return self.compiled(*args)

    def compile(self) -> Any:
        """The numba dispatcher itself, for callers that want to skip this wrapper."""
        load_compiler()
        with building:  # looked at again inside: another thread may have compiled it meanwhile
            if self.compiled is None:
                self.compiled = self.dispatcher()
                # From now on the module's own name is the dispatcher: calls skip this wrapper.
                namespace = self.function.__globals__
                if namespace.get(self.function.__name__) is self:
                    namespace[self.function.__name__] = self.compiled
        return self.compiled

    def dispatcher(self) -> Any:
        """A new numba dispatcher, cached under a name that changes with what the kernel calls."""
        from .cache.dispatchers import dispatcher

        function = rebuilt(self.function, {})
        # nogil: the pool's threads run kernels side by side, and a kernel touches no Python object.
        # Without a word about fastmath numba takes that of whoever calls the function first.
        options = {"nogil": True, "error_model": "numpy", "fastmath": False, **self.options}
        if CHECKED:
            from .compile.compiler_pipelines import Unoptimised

            options |= {"boundscheck": True, "pipeline_class": Unoptimised}

        def prepare() -> None:
            function.__globals__.update(_callees(self.function, self.flat))

        made = dispatcher(function, digest(of_function(self.function), self.flat), options, prepare)
        made.kernel = self
        return made

    def only_linked(self) -> Any:
        """A numba dispatcher for kernels on flat memory, which optimise and compile what they call with themselves."""
        from numba import njit

        from .compile.compiler_pipelines import Linked

        if self.linked is None:
            callees = _callees(self.function, True)
            function = rebuilt(self.function, callees)
            options = {"nogil": True, "error_model": "numpy", "fastmath": False, **self.options}
            self.linked = njit(pipeline_class=Linked, **options)(function)
        return self.linked


def _callees(function: Callable[..., Any], flat: bool) -> dict[str, Any]:
    """Compiled forms of the kernels, scalar functions and intrinsics that a kernel calls, by their names there."""
    found = {name: function.__globals__.get(name) for name in names_in(function.__code__)}
    lazy = {name: callee for name, callee in found.items() if isinstance(callee, LazyKernel)}
    kernels = {name: callee.only_linked() if flat else callee.compile() for name, callee in lazy.items()}
    kernels |= {name: callee for name, callee in found.items() if hasattr(callee, "py_func")}  # compiled before
    kernels |= {name: _intrinsic(callee) for name, callee in found.items() if callee in INTRINSICS}
    scalars = {name: callee for name, callee in sorted(found.items()) if is_scalar(callee)}
    return kernels | {name: cpu_library(False).compiler.get(callee) for name, callee in scalars.items()}


@functools.cache
def _intrinsic(function: Callable[..., Any]) -> Any:
    from numba.extending import intrinsic

    return intrinsic(prefer_literal=True)(function)


def jit(function: Callable[..., Any] | None = None, flat: bool = False, **options: Any) -> Any:
    """Compile on first use with numba: `@jit` or `@jit(fastmath=True)`.

    The function may call other kernels of this kind and the functions of scalar.py by the names they have there.
    Those that a `flat` one calls are compiled with it, and not by themselves: it is called by plans alone.
    """
    if function is None:
        return functools.partial(jit, flat=flat, **options)
    return LazyKernel(function, options, flat)
