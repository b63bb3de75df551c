"""One scalar function for every target: plain Python functions are rebuilt with globals that are compiled in turn.

`runtime/kernels/scalar.py` is written once, undecorated. A `ScalarLibrary` compiles its functions for one target when
they are first named: the functions that they call are compiled first and put into the globals of a new function object.
"""

from __future__ import annotations

import dis
import functools
import threading
import types
from collections.abc import Callable
from typing import Any

building = threading.RLock()  # who makes a dispatcher holds it: two threads that want one kernel get the same


def rebuilt(function: Any, replacements: dict[str, Any]) -> Any:
    """The same code with some of its globals replaced; numba's cache still sees the original file."""
    namespace = {**function.__globals__, **replacements}
    copy = types.FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)
    copy.__qualname__ = function.__qualname__
    copy.__module__ = function.__module__
    copy.__doc__ = function.__doc__
    return copy


def names_in(code: types.CodeType) -> set[str]:
    """The global names that a function's code loads; attributes such as `math.exp` are none of them."""
    return {i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}


class ScalarLibrary:
    """The functions of one module, compiled for one target by `compiler`."""

    def __init__(self, module: types.ModuleType, compiler: Callable[[Any], Any]) -> None:
        self.module = module
        self.compiler = compiler
        self.compiled: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        """The compiled form of a function of the module."""
        with building:
            if name not in self.compiled:
                function = getattr(self.module, name)
                self.compiled[name] = self.compiler(rebuilt(function, self.used_by(function)))
            return self.compiled[name]

    def used_by(self, function: Any) -> dict[str, Any]:
        """Compiled replacements for the scalar functions that `function` calls."""
        own = vars(self.module)
        names = sorted(names_in(function.__code__))
        return {name: self.get(name) for name in names if isinstance(own.get(name), types.FunctionType)}


@functools.cache
def cpu_library(is_complex: bool) -> ScalarLibrary:
    """The scalar functions for the CPU: inlined into the kernels that use them."""
    from numba import njit

    from . import scalar, scalar_complex

    compiler = njit(nogil=True, error_model="numpy", inline="never")
    return ScalarLibrary(scalar_complex if is_complex else scalar, compiler)
