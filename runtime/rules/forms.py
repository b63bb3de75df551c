"""Argument rules of ops that exist only in place, and of ops with results of a stated size."""

from __future__ import annotations

from typing import Any

from .. import dtypes
from ..errors import DtypeError, ShapeError
from .solving import require_floating, require_matrix


def base_in_double(op: str, self: Any, exponent: Any) -> tuple[Any, ...]:
    """The result is of float64, or of complex128 where a number is complex, and so is what takes it."""
    needed = dtypes.complex128 if dtypes.result_type(self, exponent).kind == "c" else dtypes.float64
    if self.dtype is not needed:
        raise DtypeError(
            f"{op}(): the base given to {op} has dtype {self.dtype} but the operation's result requires dtype {needed}"
        )
    return self, exponent


def fill_diagonal(op: str, self: Any, fill_value: Any, wrap: bool) -> tuple[Any, ...]:
    """Two dimensions, or more that are equally long."""
    if self.ndim < 2:
        raise ShapeError(f"{op}(): expected at least 2 dimensions, but got shape {list(self.shape)}")
    if self.ndim > 2 and len(set(self.shape)) > 1:
        raise ShapeError(f"{op}(): all dimensions of input must be of equal length, but got {list(self.shape)}")
    return self, fill_value, wrap


def nonnegative_size(op: str, self: Any, size: int, fill_value: int) -> tuple[Any, ...]:
    """The number of rows is not negative."""
    if size < 0:
        raise RuntimeError(f"{op}(): expected a size that is not negative, but got {size}")
    return self, size, fill_value


def isin(op: str, first: Any, second: Any, assume_unique: bool, invert: bool) -> tuple[Any, ...]:
    """Real numbers."""
    for value in (first, second):
        kind = dtypes.result_type(value, value)
        if kind.kind not in "if":
            raise DtypeError(f"{op}(): Unsupported input type encountered: expected real numbers, got {kind}")
    return first, second, assume_unique, invert


def ormqr(op: str, self: Any, input2: Any, input3: Any, left: bool, transpose: bool) -> tuple[Any, ...]:
    """Matrices of as many dimensions each; the side of `input3` that meets Q is as long as the columns of `input`."""
    require_floating(op, self, input2, input3)
    for name, value in (("input", self), ("input3", input3)):
        require_matrix(op, name, value)
    side = -2 if left else -1
    if input3.ndim != self.ndim or input3._shape[side] != self._shape[-2]:
        raise ShapeError(
            f"{op}(): input3.shape[{side}] must be equal to input.shape[-2], and both have as many dimensions, but got "
            f"shapes {list(input3._shape)} and {list(self._shape)}"
        )
    if input2._shape != (*self._shape[:-2], min(self._shape[-2:])):
        raise ShapeError(
            f"{op}(): input2.shape[-1] must be equal to min(input3.shape[{side}], input.shape[-1]), its batch that of "
            f"input, but got shapes {list(input2._shape)} and {list(self._shape)}"
        )
    return self, input2, input3, left, transpose
