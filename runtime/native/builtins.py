"""Native functions as Python's builtin functions: `builtin(unit, launch, plan)` is called as launch(x, y)."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ..kernels.cache.digest import sources_of
from ..kernels.compile.scalar_library import building
from ..kernels.llvm.native_code.units import Unit
from ..pool import commands
from . import array_memory, members
from .c_functions import register_numpy
from .conversions.convert import convert
from .elementwise import launching, writing
from .graph.backward import walk
from .graph.node_gradients import gradients
from .graph.starting import start
from .interned import forever, register
from .kernel_ops import in_place, launch
from .layout import distances
from .views import getitem, one, several

FASTCALL = 0x80  # METH_FASTCALL: (self, address of the arguments, their number)


class Definition(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def version() -> Any:
    return sources_of(Path(__file__).parent), distances(), sys.version_info[:2], commands.sources()


def ready() -> None:
    """Let machine code find the objects and functions that it names."""
    register()
    register_numpy()


HOST = Unit(
    "host",
    (
        launching.launch,
        writing.launch_in_place,
        writing.launch_out,
        gradients,
        one.launch_view,
        one.detach,
        several.launch_views,
        several.launch_made_view,
        launch.launch,
        in_place.launch_in_place,
        getitem.getitem,
        convert,
        walk,
        start,
        members.get_attribute,
        *array_memory.FUNCTIONS,
    ),
    version,
    ready,
)


def begin() -> None:
    """Let large arrays begin at cache lines (array_memory.py), and modules find their members at once (members.py);
    once, however many threads are the first to need native code."""
    if not _begun:
        with building:
            if not _begun:
                _begun.append(True)  # before what may come here again
                array_memory.align([HOST.address(function) for function in array_memory.FUNCTIONS])
                members.begin_members(HOST.address(members.get_attribute))


def definition_of(unit: Unit, function: Any, name: str, doc: str) -> Definition:
    """CPython's description of a function of machine code; it lives as long as the process."""
    definition = Definition(name.encode(), unit.address(function), FASTCALL, doc.encode())
    begin()
    _definitions.append(definition)  # CPython keeps its address only
    return definition


def builtin(unit: Unit, function: Any, plan: np.ndarray, doc: str) -> Any:
    """A builtin function whose `self` is `plan`; it lives as long as the process."""
    definition = definition_of(unit, function, function.__name__, doc)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    return make(ctypes.addressof(definition), plan, __name__)


def method(unit: Unit, function: Any, cls: type, name: str, doc: str) -> Any:
    make = ctypes.pythonapi.PyDescr_NewMethod
    make.restype, make.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.c_void_p]
    return make(cls, ctypes.addressof(definition_of(unit, function, name, doc)))


_begun: list[bool] = []
_definitions: list[Definition] = forever([])
