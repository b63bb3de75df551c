"""NumPy's functions for C, which no library exports by name, and handlers, by which its arrays get their memory."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

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
    """Let the arrays that this thread makes from now on have memory of a handler."""
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
    """The capsule by which NumPy knows malloc, calloc, realloc and free at these addresses; each is called with
    `context` before its arguments, free with the bytes of the array behind them."""
    made = Handler(name, 1, context, *addresses)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    capsule = new(ctypes.addressof(made), NAME, None)
    _references.append((capsule, made, NAME))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_references))  # arrays may outlive this module when the process ends
    return capsule
