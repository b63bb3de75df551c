"""The arithmetic of element-wise expressions on real numbers: one definition for every device.

Each function is compiled by numba for the CPU and for CUDA, and runs as plain Python on NumPy scalars in the
CUDA simulator. So these are plain module-level functions of `math` and of what both targets compile of NumPy.
A constant is written `type(x)(1)`, which has the type of `x`: float32 arithmetic then stays in float32.
Functions of `math` that raise outside their domain are called only inside it.
"""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

# From here on all float64 are whole, so adding this rounds a smaller number to a whole one, half to even.
WHOLE = 4503599627370496.0
EXP_OVERFLOW = 709.782712893384  # exp(x) is infinite above, where math.exp raises


def is_integer(x: Any) -> Any:
    """Whether `x` has an integer type; a constant once compiled."""
    return type(x)(0.5) == 0


# ---- sign, parts, tests ------------------------------------------------------------------------------------


def abs(x: Any) -> Any:
    return builtins.abs(x)


def sign(x: Any) -> Any:
    if x > 0:
        return type(x)(1)
    return type(x)(-1) if x < 0 else type(x)(0)


def sgn(x: Any) -> Any:
    return sign(x)


def conj(x: Any) -> Any:
    return x


def real(x: Any) -> Any:
    return x


def imag(x: Any) -> Any:
    return type(x)(0)


def isnan(x: Any) -> Any:
    return x != x


def isinf(x: Any) -> Any:
    return math.isinf(x)


def isfinite(x: Any) -> Any:
    return math.isfinite(x)


# ---- powers and roots --------------------------------------------------------------------------------------


def sqrt(x: Any) -> Any:
    return type(x)(math.nan) if x < 0 else math.sqrt(x)


def rsqrt(x: Any) -> Any:
    return type(x)(1) / sqrt(x)


def pow(x: Any, y: Any) -> Any:
    if is_integer(x) and is_integer(y) and y < 0:
        return negative_power(x, y)
    if y == 2:
        return x * x
    return x * type(x)(1) if y == 1 else x**y


def negative_power(x: Any, y: Any) -> Any:
    """An integer to a negative integer power, rounded towards zero: not 0 only for x = 1 and x = -1."""
    if x == 1 or (x == -1 and y % 2 == 0):
        return type(x)(1)
    return type(x)(-1) if x == -1 else type(x)(0)


def hypot(x: Any, y: Any) -> Any:
    return np.hypot(x, y)


# ---- exponentials and logarithms ---------------------------------------------------------------------------


def exp(x: Any) -> Any:
    return type(x)(math.inf) if x > EXP_OVERFLOW else math.exp(x)


def exp2(x: Any) -> Any:
    return type(x)(math.inf) if x >= 1024 else math.exp2(x)


def expm1(x: Any) -> Any:
    return type(x)(math.inf) if x > EXP_OVERFLOW else math.expm1(x)


def log(x: Any) -> Any:
    return np.log(x)


def log2(x: Any) -> Any:
    return np.log2(x)


def log10(x: Any) -> Any:
    return np.log10(x)


def log1p(x: Any) -> Any:
    if x <= -1:
        return type(x)(-math.inf) if x == -1 else type(x)(math.nan)
    return math.log1p(x)


def sigmoid(x: Any) -> Any:
    small = exp(-abs(x))
    one = type(small)(1)
    return (one if x >= 0 else small) / (one + small)


# ---- trigonometric and hyperbolic functions, error function ------------------------------------------------


def sin(x: Any) -> Any:
    return np.sin(x)


def cos(x: Any) -> Any:
    return np.cos(x)


def tan(x: Any) -> Any:
    return np.tan(x)


def asin(x: Any) -> Any:
    return np.arcsin(x)


def acos(x: Any) -> Any:
    return np.arccos(x)


def atan(x: Any) -> Any:
    return np.arctan(x)


def atan2(y: Any, x: Any) -> Any:
    return np.arctan2(y, x)


def sinh(x: Any) -> Any:
    return np.sinh(x)


def cosh(x: Any) -> Any:
    return np.cosh(x)


def tanh(x: Any) -> Any:
    return np.tanh(x)


def asinh(x: Any) -> Any:
    return np.arcsinh(x)


def acosh(x: Any) -> Any:
    return np.arccosh(x)


def atanh(x: Any) -> Any:
    return np.arctanh(x)


def erf(x: Any) -> Any:
    return math.erf(x)


def erfc(x: Any) -> Any:
    return math.erfc(x)


# ---- division and rounding ---------------------------------------------------------------------------------


def divide(x: Any, y: Any) -> Any:
    return x / y


def round(x: Any) -> Any:
    """The nearest whole number, the even one of two; floats that are whole anyway, infinite or nan stay."""
    magnitude = np.float64(abs(x))
    if magnitude < WHOLE:
        return type(x)(math.copysign((magnitude + WHOLE) - WHOLE, x))
    return x


def floor(x: Any) -> Any:
    nearest = round(x)
    return type(x)(nearest - type(x)(1)) if nearest > x else nearest


def ceil(x: Any) -> Any:
    return -floor(-x)


def trunc(x: Any) -> Any:
    return ceil(x) if x < 0 else floor(x)


def round_decimals(x: Any, decimals: Any) -> Any:
    scale = type(x)(np.float64(10.0) ** builtins.abs(decimals))
    return round(x * scale) / scale if decimals >= 0 else round(x / scale) * scale


def floor_divide(x: Any, y: Any) -> Any:
    return x // y


def trunc_divide(x: Any, y: Any) -> Any:
    if is_integer(x):
        below = x // y
        return below + type(below)(1) if x % y != 0 and (x < 0) != (y < 0) else below
    return type(x)(trunc(x / y))


def remainder(x: Any, y: Any) -> Any:
    """x - y * floor(x / y), with the sign of y."""
    return x % y


def fmod(x: Any, y: Any) -> Any:
    """x - y * trunc(x / y), with the sign of x; exact."""
    if is_integer(x):
        rest = x % y
        return rest - y if rest != 0 and (rest < 0) != (x < 0) else rest
    rest = abs(x) % abs(y)
    return -rest if math.copysign(1.0, x) < 0 else rest


# ---- choice ------------------------------------------------------------------------------------------------


def where(condition: Any, x: Any, y: Any) -> Any:
    return x if condition else y


def maximum(x: Any, y: Any) -> Any:
    """The larger number; nan when either is."""
    return x if x >= y or x != x else y


def minimum(x: Any, y: Any) -> Any:
    """The smaller number; nan when either is."""
    return x if x <= y or x != x else y


def fmax(x: Any, y: Any) -> Any:
    """The larger number; where one is nan, the other."""
    return x if x >= y or y != y else y


def fmin(x: Any, y: Any) -> Any:
    """The smaller number; where one is nan, the other."""
    return x if x <= y or y != y else y


def lerp(start: Any, end: Any, weight: Any) -> Any:
    """Interpolation from the nearer end, so that it is exact at both."""
    if weight < type(weight)(0.5):
        return start + weight * (end - start)
    return end - (type(weight)(1) - weight) * (end - start)
