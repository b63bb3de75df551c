"""Bessel functions of order 0 and 1 for large arguments: sqrt(2 / (pi x)) (P cos(x - a) - Q sin(x - a)).

A polynomial's coefficients, the highest power first, are those of Chebyshev interpolation in a number that goes from
-1 to 1, computed with 50 digits.
"""

from __future__ import annotations

import math
from typing import Any

from .circular import cos, sin
from .primitives import polynomial, root

ROOT_PI = 1.772453850905516
# P and x Q of order 0 and 1 in 128 / x^2 - 1: relative error at most 2^-54.5
P0_FAR = (
    4.479453416045804e-15,   -1.180002783020184e-14,  1.7716435634547776e-14,  -6.416781008015415e-14,
    2.668750992381705e-13,   -1.0636861151667625e-12, 4.772297614846628e-12,   -2.4882702786880542e-11,
    1.5501079933860844e-10,  -1.2121182069774233e-09, 1.2803760583405539e-08,  -2.0527448156307146e-07,
    6.137416080163085e-06,   -0.0005363673192130047,  0.9994572757882519,
)  # fmt: skip
Q0_FAR = (
    -4.0574096424030336e-14, 1.0185094098694355e-13,  -1.3137515498826537e-13, 4.605060470396763e-13,
    -1.873640743543296e-12,  6.951785915752245e-12,   -2.8707211071105146e-11, 1.3623497617833053e-10,
    -7.5763304988972e-10,    5.146231602705606e-09,   -4.534972837363434e-08,  5.684971881753781e-07,
    -1.1817110661200976e-05, 0.0005466519279475266,   -0.12444091103610815,
)  # fmt: skip
P1_FAR = (
    -4.728767819765722e-15,  1.2489929194563941e-14,  -1.8904930097426227e-14, 6.864486664846182e-14,
    -2.861148018572335e-13,  1.1462229852806783e-12,  -5.1756417352379415e-12, 2.720406848040165e-11,
    -1.7131617922370612e-10, 1.3603058049468316e-09,  -1.4708512086159542e-08, 2.4536766222672443e-07,
    -7.95969469849487e-06,   0.0008988049416705579,   1.0009070262780821,
)  # fmt: skip
Q1_FAR = (
    4.275621822194818e-14,   -1.0759215471978615e-13, 1.3996264453471973e-13,  -4.91574062967655e-13,
    2.002728774766585e-12,   -7.465104477698295e-12,  3.100364837230575e-11,   -1.4816588916791194e-10,
    8.316077350038262e-10,   -5.720890888840857e-09,  5.136105997071193e-08,   -6.633568561050814e-07,
    1.4569614809851411e-05,  -0.0007697167057643706,  0.3742149922195918,
)  # fmt: skip


def wave(x: Any, even: Any, second: Any) -> Any:
    """J0 (even) or J1 for x >= 8, or Y0 or Y1 (second): x - pi / 4 is turned into x by sums of sine and cosine."""
    if not x < math.inf:
        return x - x if x != x else 0.0
    part = 1.0 / x
    t = 128.0 * part * part - 1.0
    p = polynomial(t, P0_FAR, P0_FAR) if even else polynomial(t, P1_FAR, P1_FAR)
    q = part * (polynomial(t, Q0_FAR, Q0_FAR) if even else polynomial(t, Q1_FAR, Q1_FAR))
    plus, minus = sin(x) + cos(x), sin(x) - cos(x)
    along, across = (plus, minus) if even else (minus, -plus)
    return (p * across + q * along if second else p * along - q * across) / (ROOT_PI * root(x))
