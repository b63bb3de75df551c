"""Argument checks of element-wise ops; fast paths skip those decorated with `rejects` that they need not ask."""

import math
from typing import Any

import numpy as np

from ...dispatch.argument_checks import rejects, wrap_dim
from ...dispatch.python_integers import wrapped_integer
from ...dispatch.shape_rules import fitting_number, is_recorded, require_shape
from ...errors import ArgumentError, DtypeError, ShapeError, type_name
from ...tensor import dtypes
from ...tensor.tensor import TensorBase, host_array


@rejects("integers")
def integer_divisor(op: str, self: Any, other: Any) -> tuple[Any, ...]:
    """Integers are not divided by zero."""
    computed = dtypes.result_type(self, other)
    if computed.kind == "i" and not is_recorded(other):
        is_tensor = isinstance(other, TensorBase)
        divisors = host_array(other).astype(computed.np) if is_tensor else wrapped_integer(op, other, computed)
        if not np.all(divisors):
            raise RuntimeError(f"{op}(): expected integer divisors other than 0, but got 0 (ZeroDivisionError)")
    return self, other


@rejects("bools")
def numeric_difference(op: str, self: Any, other: Any, alpha: Any) -> tuple[Any, ...]:
    """Bools are not subtracted, from whatever: what is meant may be `~` or `logical_xor`."""
    if any(x.dtype is dtypes.bool_ if isinstance(x, TensorBase) else isinstance(x, bool) for x in (self, other)):
        raise DtypeError(
            f"{op}(): expected operands of kind int, float or complex, but got a bool: use ~ or logical_xor()"
        )
    return self, other, alpha


@rejects("integers")
def integer_power(op: str, self: Any, exponent: Any) -> tuple[Any, ...]:
    """Integers are not raised to one negative integer power, nor to one that their dtype does not have."""
    computed = dtypes.result_type(self, exponent)
    if computed.kind == "i" and exponent < 0:
        raise RuntimeError(f"{op}(): Integers to negative integer powers are not allowed, got exponent {exponent}")
    return self, fitting_number(op, "exponent", exponent, computed) if computed.kind == "i" else exponent


def boolean_condition(op: str, condition: Any, self: Any, other: Any) -> tuple[Any, ...]:
    """The condition of a choice is a bool tensor."""
    if condition.dtype is not dtypes.bool_:
        result = f"a tensor with dtype {condition.dtype}"
        raise DtypeError(f"{op}(): expected condition to be a boolean tensor, but got {result}")
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
    for name, value in (("input", first), ("values", second)):
        if not isinstance(value, TensorBase):
            raise ArgumentError(f"{op}(): argument '{name}' must be Tensor, not {type_name(value)}")
    if first._dtype is not second._dtype:
        raise DtypeError(f"{op}(): expected two tensors of one dtype, but got {first._dtype} and {second._dtype}")
    return first, second


def celu_scale(op: str, self: Any, alpha: Any) -> tuple[Any, ...]:
    """The scale is not 0."""
    if alpha == 0:
        raise RuntimeError(f"{op}(): expected alpha other than 0, but got {alpha} (ZeroDivisionError)")
    return self, alpha


def shrink_width(op: str, self: Any, lambd: Any) -> tuple[Any, ...]:
    """The width is finite and not negative."""
    if isinstance(lambd, complex) or not 0 <= lambd < math.inf:
        raise RuntimeError(f"{op}(): expected a finite lambd >= 0, but got {lambd}")
    return self, lambd


def two_halves(op: str, self: Any, dim: int) -> tuple[Any, ...]:
    """The dimension has an even number of elements."""
    if self.ndim == 0:
        raise ShapeError(f"{op}(): expected a tensor with a dimension to halve, but got one of no dimensions")
    dim = wrap_dim(op, dim, self.ndim)
    if self._shape[dim] % 2:
        raise ShapeError(f"{op}(): expected an even size to halve, but dimension {dim} is of size {self._shape[dim]}")
    return self, dim


def prelu_weight(op: str, self: Any, weight: Any) -> tuple[Any, ...]:
    """One weight for all channels, or one for each (dimension 1, if there is one); of the dtype of the input."""
    if self._dtype is not weight._dtype:
        raise DtypeError(f"{op}(): expected input and weight of one dtype, but got {self._dtype} and {weight._dtype}")
    if weight.ndim > 1:
        raise ShapeError(f"{op}(): expected weight to be a scalar or a 1-d tensor, but got {weight.ndim} dimensions")
    if weight.numel() == 1:
        return self, weight
    if self.ndim == 0:
        raise ShapeError(f"{op}(): expected an input with dimensions for {weight.numel()} weights, but got none")
    channels = self._shape[1] if self.ndim > 1 else 1
    if weight.numel() != channels:
        raise ShapeError(f"{op}(): expected one weight or {channels}, one for each channel, but got {weight.numel()}")
    return self, weight


MAX_ORDER = 1_000_000  # steps of a loop; what asks for more was no order


@rejects("negative integers")
def natural_order(op: str, n: int, self: Any) -> tuple[Any, ...]:
    """The order of a derivative is not negative."""
    if n < 0:
        raise RuntimeError(f"{op}(): expected an order n >= 0, but got {n}")
    return n, self


def positive_order(op: str, self: Any, p: int) -> tuple[Any, ...]:
    """The number of dimensions is positive, and one that can be counted to."""
    if p < 1:
        raise RuntimeError(f"{op}(): expected p >= 1, but got {p}")
    if p > MAX_ORDER:
        raise RuntimeError(f"{op}(): expected p <= {MAX_ORDER}, but got {p}")
    return self, p
