"""Native functions as Python's builtin functions: `builtin(launch, plan)` is called as launch(x, y)."""

from __future__ import annotations

import ctypes
import functools
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ..kernels.compile.compiler_pipelines import compiled_function, version_of
from ..kernels.compile.scalar_library import building
from ..pool.manager import sources
from .c_functions import register_numpy
from .layout import CAPTURE, NODE, OUTPUT, PASS, TENSOR, WATCH
from .setting import SETTING
from .world import register

FASTCALL = 0x80  # METH_FASTCALL: (self, address of the arguments, their number)


class Definition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@functools.cache
def version() -> str:
    """Changes with all that is compiled into a native function, at which numba's cache does not look."""
    measured = TENSOR, NODE, OUTPUT, PASS, CAPTURE, WATCH, sys.version_info[:2], sources(), SETTING
    return version_of(Path(__file__).parent, measured)


def compiled(function: Any) -> Any:
    """A native function, compiled or from numba's cache; made once, for its code is freed with it."""
    with building:
        if function not in _compiled:
            register()
            register_numpy()
            _compiled[function] = compiled_function(function.py_func, version())
        return _compiled[function]


def builtin(function: Any, plan: np.ndarray, doc: str) -> Any:
    """A builtin function whose `self` is `plan`; it lives as long as the process."""
    definition = Definition(function.__name__.encode(), compiled(function).address, FASTCALL, doc.encode())
    _definitions.append(definition)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    return make(ctypes.addressof(definition), plan, __name__)


_compiled: dict[Any, Any] = {}
_definitions: list[Definition] = []
