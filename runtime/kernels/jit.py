"""`jit`: a numba kernel that is built when first called, so that importing a kernel module costs nothing."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
        from numba import njit

        from .compile.compiler_pipelines import Unoptimised, Wide

        callees = _callees(self.function, self.flat)
        function = rebuilt(self.function, callees)
        if callees:
            function.__qualname__ += f"-{_version(callees)}"
        # nogil: the pool's threads run kernels side by side, and a kernel touches no Python object.
        # Without a word about fastmath numba takes that of whoever calls the function first.
        options = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": False, **self.options}
        options.setdefault("pipeline_class", Wide)
        if CHECKED:
            function.__qualname__ += "-checked"  # numba's cache looks at the name, not at these options
            options |= {"boundscheck": True, "pipeline_class": Unoptimised}
        return njit(**options)(function)

    def only_linked(self) -> Any:
        """A numba dispatcher for kernels on flat memory, which optimise and compile what they call with themselves."""
        from numba import njit

        from .compile.compiler_pipelines import Linked

        if self.linked is None:
            callees = _callees(self.function, True)
            function = rebuilt(self.function, callees)
            function.__qualname__ += f"-{_version(callees)}" if callees else ""
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


def _version(callees: dict[str, Any]) -> str:
    """Changes with the code of what a kernel calls: numba's cache looks at the kernel's own file, and at its name."""
    functions = [callee.py_func for _, callee in sorted(callees.items()) if hasattr(callee, "py_func")]
    codes = [(f.__qualname__, f.__code__.co_code, f.__code__.co_consts) for f in functions]
    modules = _scalar_modules()  # by name as well: what is cached imports them
    text = repr((sorted(callees), codes, modules, _sources(*modules)))
    if len(functions) < len(callees):
        intrinsics = ("addresses", "tiles", "shifted", "stencils", "vector_loops", "vectors")
        text += repr(_sources(*(f"llvm/{module}" for module in intrinsics)))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _scalar_modules() -> list[str]:
    return sorted(f"scalar/{path.stem}" for path in (Path(__file__).parent / "scalar").glob("*.py"))


@functools.cache
def _sources(*names: str) -> list[str]:
    """The text of modules here whose functions are compiled into kernels but are no kernels themselves."""
    return [(Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8") for name in names]


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
