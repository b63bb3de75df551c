"""Native functions as Python's builtin functions: `builtin(unit, launch, plan)` is called as launch(x, y).

Python calls `__getattr__` once it has failed to find a name. Classes whose `__getattr__` only looks into tables of
members, as modules', have `get_attribute` in the place of CPython's slot, which looks there before it gives up."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ...compiler.cache.digest import sources_of
from ...compiler.language.call_abi import call_native
from ...compiler.language.functions import NULL, New, address_of, cast, native
from ...compiler.native_unit import Unit
from ...compiler.passes.scalar_library import building
from ...device.threads import worker_threads
from ...dispatch import registry
from ..elementwise import inplace
from ..elementwise import launch as launching
from ..graph.backward import walk
from ..graph.node_gradients import gradients
from ..graph.start import start
from ..kernel_ops import inplace as in_place
from ..kernel_ops import kernel_op
from ..objects import c_api as c
from ..objects import interned, result_memory
from ..objects.c_api import register_numpy
from ..objects.convert import convert
from ..objects.interned import attribute_slots, dict_type, forever, name_buffers, name_modules, name_parameters
from ..objects.layout import Dict, Object, distances, type_slot
from ..objects.references import retain
from ..views import getitem, view_cache


@native
def member(attributes: Dict, table: Object, name: Object) -> Object:
    """The member of a name in one of the tables, borrowed; NULL where there is none."""
    members = c.dict_item(attributes, table)
    if members is NULL or members.type is not dict_type:
        return NULL
    return c.dict_item(cast(Dict, members), name)


@native
def lookup_in(attributes: Dict, name: Object) -> Object:
    """An object's own attribute, or else a member, in the order of `Module.__getattr__`, borrowed; NULL for none."""
    result = c.dict_item(attributes, name)
    if result is NULL:
        result = member(attributes, name_parameters, name)
    if result is NULL:
        result = member(attributes, name_modules, name)
    return member(attributes, name_buffers, name) if result is NULL else result


@native
def get_attribute(obj: Object, name: Object) -> New[Object]:
    """What its class has is for CPython's own slot, and so is what is not found."""
    if c.class_attribute(obj.type, name) is NULL:
        attributes = cast(Dict, c.attributes_of(obj, 0))
        result = cast(Object, NULL) if attributes is NULL else lookup_in(attributes, name)
        if result is not NULL:
            retain(result)
        c.release(attributes)
        if result is not NULL:
            return result
        c.clear_error()
    return cast(Object, call_native(interned.slot_of_attributes.function, address_of(obj), address_of(name), 0))


def begin_members(address: int) -> None:
    slot = type_slot()
    attribute_slots[:] = ctypes.c_int64.from_address(id(WithMembers) + slot).value
    registry.begin(slot, attribute_slots[0], address)


class WithMembers:
    def __getattr__(self, name: str) -> None:
        raise AttributeError(name)


FASTCALL = 0x80  # METH_FASTCALL: (self, address of the arguments, their number)


class Definition(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def version() -> Any:
    return sources_of(Path(__file__).parents[1]), distances(), sys.version_info[:2], worker_threads.sources()


def ready() -> None:
    interned.register()
    register_numpy()


HOST = Unit(
    "host",
    (
        launching.launch,
        inplace.launch_in_place,
        inplace.launch_out,
        gradients,
        view_cache.launch_view,
        view_cache.detach,
        view_cache.launch_views,
        view_cache.launch_made_view,
        kernel_op.launch,
        in_place.launch_in_place,
        getitem.getitem,
        convert,
        walk,
        start,
        get_attribute,
        *result_memory.FUNCTIONS,
    ),
    version,
    ready,
)


def begin() -> None:
    """Once, however many threads are the first to need native code."""
    if not _begun:
        with building:
            if not _begun:
                _begun.append(True)  # before what may come here again
                result_memory.align([HOST.address(function) for function in result_memory.FUNCTIONS])
                begin_members(HOST.address(get_attribute))


def definition_of(unit: Unit, function: Any, name: str, doc: str) -> Definition:
    """CPython's description of a function of machine code; it lives as long as the process."""
    definition = Definition(name.encode(), unit.address(function), FASTCALL, doc.encode())
    begin()
    _definitions.append(definition)  # CPython keeps its address only
    return definition


def builtin(unit: Unit, function: Any, plan: np.ndarray, doc: str) -> Any:
    """`plan` is its `self`."""
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
