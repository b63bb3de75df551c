"""One scalar function for every target: the functions of the folder `scalar`, written once and undecorated, are rebuilt
with globals that are compiled in turn."""

from __future__ import annotations

import dis
import functools
import importlib
import types
from collections.abc import Callable
from typing import Any

from ...locks import new_lock

building = new_lock()  # who makes a dispatcher holds it: two threads that want one kernel get the same


def rebuilt(function: Any, replacements: dict[str, Any]) -> Any:
    namespace = {**function.__globals__, **replacements}
    copy = types.FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)
    copy.__qualname__ = function.__qualname__
    copy.__module__ = function.__module__
    copy.__doc__ = function.__doc__
    return copy


@functools.cache
def names_in(code: types.CodeType) -> frozenset[str]:
    return frozenset(i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL")


class ScalarModules:
    """The modules of scalar functions, which lie above the compiler and register when `scalar` is imported."""

    real: types.ModuleType
    complex: Callable[[], types.ModuleType]  # imported on the first call: few programs compute with complex numbers
    scaled: Any  # (x, k) -> x 2^k, for which some processors have an instruction

    def register(self, real: types.ModuleType, complex: Callable[[], types.ModuleType], scaled: Any) -> None:
        self.real, self.complex, self.scaled = real, complex, scaled


modules = ScalarModules()


def is_scalar(function: Any) -> bool:
    from . import primitives

    own = (modules.real.__name__, primitives.__name__)
    return isinstance(function, types.FunctionType) and function.__module__.startswith(own)


def not_inlined(function: Any) -> Any:
    function.is_standalone = True
    return function


class ScalarCompiler:
    """Compiles scalar functions for one target, each when it is first wanted, and what it calls before. Functions that
    `scalar` or `scalar.complex` offer become functions, by `compiler`; helpers of these are inlined, by `inliner`,
    which saves the time to compile them. Primitives are given."""

    def __init__(
        self, compiler: Callable[[Any], Any], inliner: Callable[[Any], Any], primitives: dict[str, Any]
    ) -> None:
        self.compiler = compiler
        self.inliner = inliner
        self.primitives = primitives
        self.compiled: dict[Any, Any] = {}

    def get(self, function: Any) -> Any:
        with building:  # reentrant: making one function asks for those that it calls
            if function not in self.compiled:
                self.compiled[function] = self.make(function)
            return self.compiled[function]

    def make(self, function: Any) -> Any:
        from . import primitives as scalar_primitives

        name: str = function.__name__
        if function is vars(scalar_primitives).get(name):
            return self.primitives[name]
        results = {name: function.__globals__.get(name) for name in sorted(names_in(function.__code__))}
        users = not is_scalar(function)  # what it calls is compiled too, whatever package that is of
        plain = {name: callee for name, callee in results.items() if isinstance(callee, types.FunctionType)}
        calls = {name: self.get(callee) for name, callee in plain.items() if users or is_scalar(callee)}
        offered = users or function in (*vars(modules.real).values(), *vars(modules.complex()).values())
        compiler = self.standalone if hasattr(function, "is_standalone") else self.compiler if offered else self.inliner
        return compiler(rebuilt(function, calls))

    def standalone(self, function: Any) -> Any:
        from numba import njit

        from .pipelines import StandaloneKernel

        return njit(nogil=True, error_model="numpy", fastmath=False, pipeline_class=StandaloneKernel)(function)


class ScalarLibrary:
    """The functions of one module, `scalar` or `scalar.complex`, compiled for one target."""

    def __init__(self, module: types.ModuleType, compiler: ScalarCompiler) -> None:
        self.module = module
        self.compiler = compiler

    def get(self, name: str) -> Any:
        return self.compiler.get(getattr(self.module, name))

    def used_by(self, function: Any) -> dict[str, Any]:
        called = {name: function.__globals__.get(name) for name in sorted(names_in(function.__code__))}
        results = {name: meant(self.module, name, value) for name, value in called.items()}
        return {
            name: self.compiler.get(value) for name, value in results.items() if isinstance(value, types.FunctionType)
        }


def meant(module: types.ModuleType, name: str, value: Any) -> Any:
    """What a kernel means by a global: a function of `scalar` or `scalar.complex`, or one of a user's package. That has
    functions of complex numbers in a module beside the one for real ones: `scalars_complex`."""
    own = vars(module).get(name)
    if isinstance(own, types.FunctionType) or not isinstance(value, types.FunctionType):
        return own if isinstance(own, types.FunctionType) else value
    is_complex = module is module_of(True)
    return getattr(importlib.import_module(f"{value.__module__}_complex"), name) if is_complex else value


def module_of(is_complex: bool) -> types.ModuleType:
    return modules.complex() if is_complex else modules.real


@functools.cache
def cpu_library(is_complex: bool, linked: bool = False) -> ScalarLibrary:
    """The scalar functions for the CPU; those that are only `linked` into kernels cannot be called from Python."""
    from .target import fuses, scales

    return library_of(is_complex, fuses(), scales(), linked)


def library_of(is_complex: bool, fuses: bool, scales: bool = False, linked: bool = False) -> ScalarLibrary:
    """The scalar functions for a CPU that fuses products and sums, or does not, and one that scales by one instruction.
    Those of real numbers are inlined into the kernels that use them, whatever their size: a loop with a call in it is
    not vectorised. Complex ones, each of which calls several, would only take longer to compile."""
    from numba import njit, types
    from numba.core.typing import signature
    from numba.extending import intrinsic

    from .pipelines import Kernel, LinkedKernel
    from .primitive_code import Target, bound, by_exponent, primitives

    # fastmath is said, or it is that of the first caller.
    options = {"nogil": True, "error_model": "numpy", "fastmath": False}
    inliner = njit(forceinline=True, pipeline_class=LinkedKernel, **options)
    compiler = njit(forceinline=not is_complex, pipeline_class=LinkedKernel if linked else Kernel, **options)
    target = Target(intrinsic, types, signature, fuses)
    made = ScalarCompiler(compiler, inliner, primitives(target))
    if scales:
        made.compiled[modules.scaled] = intrinsic(bound(by_exponent, target))
    return ScalarLibrary(module_of(is_complex), made)
