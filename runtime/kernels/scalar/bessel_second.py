"""Modified Bessel functions of the second kind, of order 0 and 1, and the spherical one of order 0.

A polynomial's coefficients, the highest power first, are those of Chebyshev interpolation in a number that goes from
-1 to 1, computed with 50 digits. float32 is computed in float64.
Errors of functions are given for float64: the largest that was found.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .bessel_modified import scaled_i0, scaled_i1
from .circular import sin
from .exponential import exp
from .logarithm import log
from .primitives import polynomial, root

# K0(x) + ln(x / 2) I0(x), and x (K1(x) - ln(x / 2) I1(x)), in x^2 / 2 - 1, for 0 < x <= 2
K0_NEAR = (
    1.8282920316203465e-16, 3.518631515801595e-14,  5.45210758976468e-12,   6.623013272794464e-10,
    6.093361934166002e-08,  4.054506619949891e-06,  0.00018280555827901256, 0.005053392643196092,
    0.07177701034240512,    0.3404973210133806,     -0.30362077291575545,
)  # fmt: skip
K1_NEAR = (
    -3.59620154421188e-15,  -6.214271617193096e-13, -8.532735118189087e-11, -9.03212750174071e-09,
    -7.081133770184316e-07, -3.891869064371633e-05, -0.0013831688466153067, -0.02785423521977184,
    -0.24383852886774365,   -0.3322409552403131,    0.8850882877295894,
)  # fmt: skip
# sqrt(x) e^x K0(x) and the same of K1, in 4 / x - 1, for x >= 2: relative error at most 2^-55.6
K0_FAR = (
    -6.183509185741941e-11,  1.0806290149518295e-10,  1.7977981899954878e-10,  -3.0539020868001565e-10,
    -4.506683106759898e-10,  7.977983533091815e-10,   3.233433692180319e-11,   6.837018659348517e-11,
    -1.8006773523392004e-09, 3.791192703615846e-09,   -7.3618275080282515e-09, 1.7056674605334674e-08,
    -4.131061283701578e-08,  1.0295120376495239e-07,  -2.689135887009184e-07,  7.427807838466459e-07,
    -2.1911767539401716e-06, 7.002245564109627e-06,   -2.473520464665274e-05,  9.956054742546008e-05,
    -0.0004797690567629981,  0.0030328918102751935,   -0.031071461824889554,   1.2185953385133905,
)  # fmt: skip
K1_FAR = (
    6.73716173849808e-11,    -1.1801191034535537e-10, -1.948680720152238e-10,  3.3153918291421876e-10,
    4.921710202548386e-10,   -8.740019154894709e-10,  -2.104015257574649e-11,  -1.0584430289297026e-10,
    2.0346220468711174e-09,  -4.313336112817399e-09,  8.49114322410236e-09,    -1.9827457966367164e-08,
    4.843094038201199e-08,   -1.220284967173793e-07,  3.2298873862640425e-07,  -9.067094776630646e-07,
    2.730040312895642e-06,   -8.961207299463647e-06,  3.284386565057862e-05,   -0.00013959021956830856,
    0.0007357241549046456,   -0.005566729880074451,   0.10334973775386527,     1.363151890371342,
)  # fmt: skip


def modified_bessel_k0(x: Any) -> Any:
    """The modified Bessel function of the second kind of order 0; error at most 7.5 ulp."""
    wide = np.float64(x)
    return type(x)(exp(-wide) * far_k0(wide) if wide > 2.0 else near_k0(wide))


def modified_bessel_k1(x: Any) -> Any:
    """The modified Bessel function of the second kind of order 1; error at most 4.5 ulp."""
    wide = np.float64(x)
    return type(x)(exp(-wide) * far_k1(wide) if wide > 2.0 else near_k1(wide))


def scaled_modified_bessel_k0(x: Any) -> Any:
    """e^x K0(x); error at most 8 ulp."""
    wide = np.float64(x)
    return type(x)(far_k0(wide) if wide > 2.0 else exp(wide) * near_k0(wide))


def scaled_modified_bessel_k1(x: Any) -> Any:
    """e^x K1(x); error at most 4 ulp."""
    wide = np.float64(x)
    return type(x)(far_k1(wide) if wide > 2.0 else exp(wide) * near_k1(wide))


def spherical_bessel_j0(x: Any) -> Any:
    """sin(x) / x; error at most 1.5 ulp for |x| < 3."""
    wide = np.float64(x)
    if abs(wide) == math.inf:
        return type(x)(0.0)
    return type(x)(1.0 if wide == 0.0 else sin(wide) / wide)


def near_k0(x: Any) -> Any:
    """K0(x) for x <= 2: infinite at 0, nan below."""
    if not x > 0.0:
        return math.inf if x == 0.0 else math.nan
    return polynomial(0.5 * x * x - 1.0, K0_NEAR, K0_NEAR) - log(0.5 * x) * exp(x) * scaled_i0(x)


def near_k1(x: Any) -> Any:
    """K1(x) for x <= 2: infinite at 0, nan below."""
    if not x > 0.0:
        return math.inf if x == 0.0 else math.nan
    return polynomial(0.5 * x * x - 1.0, K1_NEAR, K1_NEAR) / x + log(0.5 * x) * exp(x) * scaled_i1(x)


def far_k0(x: Any) -> Any:
    """e^x K0(x) for x >= 2."""
    part = 1.0 / x
    return polynomial(4.0 * part - 1.0, K0_FAR, K0_FAR) * root(part)


def far_k1(x: Any) -> Any:
    """e^x K1(x) for x >= 2."""
    part = 1.0 / x
    return polynomial(4.0 * part - 1.0, K1_FAR, K1_FAR) * root(part)
