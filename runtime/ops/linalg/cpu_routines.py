"""What SciPy offers of BLAS and LAPACK: routines, their addresses as functions of C, and how many threads they use.

SciPy is loaded by the first call.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

SINGLE = 32  # rows: from so many on LAPACK's float32 makes up for calls by Python, matrix by matrix


@functools.cache
def routine(name: str, char: str) -> Callable[..., Any]:
    """The routine of LAPACK, or trsm of BLAS, for a dtype: dgetrf for getrf and "d"."""
    from scipy.linalg import get_blas_funcs, get_lapack_funcs

    find = get_blas_funcs if name == "trsm" else get_lapack_funcs
    return find((name,), (np.empty(0, char),))[0]


@functools.cache
def c_address(name: str, char: str) -> int:
    """The address of LAPACK's routine as a function of C whose ints have 32 bits; 0 where SciPy does not have it."""
    functions = importlib.import_module("scipy.linalg.cython_lapack").__pyx_capi__
    capsule = functions.get({"f": "s", "d": "d"}[char] + name)
    if capsule is None:
        return 0
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    signature = name_of(capsule)
    return (pointer_of(capsule, signature) or 0) if b" int *" in signature else 0


@functools.cache
def _blas_threads() -> tuple[Any, Any] | None:
    """SciPy's functions that tell and set the number of BLAS's threads, where it is OpenBLAS."""
    library = ctypes.PyDLL(importlib.import_module("scipy.linalg._flapack").__file__)
    for prefix in ("scipy_openblas", "openblas"):
        if hasattr(library, f"{prefix}_set_num_threads"):
            return library[f"{prefix}_get_num_threads"], library[f"{prefix}_set_num_threads"]
    return None


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS computes in this thread alone: in decompositions its others cost more than they do, and change last bits."""
    known = _blas_threads()
    number = known[0]() if known else 1
    if known is None or number == 1:
        yield
        return
    known[1](1)
    try:
        yield
    finally:
        known[1](number)
