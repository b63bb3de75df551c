"""The arithmetic of element-wise expressions on real numbers: one definition for numba on the CPU and for CUDA, and for
NumPy scalars in the simulator. A constant is written `type(x)(1)`, so float32 arithmetic stays in float32. The
functions of the files beside are without branches and calls, so that loops over them are vectorised. Their errors are
the largest that was found, for float32 and for float64. Coefficients of polynomials, unless a file says otherwise, are
minimax fits (Remez), rounded one after the other, the lowest power first, each followed by a new fit of the rest; those
called Chebyshev's are of interpolation in a number from -1 to 1, computed with 50 digits, the highest power first."""

import builtins
import math
import sys as _sys
from types import ModuleType as _ModuleType
from typing import Any

import numpy as np

from ...compiler.passes.primitives import choose, root, select, where
from ...compiler.passes.scalar_library import modules as _modules
from .airy import airy_ai
from .bessel import bessel_j0, bessel_j1, bessel_y0, bessel_y1
from .bessel_derivatives import bessel_j1_derivative, i0e_derivative, i1_derivative, i1e_derivative, k0e_derivative
from .bits import angle, copysign, gcd, isneginf, isposinf, lcm, left_shift, nextafter, octave, right_shift, signbit
from .erf import erf, erfc
from .erfinv import entr, erfcx, erfinv, log_ndtr, ndtri
from .exp import exp, exp2, exp_fast_range, exp_in_fast_range, expm1, logistic_pdf, sigmoid, with_sign
from .exp import scaled as _scaled
from .gamma import digamma, lgamma
from .hyperbolic import acosh, asinh, atanh, cosh, log_odds, sinh, tanh, tanhshrink
from .incomplete_gamma import igamma, igammac
from .inverse_trig import acos, asin, atan, atan2
from .log import log, log1p, log2, log10
from .modified_bessel import (
    i0,
    i0e,
    i1,
    i1e,
    modified_bessel_k0,
    modified_bessel_k1,
    scaled_modified_bessel_k0,
    scaled_modified_bessel_k1,
)
from .normal import gelu, normal_cdf, normal_pdf
from .normal_derivatives import (
    erfc_ratio,
    erfcx_derivative,
    erfinv_derivative,
    gaussian,
    ndtri_derivative,
)
from .orthogonal_polynomials import orthogonal
from .power import direction, hypot, ldexp, power, rsqrt
from .random.reparameterized import (
    dirichlet_grad,
    gamma_moved,
    standard_gamma_grad,
    standard_gamma_grad_by_shape,
    von_mises_grad,
)
from .saddle_point import binomial_log_prob, gamma_log_prob, log_minus_digamma
from .sinc import sinc, sinc_derivative, spherical_bessel_j0, spherical_bessel_j0_derivative
from .softplus import log1p_exp, log_sigmoid
from .trig import cos, sin, tan
from .zeta import polygamma, zeta, zeta_derivative

# From here on all numbers of a type are whole, so adding this rounds a smaller one to a whole one, half to even.
INTEGRAL_FROM = (8388608.0, 4503599627370496.0)


def is_integer(x: Any) -> Any:
    """Whether `x` has an integer type; a constant once compiled."""
    return type(x)(0.5) == 0


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


def sqrt(x: Any) -> Any:
    return root(x)


def pow(x: Any, y: Any) -> Any:
    if is_integer(x) and is_integer(y):
        return negative_power(x, y) if y < 0 else x**y
    return select(y == 2, x * x, select(y == 1, x * type(x)(1), type(x)(power(x, y))))  # a branch is no vector code


def pow_number(x: Any, y: Any) -> Any:
    """x^y where one `y` is the exponent of a whole loop: the compiler makes a loop of its own of each case."""
    one = type(x)(1)
    if not is_integer(x):
        if y == 1 or y == 2:
            return x * (one if y == 1 else x)
        if y == 3:
            return x * x * x
        if y == 0.5 or y == -0.5:
            return type(x)(sqrt(x) if y > 0 else rsqrt(x))
        if y == -1 or y == -2:
            return type(x)(one / x if y == -1 else one / (x * x))
    return pow(x, y)


def negative_power(x: Any, y: Any) -> Any:
    """An integer to a negative integer power, rounded towards zero: not 0 only for x = 1 and x = -1."""
    if x == 1 or (x == -1 and y % 2 == 0):
        return type(x)(1)
    return type(x)(-1) if x == -1 else type(x)(0)


def divide(x: Any, y: Any) -> Any:
    return x / y


def weighted_by(x: Any, weight: Any) -> Any:
    """x * weight, and 0 for a weight of 0: what does not count may be infinite."""
    return select((weight == 0) & (abs(x) == math.inf), weight, x * weight)


def round(x: Any) -> Any:
    """The nearest whole number, the even one of two; floats that are whole anyway, infinite or nan stay."""
    if is_integer(x):
        return x
    size, integral = abs(x), choose(x, INTEGRAL_FROM[0], INTEGRAL_FROM[1])
    return with_sign(select(size < integral, (size + integral) - integral, size), x)


def floor(x: Any) -> Any:
    nearest = round(x)
    return type(x)(nearest - type(x)(1)) if nearest > x else nearest


def ceil(x: Any) -> Any:
    return -floor(-x)


def trunc(x: Any) -> Any:
    return x if is_integer(x) else with_sign(floor(abs(x)), x)


def round_decimals(x: Any, decimals: Any) -> Any:
    scale = type(x)(np.float64(10.0) ** builtins.abs(decimals))
    return round(x * scale) / scale if decimals >= 0 else round(x / scale) * scale


def floor_divide(x: Any, y: Any) -> Any:
    return x // y


def trunc_divide(x: Any, y: Any) -> Any:
    if is_integer(x):
        below = x // y
        return below + type(below)(1) if x % y != 0 and (x < 0) != (y < 0) else below
    ratio, integral = x / y, floor_divide(abs(x), abs(y))  # a ratio is rounded, and may be whole where it is not
    return type(x)(select(integral == integral, with_sign(integral, ratio), ratio))  # of integers too, for its type


def remainder(x: Any, y: Any) -> Any:
    return x % y


def fmod(x: Any, y: Any) -> Any:
    if is_integer(x):
        rest = x % y
        return rest - y if rest != 0 and (rest < 0) != (x < 0) else rest
    rest = abs(x) % abs(y)
    return -rest if math.copysign(1.0, x) < 0 else rest


def either(condition: Any, x: Any, y: Any) -> Any:
    """`x if condition else y` of a spec where the condition differs between elements: both values are computed."""
    return where(condition, x, y)


def maximum(x: Any, y: Any) -> Any:
    """The larger number; nan when either is. Processors have an instruction for the inner choice, which gives x where y
    is nan. Nothing is left of the outer one where y is a constant, and a loop asks it once where y is one number."""
    return y if y != y else (y if y > x else x)


def minimum(x: Any, y: Any) -> Any:
    return y if y != y else (y if y < x else x)


def fmax(x: Any, y: Any) -> Any:
    return y if x != x else (y if y > x else x)


def fmin(x: Any, y: Any) -> Any:
    return y if x != x else (y if y < x else x)


def lerp(start: Any, end: Any, weight: Any) -> Any:
    """Interpolation from the nearer end, so that it is exact at both; of ends without a finite distance their shares
    are added, of which 0 is none."""
    distance, rest = end - start, type(weight)(1) - weight
    value = select(weight < type(weight)(0.5), start + weight * distance, end - rest * distance)
    shares = select(weight == 0, start, select(rest == 0, end, rest * start + weight * end))
    is_shared = (abs(distance) == math.inf) & (weight * rest >= 0)
    return select(is_shared | ((start == end) & (distance != distance)), shares, value)


def _complex() -> _ModuleType:
    from . import complex as found  # imports this module

    return found


_modules.register(_sys.modules[__name__], _complex, _scaled)
