"""Derivatives of functions of the normal distribution's family, by ratios that neither cancel nor overflow.

Ratios of the repeated integrals of erfc are continued fractions: DLMF 7.18.13. All but `gaussian` are computed in
float64."""

import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import choose, fma, select
from .erfinv import ROOT_HALF, ROOT_PI, erfcx_double, erfinv_double, ndtri_double
from .exp import exp_double, exp_single

FRACTION_FROM = 1.0  # where ratios are continued fractions


def erfc_ratio(n: Any, x: Any) -> Any:
    """i^n erfc(x) / i^(n-1) erfc(x); error at most 10 ulp of the first in float64."""
    z = np.float64(x)
    if z >= FRACTION_FROM or z != z:
        return type(x)(fraction_of_erfc(n, z))
    ratio, k = 0.5 * ROOT_PI * erfcx_double(z), 0.0
    while k < n:
        k += 1.0
        ratio = (0.5 / ratio - z) / k
    return type(x)(ratio)


def fraction_of_erfc(n: Any, z: Any) -> Any:
    k = math.floor(12.0 + 200.0 / (z * z)) + n if z == z else n
    ratio = 0.0
    while k >= n:
        ratio = 0.5 / (z + (k + 1.0) * ratio)
        k -= 1.0
    return ratio


def erfcx_derivative(n: Any, x: Any) -> Any:
    """The derivative of order n of e^(x^2) erfc(x); error at most 10 ulp of the first in float64."""
    z = np.float64(x)
    if z < FRACTION_FROM:
        return type(x)(erfcx_recurrence(n, z))
    value, ratio, k = erfcx_double(z), fraction_of_erfc(n, z), n
    while k >= 1:
        value *= -2.0 * k * ratio
        ratio = 0.5 / (z + k * ratio)
        k -= 1
    return type(x)(value)


def erfcx_recurrence(n: Any, x: Any) -> Any:
    here = erfcx_double(x)
    after, k = 2.0 * x * here - 2.0 / ROOT_PI, 0.0
    while k < n:
        k += 1.0
        here, after = after, 2.0 * (x * after + k * here)
    return here


def erfinv_derivative(x: Any) -> Any:
    """sqrt(pi) / 2 e^(y^2) for y = erfinv(x), by e^(y^2) erfc(y) over 1 - |x|; error at most 6 ulp in float64."""
    wide = np.float64(x)
    rest = 1.0 - abs(wide)
    if not rest > 0:
        return type(x)(math.inf if rest == 0 else math.nan)
    return type(x)(0.5 * ROOT_PI * erfcx_double(abs(erfinv_double(wide))) / rest)


def ndtri_derivative(x: Any) -> Any:
    """1 / normal_pdf(ndtri(x)) likewise; error at most 6 ulp in float64."""
    wide = np.float64(x)
    q = select(wide < 0.5, wide, 1.0 - wide)
    if not q > 0:
        return type(x)(math.inf if q == 0 else math.nan)
    return type(x)(ROOT_HALF * ROOT_PI * erfcx_double(ROOT_HALF * abs(ndtri_double(wide))) / q)


def gaussian(x: Any) -> Any:
    """e^(-x^2), by what the rounding of x^2 loses; error at most 1.9 and 1.6 ulp."""
    size, end = abs(x), choose(x, 10.2, 27.3)
    size = select(size > end, end, size)
    square = size * size
    value = choose(x, exp_single, exp_double)(-square)
    return fma(value, -fma(size, size, -square), value)
