"""Inverses of the error function and of the normal distribution, and what stays of erfc without its exponential.

A polynomial's coefficients, the highest power first, are those of Chebyshev interpolation in a number that goes from
-1 to 1, computed with 50 digits. float32 is computed in float64.
Errors of functions are given for float64: the largest that was found.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .error import ERFC_DOUBLE, MIDDLE, erfc
from .exponential import exp
from .inverse_erfc import erfc_inverse
from .logarithm import log, log1p
from .normal import normal_cdf
from .primitives import fma, polynomial

ROOT_TWO = 1.4142135623730951
ROOT_HALF = 0.7071067811865476
ROOT_PI = 1.772453850905516
# erfinv(x) / x in 8 x^2 - 1, for |x| <= 1/2: relative error at most 2^-54.2
ERFINV = (
    3.655702828927595e-15,  2.7415675767303887e-14, 1.930085363663532e-13,  1.4725045058101758e-12,
    1.1336795812171404e-11, 8.785252799610099e-11,  6.879321338613199e-10,  5.456542916315438e-09,
    4.3982777499014594e-08, 3.619864126626641e-07,  3.0637436236934544e-06, 2.697700101018418e-05,
    0.0002522747551746085,  0.0026140273452605754,  0.03356743029704947,    0.9174083670522701,
)  # fmt: skip
# (2k - 1)!! (-1/2)^k, k = 7 to 0: sqrt(pi) x e^(x^2) erfc(x) in 1 / x^2, for large x
ERFCX_FAR = (-1055.7421875, 162.421875, -29.53125, 6.5625, -1.875, 0.75, -0.5, 1.0)


def erfcx(x: Any) -> Any:
    """e^(x^2) erfc(x); error at most 1.9 ulp."""
    return type(x)(erfcx_double(np.float64(x)))


def erfcx_double(x: Any) -> Any:
    if x < 0.75:
        square = x * x
        return exp(square) * (1.0 + fma(x, x, -square)) * erfc(x) if x > -26.7 else math.inf
    if x < 28:
        return polynomial((x - MIDDLE) / (x + MIDDLE), ERFC_DOUBLE, ERFC_DOUBLE) / x
    part = 1.0 / x
    return part * polynomial(part * part, ERFCX_FAR, ERFCX_FAR) / ROOT_PI


def erfinv(x: Any) -> Any:
    """The inverse of erf; error at most 2.5 ulp."""
    wide = np.float64(x)
    size = abs(wide)
    if size <= 0.5:
        return type(x)(wide * polynomial(8.0 * wide * wide - 1.0, ERFINV, ERFINV))
    return type(x)(math.copysign(erfc_inverse(1.0 - size), wide))


def ndtri(x: Any) -> Any:
    """The inverse of the normal distribution function; error at most 2.8 ulp."""
    wide = np.float64(x)
    if 0.25 <= wide <= 0.75:
        return type(x)(ROOT_TWO * erfinv(wide + wide - 1.0))
    tail = erfc_inverse(2.0 * wide) if wide < 0.5 else erfc_inverse(2.0 * (1.0 - wide))
    return type(x)(ROOT_TWO * (-tail if wide < 0.5 else tail))


def log_ndtr(x: Any) -> Any:
    """The logarithm of the normal distribution function; error at most 2.7 ulp."""
    wide = np.float64(x)
    if wide < -1:
        return type(x)(log(0.5 * erfcx_double(-wide * ROOT_HALF)) - 0.5 * wide * wide)
    return type(x)(log1p(-normal_cdf(-wide)))


def entr(x: Any) -> Any:
    """-x ln(x), 0 at 0, and minus infinity below."""
    if x > 0:
        return -x * log(x)
    return x if x != x else type(x)(0) if x == 0 else type(x)(-math.inf)
