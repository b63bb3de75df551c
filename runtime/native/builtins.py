"""Native functions as Python's builtin functions: `builtin(launch, plan)` is called as launch(x, y)."""

from __future__ import annotations

import ctypes
import functools
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ..kernels.compile.compiler_pipelines import version_of
from ..kernels.compile.scalar_library import building
from ..kernels.llvm.check_mode import SETTING
from ..kernels.llvm.typed import compiled_function
from ..pool.commands import sources
from .c_functions import register_numpy
from .interned import forever, register
from .layout import distances

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
    """Changes with all that is compiled into a native function: its code is found on disk by it."""
    return version_of(Path(__file__).parent, distances(), sys.version_info[:2], sources(), SETTING)


def compiled(function: Any, more: Any = "") -> Any:
    """A native function, compiled or loaded; made once, for its code is freed with it.

    `more` is what its code depends on besides what all native code does.
    """
    with building:
        if function not in _compiled:
            register()
            register_numpy()
            _compiled[function] = compiled_function(function, f"{version()}{more}")
        return _compiled[function]


def definition_of(function: Any, name: str, doc: str, more: Any) -> Definition:
    """CPython's description of a function of machine code; it lives as long as the process."""
    definition = Definition(name.encode(), compiled(function, more).address, FASTCALL, doc.encode())
    _definitions.append(definition)  # CPython keeps its address only
    return definition


def builtin(function: Any, plan: np.ndarray, doc: str, more: Any = "") -> Any:
    """A builtin function whose `self` is `plan`; it lives as long as the process."""
    definition = definition_of(function, function.__name__, doc, more)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    return make(ctypes.addressof(definition), plan, __name__)


def method(function: Any, cls: type, name: str, doc: str, more: Any = "") -> Any:
    """A method of a class, whose `self` is the object."""
    make = ctypes.pythonapi.PyDescr_NewMethod
    make.restype, make.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.c_void_p]
    return make(cls, ctypes.addressof(definition_of(function, name, doc, more)))


_compiled: dict[Any, Any] = forever({})
_definitions: list[Definition] = forever([])
