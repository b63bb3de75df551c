"""Argument checks of element-wise ops. Those named `integer_*` forbid nothing to floating-point tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dispatch.shape_checks import require_shape
from ...errors import ArgumentError, DtypeError, type_name
from ...tensor import dtypes
from ...tensor.base import TensorBase


def integer_divisor(op: str, self: Any, other: Any) -> tuple[Any, ...]:
    """Integers are not divided by zero."""
    if dtypes.result_type(self, other).kind == "i":
        divisors = other.array if isinstance(other, TensorBase) else np.asarray(other)
        if not divisors.all():
            raise RuntimeError(f"{op}(): expected integer divisors other than 0, but got 0 (ZeroDivisionError)")
    return self, other


def integer_difference(op: str, self: Any, other: Any, alpha: Any) -> tuple[Any, ...]:
    """Bools are not subtracted, from whatever: what is meant may be `~` or `logical_xor`."""
    if any(x.dtype is dtypes.bool_ if isinstance(x, TensorBase) else isinstance(x, bool) for x in (self, other)):
        raise DtypeError(
            f"{op}(): expected operands of kind int, float or complex, but got a bool: use ~ or logical_xor()"
        )
    return self, other, alpha


def integer_power(op: str, self: Any, exponent: Any) -> tuple[Any, ...]:
    """Integers are not raised to one negative integer power."""
    if dtypes.result_type(self, exponent).kind == "i" and exponent < 0:
        raise RuntimeError(f"{op}(): Integers to negative integer powers are not allowed, got exponent {exponent}")
    return self, exponent


def boolean_condition(op: str, condition: Any, self: Any, other: Any) -> tuple[Any, ...]:
    """The condition of a choice is a bool tensor."""
    if condition.dtype is not dtypes.bool_:
        found = f"a tensor with dtype {condition.dtype}"
        raise DtypeError(f"{op}(): expected condition to be a boolean tensor, but got {found}")
    return condition, self, other


def rounding_mode(op: str, self: Any, other: Any, rounding_mode: str | None) -> tuple[Any, ...]:
    """The modes of division are None, 'trunc' and 'floor'."""
    if rounding_mode not in (None, "trunc", "floor"):
        expected = "one of None, 'trunc', or 'floor'"
        raise RuntimeError(f"{op}(): expected rounding_mode to be {expected}, but got {rounding_mode!r}")
    return self, other, rounding_mode


def gelu_approximation(op: str, self: Any, approximate: str) -> tuple[Any, ...]:
    """The forms of gelu are 'none' and 'tanh'."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError(f"{op}(): expected approximate to be 'none' or 'tanh', but got {approximate!r}")
    return self, approximate


def some_bound(op: str, self: Any, min: Any, max: Any) -> tuple[Any, ...]:
    """At least one bound is given."""
    if min is None and max is None:
        raise RuntimeError(f"{op}(): at least one of 'min' or 'max' must not be None")
    return self, min, max


def masked_scale(op: str, input: Any, mask: Any, scale: float) -> tuple[Any, ...]:
    """A mask for every element."""
    require_shape(op, "mask", mask, input._shape)
    return input, mask, scale


def base_in_double(op: str, self: Any, exponent: Any) -> tuple[Any, ...]:
    """The result is of float64, or of complex128 where a number is complex, and so is what takes it."""
    needed = dtypes.complex128 if dtypes.result_type(self, exponent).kind == "c" else dtypes.float64
    if self.dtype is not needed:
        raise DtypeError(
            f"{op}(): the base given to {op} has dtype {self.dtype} but the operation's result requires dtype {needed}"
        )
    return self, exponent


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


def one_dtype(op: str, first: Any, second: Any) -> tuple[Any, ...]:
    """Both are tensors, of the same dtype: a number has none that could be compared."""
    for place, given in (("input", first), ("values", second)):
        if not isinstance(given, TensorBase):
            raise ArgumentError(f"{op}(): argument '{place}' must be Tensor, not {type_name(given)}")
    if first._dtype is not second._dtype:
        raise DtypeError(f"{op}(): expected two tensors of one dtype, but got {first._dtype} and {second._dtype}")
    return first, second
