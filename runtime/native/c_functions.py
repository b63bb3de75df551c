"""The functions of CPython and NumPy that native code calls: addresses in, addresses out; 0 where an error is set."""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding
import numpy as np
from numba import types

from ..kernels.words import Word

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


allocate = _external("PyType_GenericAlloc", Word, Word)
is_subtype = _external("PyType_IsSubtype", Word, Word, result=types.int32)
new_array = _external("specgrad_new_array", Word, Word, types.int32, Word, Word, Word, types.int32, Word)
set_base = _external("specgrad_set_base", Word, Word, result=types.int32)
weak_reference = _external("PyWeakref_NewRef", Word, Word)
append = _external("PyList_Append", Word, Word, result=types.int32)
list_size = _external("PyList_Size", Word)
increment = _external("Py_IncRef", Word, result=types.void)
drop = _external("Py_DecRef", Word, result=types.void)  # does nothing for 0
equal = _external("PyObject_RichCompareBool", Word, Word, types.int32, result=types.int32)
attribute = _external("PyObject_GetAttr", Word, Word)
call = _external("PyObject_Vectorcall", Word, Word, Word, Word)
next_of = _external("PyIter_Next", Word)
new_tuple = _external("PyTuple_New", Word)
tuple_item = _external("PyTuple_GetItem", Word, Word)
set_tuple_item = _external("PyTuple_SetItem", Word, Word, Word, result=types.int32)
part_of_tuple = _external("PyTuple_GetSlice", Word, Word, Word)
tuple_size = _external("PyTuple_Size", Word)
new_list = _external("PyList_New", Word)
list_item = _external("PyList_GetItem", Word, Word)
set_list_item = _external("PyList_SetItem", Word, Word, Word, result=types.int32)
dict_has = _external("PyDict_Contains", Word, Word, result=types.int32)
set_has = _external("PySet_Contains", Word, Word, result=types.int32)
unpack_slice = _external("PySlice_Unpack", Word, Word, Word, Word, result=types.int32)
adjust_slice = _external("PySlice_AdjustIndices", Word, Word, Word, Word)
add = _external("PyNumber_Add", Word, Word)
call_method = _external("PyObject_VectorcallMethod", Word, Word, Word, Word)
dict_item = _external("PyDict_GetItemWithError", Word, Word)
as_double = _external("PyLong_AsDouble", Word, result=types.float64)
as_integer = _external("PyLong_AsLong", Word)
integer = _external("PyLong_FromLong", Word)
float_object = _external("PyFloat_FromDouble", types.float64)
error_set = _external("PyErr_Occurred")
clear_error = _external("PyErr_Clear", result=types.void)
thread_state = _external("PyThreadState_Get")
thread_number = _external("PyThreadState_GetID", Word)
let_others_run = _external("PyEval_SaveThread")
go_on = _external("PyEval_RestoreThread", Word, result=types.void)
