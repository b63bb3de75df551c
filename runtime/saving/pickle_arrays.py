"""NumPy arrays and numbers in pickles: their dtypes are those of plain numbers and text, their bytes the file's."""

from __future__ import annotations

import sys
from math import prod
from typing import Any

import ml_dtypes
import numpy as np

from .archive import Damage
from .pickle_reader import Named
from .rebuild import check_sizes

_KINDS = "biufcSU"
_LENDERS = ("numpy._core.", "numpy.core.")


def _dtype(text: Any, align: Any = False, copy: Any = True) -> np.dtype[Any]:
    """A dtype of plain elements, in the machine's byte order."""
    if text is not ml_dtypes.bfloat16 and type(text) is not str:
        raise Damage("the pickle has a dtype that is no name")
    kind = np.dtype(text)
    if kind.kind not in _KINDS and text is not ml_dtypes.bfloat16:
        raise Damage(f"the pickle has an array of {kind}")
    return kind


def _check_order(kind: Any, state: Any) -> None:
    """The state of a dtype, which holds nothing new: version, byte order, and what arrays of records would have."""
    if type(state) is not tuple or len(state) < 5 or state[2:5] != (None, None, None):
        raise Damage("the pickle has a dtype that is none of plain elements")
    if state[1] not in ("|", "=", "<" if sys.byteorder == "little" else ">"):
        raise Damage("the pickle has an array whose bytes are in the other order")


def _empty(cls: Any, shape: Any, kind: Any) -> np.ndarray[Any, Any]:
    if cls is not np.ndarray:
        raise Damage("the pickle has an array of a class of its own")
    return np.ndarray((0,), np.int8)


def _fill(array: Any, state: Any) -> None:
    """The state of an array: version, shape, dtype, order and bytes."""
    if type(state) is not tuple or len(state) != 5:
        raise Damage("the pickle has an array without shape and elements")
    _, shape, kind, fortran, content = state
    _check(shape, kind, content)
    array.__setstate__((1, shape, kind, bool(fortran), content))


def _check(shape: Any, kind: Any, content: Any) -> None:
    if type(shape) is not tuple or not isinstance(kind, np.dtype) or type(content) not in (bytes, bytearray):
        raise Damage("the pickle has an array of which parts are missing")
    check_sizes(shape)
    if prod(shape) * kind.itemsize != len(content):
        raise Damage("the pickle has an array of another size than its elements")


def _scalar(kind: Any, content: Any) -> Any:
    _check((), kind, content)
    return np.frombuffer(content, kind)[0]


def _from_buffer(content: Any, kind: Any, shape: Any, order: Any) -> np.ndarray[Any, Any]:
    _check(shape, kind, content)
    return np.frombuffer(bytearray(content), kind).reshape(shape, order="F" if order == "F" else "C")


_NAMES = {
    "multiarray._reconstruct": Named(_empty, _empty),
    "multiarray.scalar": Named(_scalar, _scalar),
    "numeric._frombuffer": Named(_from_buffer, _from_buffer),
}
_NUMPY_CLASSES = {
    "numpy.ndarray": Named(np.ndarray, build=_fill),
    "numpy.dtype": Named(np.dtype, _dtype, build=_check_order),
    "ml_dtypes.bfloat16": Named(ml_dtypes.bfloat16),
}


def find_numpy_name(full: str) -> Named | None:
    """What one of NumPy's names stands for; None for others."""
    for module_name in _LENDERS:
        if full.startswith(module_name):
            return _NAMES.get(full.removeprefix(module_name))
    return _NUMPY_CLASSES.get(full)
