"""Attributes of objects that keep members in tables, as modules keep parameters: `thing.weight` without an error first.

Python calls `__getattr__` once it has failed to find a name, and has made an error that says so. Classes whose
`__getattr__` looks into the tables and does no more have a slot of this module's in the place of CPython's, which looks
there before it gives up (dispatch/member_classes.py).
"""

from __future__ import annotations

import ctypes

from ..dispatch import member_classes
from ..kernels.llvm.native_code.kernel_calls import call_native
from ..kernels.llvm.native_code.typed import NULL, New, address_of, cast, native
from . import c_functions as c
from .interned import attribute_slots, dict_type, name_buffers, name_modules, name_parameters, slot_of_attributes
from .layout import Dict, Object, type_slot
from .references import retain


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
    """`thing.name`: what its class has is for CPython's own slot, and so is what is not found."""
    if c.class_attribute(obj.type, name) is NULL:
        attributes = cast(Dict, c.attributes_of(obj, 0))
        result = cast(Object, NULL) if attributes is NULL else lookup_in(attributes, name)
        if result is not NULL:
            retain(result)
        c.release(attributes)
        if result is not NULL:
            return result
        c.clear_error()
    return cast(Object, call_native(slot_of_attributes.function, address_of(obj), address_of(name), 0))


def begin_members(address: int) -> None:
    """Native code is there, `get_attribute` at this address."""
    slot = type_slot()
    attribute_slots[:] = ctypes.c_int64.from_address(id(WithMembers) + slot).value
    member_classes.begin(slot, attribute_slots[0], address)


class WithMembers:
    def __getattr__(self, name: str) -> None:
        raise AttributeError(name)
