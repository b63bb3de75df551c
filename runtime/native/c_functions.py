"""The functions of CPython and NumPy that native code calls: addresses in, addresses out; 0 where an error is set.

Who owns what they give is CPython's convention. A new reference, which the caller lets go or hands over: all whose name
begins with `new_`, and allocate, weak_reference, integer, float_object, attribute, call, call_method, next_of, add,
as_tuple, part_of_tuple. A borrowed one, which is good until Python may run: tuple_item, list_item, dict_item. A
reference is handed over to set_list_item, to set_base as the second argument, and to new_array as the second,
also where they fail. Python may run in all that `allocating` wraps, in `drop`, and in `add` and `call`.
"""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding
import numpy as np
from numba import types

from ..kernels.llvm.memory import Word
from .checked import allocating, before, letting_go, taking

NEW_FROM_DESCR, SET_BASE_OBJECT = 94, 282  # in NumPy's table of functions, whose order never changes


def _external(name: str, *arguments: Any, result: Any = Word) -> Any:
    return types.ExternalFunction(name, result(*arguments))


def register_numpy() -> None:
    """Let compiled code find NumPy's functions, which no library exports by name."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(np._core.multiarray._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))  # type: ignore[attr-defined]
    llvmlite.binding.add_symbol("specgrad_new_array", table[NEW_FROM_DESCR])
    llvmlite.binding.add_symbol("specgrad_set_base", table[SET_BASE_OBJECT])


allocate = allocating(_external("PyType_GenericAlloc", Word, Word), 2)
is_subtype = _external("PyType_IsSubtype", Word, Word, result=types.int32)
new_array = taking(_external("specgrad_new_array", Word, Word, types.int32, Word, Word, Word, types.int32, Word))
set_base = _external("specgrad_set_base", Word, Word, result=types.int32)
weak_reference = allocating(_external("PyWeakref_NewRef", Word, Word), 2)
append = allocating(_external("PyList_Append", Word, Word, result=types.int32), 2, -1)
list_size = _external("PyList_Size", Word)
increment = _external("Py_IncRef", Word, result=types.void)
drop = letting_go(_external("Py_DecRef", Word, result=types.void))  # does nothing for 0
equal = _external("PyObject_RichCompareBool", Word, Word, types.int32, result=types.int32)
attribute = allocating(_external("PyObject_GetAttr", Word, Word), 2)
call = allocating(_external("PyObject_Vectorcall", Word, Word, Word, Word), 4)
next_of = allocating(_external("PyIter_Next", Word), 1)
new_tuple = allocating(_external("PyTuple_New", Word), 1)
tuple_item = _external("PyTuple_GetItem", Word, Word)
part_of_tuple = allocating(_external("PyTuple_GetSlice", Word, Word, Word), 3)
tuple_size = _external("PyTuple_Size", Word)
as_tuple = allocating(_external("PyList_AsTuple", Word), 1)
new_list = allocating(_external("PyList_New", Word), 1)
list_item = _external("PyList_GetItem", Word, Word)
set_list_item = _external("PyList_SetItem", Word, Word, Word, result=types.int32)
dict_has = _external("PyDict_Contains", Word, Word, result=types.int32)
set_has = _external("PySet_Contains", Word, Word, result=types.int32)
unpack_slice = _external("PySlice_Unpack", Word, Word, Word, Word, result=types.int32)
adjust_slice = _external("PySlice_AdjustIndices", Word, Word, Word, Word)
add = allocating(_external("PyNumber_Add", Word, Word), 2)
call_method = allocating(_external("PyObject_VectorcallMethod", Word, Word, Word, Word), 4)
dict_item = _external("PyDict_GetItemWithError", Word, Word)
as_double = _external("PyLong_AsDouble", Word, result=types.float64)
as_integer = _external("PyLong_AsLong", Word)
integer = allocating(_external("PyLong_FromLong", Word), 1)
float_object = allocating(_external("PyFloat_FromDouble", types.float64), 1)
error_set = _external("PyErr_Occurred")
clear_error = _external("PyErr_Clear", result=types.void)
thread_state = _external("PyThreadState_Get")
thread_number = _external("PyThreadState_GetID", Word)
let_others_run = before(_external("PyEval_SaveThread"))
go_on = _external("PyEval_RestoreThread", Word, result=types.void)
abort = _external("abort", result=types.void)
