"""The functions of CPython and NumPy that native code calls: addresses in, addresses out; NULL where an error is set.

Who owns what they give is said where they are declared: `new_reference` or `borrowed`, in CPython's meaning. References
are stolen by set_list_item, by set_base as the second argument, and by new_array as the second, also where they fail.
Python may run in all that `new_reference` and `allocating` declare, and in `release`: in check mode `interrupt` is
called at each such point."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding
import numpy as np

from ...compiler.language.expressions import CHECKING
from ...compiler.language.functions import NULL, Half, external, native
from ...compiler.language.structs import Items, Pointer
from .interned import interrupt
from .layout import Array, Dict, List, Object, Tuple, Type

NEW_FROM_DESCR, SET_BASE_OBJECT, SET_HANDLER, GET_HANDLER, DEFAULT_HANDLER = 94, 282, 304, 305, 306
NAME = b"mem_handler"  # of the capsule, as NumPy wants it
_references: list[Any] = []


def entry(number: int) -> int:
    """The address of an entry of NumPy's table, whose order never changes."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = pointer(np._core.multiarray._ARRAY_API, None)  # type: ignore[attr-defined]
    return int(ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[number] or 0)


def set_handler(capsule: Any) -> None:
    ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(entry(SET_HANDLER))(capsule)


def uses_malloc() -> int:
    """Whether the arrays of this thread have memory of NumPy's own handler: its address, else 0."""
    own = ctypes.c_ssize_t.from_address(entry(DEFAULT_HANDLER)).value
    return own if id(ctypes.PYFUNCTYPE(ctypes.py_object)(entry(GET_HANDLER))()) == own else 0


class Handler(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", ctypes.c_void_p),
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    )


def handler(name: bytes, context: int, addresses: Sequence[int]) -> Any:
    """Functions are called with `context` before their arguments, free with the bytes of the array behind them."""
    made = Handler(name, 1, context, *addresses)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    capsule = new(ctypes.addressof(made), NAME, None)
    _references.append((capsule, made, NAME))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_references))  # arrays may outlive this module when the process ends
    return capsule


FREED = -0x2222222222222223  # the word that PYTHONMALLOC=debug writes over freed memory: 0xDD, eight times


def register_numpy() -> None:
    llvmlite.binding.add_symbol("specgrad_new_array", entry(NEW_FROM_DESCR))
    llvmlite.binding.add_symbol("specgrad_set_base", entry(SET_BASE_OBJECT))


borrowed = external

_call = external("PyObject_Vectorcall", Object, Object, int, int, int)
_release = external("Py_DecRef", None, Object)
error_set = external("PyErr_Occurred", Object)
clear_error = external("PyErr_Clear", None)
abort = external("abort", None)


@native
def refused() -> bool:
    """Whether the hook raised, as an allocation does where there is no memory."""
    if error_set() is not NULL:
        return False
    answer = _call(interrupt, 0, 0, 0)
    _release(answer)
    return answer is NULL


@native
def interrupted() -> None:
    if refused():
        clear_error()


@native
def alive(obj: Object) -> None:
    count = obj.references
    if count == FREED or count & 0xFFFFFFFF == 0:
        abort()


def allocating(name: str, result: Any, *arguments: Any, failure: Any = NULL) -> Any:
    """A C function that gives `failure` and sets an error where there is no memory, and may run the collector."""
    function = external(name, result, *arguments)
    if not CHECKING:
        return function
    checked = _checked(function, failure, len(arguments))
    kinds = dict(zip("abcd", arguments, strict=False))
    checked.__annotations__ = kinds | {"return": int if result is Half else result}
    return native(checked)


def _checked(function: Any, failure: Any, count: int) -> Callable[..., Any]:
    """Native code has no variadic functions: the one of so many parameters."""

    def of_none() -> Any:
        return failure if refused() else function()

    def of_one(a: Any) -> Any:
        return failure if refused() else function(a)

    def of_two(a: Any, b: Any) -> Any:
        return failure if refused() else function(a, b)

    def of_three(a: Any, b: Any, c: Any) -> Any:
        return failure if refused() else function(a, b, c)

    def of_four(a: Any, b: Any, c: Any, d: Any) -> Any:
        return failure if refused() else function(a, b, c, d)

    return (of_none, of_one, of_two, of_three, of_four)[count]


new_reference = allocating

Vector = Pointer[Object]  # the arguments of a call
allocate = new_reference("PyType_GenericAlloc", Object, Type, int)
weak_reference = new_reference("PyWeakref_NewRef", Object, Object, Object)
attribute = new_reference("PyObject_GetAttr", Object, Object, Object)
attributes_of = new_reference("PyObject_GenericGetDict", Object, Object, int)
call = new_reference("PyObject_Vectorcall", Object, Object, Vector, int, int)
call_method = new_reference("PyObject_VectorcallMethod", Object, Object, Vector, int, int)
next_of = new_reference("PyIter_Next", Object, Object)
add = new_reference("PyNumber_Add", Object, Object, Object)
new_tuple = new_reference("PyTuple_New", Tuple, int)
part_of_tuple = new_reference("PyTuple_GetSlice", Tuple, Tuple, int, int)
as_tuple = new_reference("PyList_AsTuple", Tuple, List)
new_list = new_reference("PyList_New", List, int)
new_dict = new_reference("PyDict_New", Dict)
new_int = new_reference("PyLong_FromLong", Object, int)
set_dict_item = allocating("PyDict_SetItem", Half, Dict, Object, Object, failure=-1)
append = allocating("PyList_Append", Half, List, Object, failure=-1)

class_attribute = borrowed("_PyType_Lookup", Object, Type, Object)  # sets no error
list_item = borrowed("PyList_GetItem", Object, List, int)
dict_item = borrowed("PyDict_GetItemWithError", Object, Dict, Object)
checked_tuple_item = borrowed("PyTuple_GetItem", Object, Tuple, int)
checked_tuple_size = external("PyTuple_Size", int, Tuple)
list_size = external("PyList_Size", int, List)
cut_list = external("PyList_SetSlice", Half, List, int, int, Object)
set_list_item = external("PyList_SetItem", Half, List, int, Object)
dict_has = external("PyDict_Contains", Half, Dict, Object)
delete_item = external("PyDict_DelItem", Half, Dict, Object)
set_has = external("PySet_Contains", Half, Object, Object)
is_subtype = external("PyType_IsSubtype", Half, Type, Type)
equal = external("PyObject_RichCompareBool", Half, Object, Object, Half)
unpack_slice = external("PySlice_Unpack", Half, Object, int, int, int)
adjust_slice = external("PySlice_AdjustIndices", int, int, int, int, int)
as_double = external("PyLong_AsDouble", float, Object)
as_int = external("PyLong_AsLong", int, Object)
copy_memory = external("memcpy", int, int, int, int)
increment = external("Py_IncRef", None, Object)
thread_state = external("PyThreadState_Get", int)
thread_number = external("PyThreadState_GetID", int, int)
acquire_gil = external("PyEval_RestoreThread", None, int)
set_base = external("specgrad_set_base", Half, Array, Array)
_release_gil = external("PyEval_SaveThread", int)
_NEW_ARRAY = Array, Type, Object, Half, Pointer[int], int, int, Half, int
_new_array = external("specgrad_new_array", *_NEW_ARRAY)


@native
def _checked_new_array(
    cls: Type, descr: Object, dims: int, shape: Items[int], strides: int, memory: int, flags: int, owner: int
) -> Array:
    if refused():
        _release(descr)
        return NULL
    return _new_array(cls, descr, dims, shape, strides, memory, flags, owner)


@native
def _checked_release(obj: Object) -> None:
    if obj is not NULL:
        alive(obj)
        _release(obj)
        interrupted()


@native
def _checked_release_gil() -> int:
    interrupted()
    return _release_gil()


# PyArray_NewFromDescr takes over a reference to its second argument, also where it fails.
new_array = _checked_new_array if CHECKING else _new_array
release = _checked_release if CHECKING else _release  # Py_DecRef; does nothing for NULL
release_gil = _checked_release_gil if CHECKING else _release_gil  # other threads may run until acquire_gil
