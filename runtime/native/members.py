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
from .interned import dict_type, name_buffers, name_modules, name_parameters, slot_of_attributes, slot_words
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
def found_in(attributes: Dict, name: Object) -> Object:
    """An object's own attribute, or else a member, in the order of `Module.__getattr__`, borrowed; NULL for none."""
    found = c.dict_item(attributes, name)
    if found is NULL:
        found = member(attributes, name_parameters, name)
    if found is NULL:
        found = member(attributes, name_modules, name)
    return member(attributes, name_buffers, name) if found is NULL else found


@native
def get_attribute(thing: Object, name: Object) -> New[Object]:
    """`thing.name`: what its class has is for CPython's own slot, and so is what is not found."""
    if c.class_attribute(thing.type, name) is NULL:
        attributes = cast(Dict, c.attributes_of(thing, 0))
        found = cast(Object, NULL) if attributes is NULL else found_in(attributes, name)
        if found is not NULL:
            retain(found)
        c.release(attributes)
        if found is not NULL:
            return found
        c.clear_error()
    return cast(Object, call_native(slot_of_attributes.function, address_of(thing), address_of(name), 0))


def begin_members(address: int) -> None:
    """Native code is there, `get_attribute` at this address."""
    slot = type_slot()
    slot_words[:] = ctypes.c_int64.from_address(id(WithMembers) + slot).value
    member_classes.begin(slot, slot_words[0], address)


class WithMembers:
    def __getattr__(self, name: str) -> None:
        raise AttributeError(name)
