"""Addresses of functions in NVIDIA's libraries, as they are loaded for `nvmath.bindings`."""

from __future__ import annotations

import ctypes
import importlib
from functools import cache


@cache
def address_of(library: str, function: str) -> int:
    """The address of a function of C.

    Args:
        library: as `cuda.pathfinder` names it, for instance "cublasLt".
    """
    result = importlib.import_module("cuda.pathfinder").load_nvidia_dynamic_lib(library)
    return ctypes.cast(getattr(ctypes.CDLL(result.abs_path), function), ctypes.c_void_p).value or 0
