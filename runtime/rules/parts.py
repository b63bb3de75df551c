"""Argument rules of ops on real numbers, and on the parts of complex ones."""

from __future__ import annotations

from typing import Any

from ..errors import DtypeError, ShapeError
from ..tensor import TensorBase


def real_angles(op: str, self: Any) -> tuple[Any, ...]:
    """Angles are real."""
    if self._dtype.kind == "c":
        raise DtypeError(f"{op}(): expected a tensor of real numbers, but got {self._dtype}")
    return (self,)


def not_bool(op: str, self: Any) -> tuple[Any, ...]:
    """The tensor holds numbers."""
    if self._dtype.kind == "b":
        raise DtypeError(f"{op}(): expected a dtype that is not bool, but got {self._dtype}")
    return (self,)


def equal_parts(op: str, first: Any, second: Any) -> tuple[Any, ...]:
    """Both parts are tensors of one floating-point dtype that has a complex one: float32 or float64."""
    names = [t._dtype.name for t in (first, second)]
    if any(name not in ("float32", "float64") for name in names):
        raise DtypeError(f"{op}(): expected float32 or float64 tensors, but got {names[0]} and {names[1]}")
    if first._dtype is not second._dtype:
        raise DtypeError(f"{op}(): expected two tensors of one dtype, but got {names[0]} and {names[1]}")
    return first, second


def one_dtype(op: str, first: Any, second: Any) -> tuple[Any, ...]:
    """Both tensors have the same dtype."""
    if isinstance(second, TensorBase) and first._dtype is not second._dtype:
        raise DtypeError(f"{op}(): expected two tensors of one dtype, but got {first._dtype} and {second._dtype}")
    return first, second


def complex_numbers(op: str, self: Any) -> tuple[Any, ...]:
    """The tensor is complex."""
    if self._dtype.kind != "c":
        raise DtypeError(f"{op}(): expected a complex tensor, but got {self._dtype}")
    return (self,)


def pairs_of_parts(op: str, self: Any) -> tuple[Any, ...]:
    """The tensor holds floating-point numbers in pairs, in its last dimension."""
    if self._dtype.name not in ("float32", "float64"):
        raise DtypeError(f"{op}(): expected a float32 or float64 tensor, but got {self._dtype}")
    if self.ndim == 0 or self._shape[-1] != 2:
        raise ShapeError(f"{op}(): expected a last dimension of size 2, but got the shape {list(self._shape)}")
    return (self,)
