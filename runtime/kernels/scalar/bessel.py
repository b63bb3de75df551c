"""Bessel functions of the first and second kind, of order 0 and 1.

A polynomial's coefficients, the highest power first, are those of Chebyshev interpolation in a number that goes from
-1 to 1, computed with 50 digits. float32 is computed in float64.
Below 8 they are polynomials in x^2, and the logarithm's part.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .bessel_far import wave
from .logarithm import log
from .primitives import polynomial

TWO_OVER_PI = 0.6366197723675814
# J0(x), J1(x) / x, Y0(x) - 2 / pi ln(x) J0(x), (Y1(x) - 2 / pi (ln(x) J1(x) - 1 / x)) / x in x^2 / 32 - 1
J0_NEAR = (
    2.878070067455014e-16,   -1.1382224373024272e-14, 3.9908119662761275e-13,  -1.2384637259147907e-11,
    3.3634718625335544e-10,  -7.915407738245845e-09,  1.5956108859013864e-07,  -2.7177491450236107e-06,
    3.847319785739127e-05,   -0.00044354592247272207, 0.00405807898914049,     -0.028472718610869575,
    0.14598884856759273,     -0.507468045847102,      1.0383794611437211,      -0.808088807669687,
    -0.6484692830871837,     0.9303012472958572,      0.04582966485981377,
)  # fmt: skip
J1_NEAR = (
    -3.238244035881746e-16,  1.2095547964761484e-14,  -3.990810305436148e-13,  1.1610590175819576e-11,
    -2.943037882441676e-10,  6.4312687983276065e-09,  -1.1967081644236783e-07, 1.8684525371950874e-06,
    -2.4045748660869658e-05, 0.0002494945813909099,   -0.002029039494570245,   0.012456814392255438,
    -0.054745818212847276,   0.15858376432721938,     -0.2595948652859303,     0.15151665143806634,
    0.08105866038589796,     -0.05814382795599107,
)  # fmt: skip
Y0_NEAR = (
    -6.574807056314511e-16, 2.558039436392922e-14,  -8.810525464319686e-13, 2.681822137847736e-11,
    -7.130516940302427e-10, 1.6391065268260488e-08, -3.21850778850227e-07,  5.321318633735116e-06,
    -7.279541882784653e-05, 0.0008061586060550644,  -0.0070257410572698254, 0.0463670476813471,
    -0.2189574709617165,    0.6721770783431723,     -1.0775477338215995,    0.14412632369302442,
    1.6470964788745466,     -0.8284358903604587,    -0.382250654459425,
)  # fmt: skip
Y1_NEAR = (
    -1.7815800395320226e-17, 7.339060975161991e-16,   -2.6871218482061387e-14, 8.728810134833414e-13,
    -2.4887660224192962e-11, 6.169742613332968e-10,   -1.3153322399136199e-08, 2.380492991366028e-07,
    -3.6009998744473813e-06, 4.467433012914413e-05,   -0.00044381734351146775, 0.0034224907399180455,
    -0.01962875683309943,    0.07854786922242545,     -0.19639839859930425,    0.23507209206669755,
    0.023367571720993584,    -0.24337743079193114,    0.07075985882118005,
)  # fmt: skip


def bessel_j0(x: Any) -> Any:
    """J0(x); error at most 8e-16, and relative to 1 / sqrt(x) for large x."""
    size = abs(np.float64(x))
    if size < 8:
        return type(x)(polynomial(size * size * 0.03125 - 1.0, J0_NEAR, J0_NEAR))
    return type(x)(wave(size, True, False))


def bessel_j1(x: Any) -> Any:
    """J1(x); error at most 8e-16, and relative to 1 / sqrt(x) for large x."""
    wide = np.float64(x)
    size = abs(wide)
    if size < 8:
        return type(x)(wide * polynomial(size * size * 0.03125 - 1.0, J1_NEAR, J1_NEAR))
    value = wave(size, False, False)
    return type(x)(value if wide > 0 else -value)


def bessel_y0(x: Any) -> Any:
    """Y0(x), nan for x < 0; error at most 1e-15 times the larger of 1 and |Y0(x)|."""
    wide = np.float64(x)
    if not wide > 0:
        return type(x)(-math.inf if wide == 0 else math.nan)
    if wide >= 8:
        return type(x)(wave(wide, True, True))
    t = wide * wide * 0.03125 - 1.0
    return type(x)(polynomial(t, Y0_NEAR, Y0_NEAR) + TWO_OVER_PI * log(wide) * polynomial(t, J0_NEAR, J0_NEAR))


def bessel_y1(x: Any) -> Any:
    """Y1(x), nan for x < 0; error at most 1e-15 times the larger of 1 and |Y1(x)|."""
    wide = np.float64(x)
    if not wide > 0:
        return type(x)(-math.inf if wide == 0 else math.nan)
    if wide >= 8:
        return type(x)(wave(wide, False, True))
    t = wide * wide * 0.03125 - 1.0
    regular = wide * (polynomial(t, Y1_NEAR, Y1_NEAR) + TWO_OVER_PI * log(wide) * polynomial(t, J1_NEAR, J1_NEAR))
    return type(x)(regular - TWO_OVER_PI / wide)
