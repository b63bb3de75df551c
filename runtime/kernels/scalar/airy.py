"""The Airy function of the first kind; Chebyshev's coefficients. float32 is computed by pieces, or in float64."""

import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import choose, fma, polynomial, root, select
from .exp import clamped, exp, scaled_back
from .piecewise_polynomial import NEARER, by_pieces_with_derivatives, power_of_pair, smaller_piece
from .tables import table
from .trig import cos, cos_part, quadrant_fast, sin, sin_part

AIRY_TABLE = table("airy")
ROOT_PI = 1.772453850905516
ROOT_HALF = 0.7071067811865476
# e^z x^(1/4) Ai(x) for z = 2/3 x^(3/2), x >= 2, in 2 z(2) / z - 1: relative error at most 2^-53
RIGHT = (
    2.1232316908239498e-11,  -3.70148522574519e-11,   -5.670475475756458e-11,  9.570574961111267e-11,
    1.423436335504603e-10,   -2.5268259322850853e-10, 2.2013868764659094e-11,  -8.561059138423831e-11,
    6.458984936654302e-10,   -1.3821391778710336e-09, 2.835730988026765e-09,   -6.659269173947729e-09,
    1.6360727579068442e-08,  -4.17987798991145e-08,   1.1275715178528115e-07,  -3.2469628635513144e-07,
    1.0121088235670942e-06,  -3.485109448392831e-06,  1.3671255967361099e-05,  -6.427592276955774e-05,
    0.0003986567748943179,   -0.004122380595849569,   0.2774908024616546,
)  # fmt: skip
# Ai(x) in x / 2, for -2 <= x <= 2
PIECES_EDGE = (
    -3.238166664337726e-12,  -3.6276679519841176e-11, 2.4281566666381623e-10,  -5.253511142591587e-11,
    -4.0610452525560405e-09, 1.6217718420592496e-08,  1.7307763163967186e-11,  -2.3373615175554197e-07,
    8.46595840787933e-07,    8.100432591747949e-11,   -9.98774782418101e-06,   3.2382754993780035e-05,
    -2.643353545491627e-12,  -0.00029963263128641245, 0.0008500484649030692,   -4.190145729619512e-12,
    -0.005842836628946459,   0.014025799660476415,    1.2052740675617993e-14,  -0.06573191207443885,
    0.12623219693788987,     4.486119050870328e-15,   -0.34509253839040904,    0.47337073851708955,
    -1.6405027436598727e-19, -0.5176388075856136,     0.3550280538878172,
)  # fmt: skip
# Ai(x) in x / 2 + 2, for -6 <= x <= -2
LEFT = (
    -5.97777435529691e-11,   2.4464034920824154e-09,  -6.531581881956723e-09,  -3.383929108318493e-08,
    2.0105823931478939e-07,  -4.6263320316518125e-08, -2.6141762840386665e-06, 7.4241863767376655e-06,
    1.2465043832724287e-05,  -0.00011224984028676778, 0.00012786333592909339,  0.0007885640071896336,
    -0.0027162380361511356,  -0.0010851026869828863,  0.021486628262899928,    -0.02832799821901544,
    -0.08134205575575375,    0.25630514094646,        0.0451983057475261,      -1.0280566553280217,
    0.8273195257196408,      2.061423803181899,       -3.0735489809889835,     -1.8036704519505058,
    4.1229983580333815,      0.5621242635943158,      -1.5812571507371627,     -0.07026553294928951,
)  # fmt: skip
# sqrt(pi) x^(1/4) Ai(-x) = P cos(z - pi / 4) + Q / z sin(z - pi / 4) for x >= 6: P in 2 (z(6) / z)^2 - 1
WAVE_P = (
    8.324809497507781e-15,   -3.964892138750453e-14,  1.9317861143009304e-13,  -1.2768786749541768e-12,
    1.0296360699338653e-11,  -1.061321553076175e-10,  1.5157654659991945e-09,  -3.380731473351446e-08,
    1.4520680395191038e-06,  -0.0001903913570848937,  0.9998081211338489,
)  # fmt: skip
# and Q
WAVE_Q = (
    -1.4218049359145358e-15, 4.746374271116433e-15,   -1.2136577206904329e-14, 5.0836019043927295e-14,
    -2.419784538701041e-13,  1.2467883751588452e-12,  -7.425266751937755e-12,  5.286189498391369e-11,
    -4.696128116351274e-10,  5.54492916212269e-09,    -9.570857711182683e-08,  2.823301377968839e-06,
    -0.00019192187800497895, 0.06924959748009735,
)  # fmt: skip
# e^z Ai(x) for a float32 7.75 <= x <= 29 in sqrt(x) - DECAY_CENTER, where it is nearly a float32: relative error at
# most 2^-29.9
DECAY_CENTER = 4.034912109375
DECAY_HIGHER = (
    -2.226538597938088e-08, 1.8231597209705797e-07, -9.96323251456488e-07,  5.127035365148913e-06,
    -2.5759885829756968e-05, 0.00012671950389631093, -0.0006218264461494982, 0.0031309223268181086,
    -0.01721365936100483,
)  # fmt: skip
DECAY_LOWEST = 0.14021582901477814
DECAY = (-0.9617967009544373, 7.028461650952758e-09)  # -2/3 over ln 2
TWO_THIRDS = (0.6666666666666666, 3.700743415417188e-17)
FARTHEST = 2.0**33  # here z is below 2^50
Z_OF_2 = 1.885618083164127
Z_OF_6 = 9.797958971132712


def airy_ai(x: Any) -> Any:
    """Ai(x); at most 1.2 ulp for |x| < 7.75 in float32; in float64 8e-16 for -6 <= x <= 2; below 6e-15 at -40."""
    return choose(x, airy_single, airy_double)(x)


def airy_single(x: Any) -> Any:
    asymptotic = np.float32(wave_of_wide(np.float64(select(x <= -NEARER, -x, type(x)(NEARER)))))
    return select(x <= -NEARER, asymptotic, select(x >= NEARER, decay_of_single(x), airy_small(x)))


def airy_small(x: Any) -> Any:
    """The same of a float32 that `is_nearer`."""
    return by_pieces_with_derivatives(x, smaller_piece(x), AIRY_TABLE)


def decay_of_single(x: Any) -> Any:
    """The same of a float32 x >= 7.75, 0 from 29 on: a power of e times a polynomial in sqrt(x). The exponent is a sum
    of two numbers: the root s lacks (x - s^2) / (2 s), which times x is s (x - s^2) / 2."""
    x = clamped(x, type(x)(NEARER), type(x)(29.0))
    side = root(x)
    first = x * side
    low = fma(side * type(x)(0.5), fma(-side, side, x), fma(x, side, -first))
    power, part = power_of_pair(first, low, DECAY, 64.0)
    t = side - type(x)(DECAY_CENTER)
    more = t * polynomial(t, DECAY_HIGHER, DECAY_HIGHER)
    above = fma(power, DECAY_LOWEST, power * fma(part, more + type(x)(DECAY_LOWEST), more))
    return scaled_back(above)


def wave_of_wide(x: Any) -> Any:
    """Ai(-x) for x >= 7.75 of a float32 as a float64, branch-free; beyond 2^33 no more than its size is right. z and
    what its products lose are reduced to quarter turns; one division gives x^(-1/4) and 1 / z."""
    r, n = reduced_phase(select(x < FARTHEST, x, FARTHEST))
    part = 1.0 / (x * root(root(x)))
    size = x * part
    inverse = 1.5 * part * size
    t = 2.0 * (Z_OF_6 * inverse) * (Z_OF_6 * inverse) - 1.0
    p, q = polynomial(t, WAVE_P, WAVE_P), polynomial(t, WAVE_Q, WAVE_Q) * inverse
    odd = (n & 1) != 0
    first, second = sin_part(r, 0.0), cos_part(r, 0.0)
    s, c = select(odd, second, first), select(odd, -first, second)
    value = ROOT_HALF / ROOT_PI * size * (p * (c + s) + q * (s - c))
    return select(x < math.inf, select((n & 2) != 0, -value, value), 0.0)


def reduced_phase(x: Any) -> Any:
    """r, |r| <= pi / 4, and n with z = 2/3 x^(3/2) = n pi / 2 + r."""
    side = root(x)
    first = x * side
    low = fma(0.5 * side, fma(-side, side, x), fma(x, side, -first))
    z = first * TWO_THIRDS[0]
    rest = fma(first, TWO_THIRDS[0], -z) + fma(first, TWO_THIRDS[1], low * TWO_THIRDS[0])
    n, r, lost = quadrant_fast(z, 0.0)
    return r - (lost - rest), n


def airy_double(x: Any) -> Any:
    if x > 2.0:
        return decay(x)
    if x >= -2.0:
        return polynomial(0.5 * x, PIECES_EDGE, PIECES_EDGE)
    if x >= -6.0:
        return polynomial(0.5 * x + 2.0, LEFT, LEFT)
    return wave(-x)


def decay(x: Any) -> Any:
    side = root(x)
    z = x * side * (2.0 / 3.0)
    return exp(-z) * polynomial(2.0 * Z_OF_2 / z - 1.0, RIGHT, RIGHT) / root(side)


def wave(x: Any) -> Any:
    """Ai(-x) for x >= 6: z - pi / 4 is turned into z by sums of sine and cosine."""
    if not x < math.inf:
        return x - x if x != x else 0.0
    side = root(x)
    z = x * side * (2.0 / 3.0)
    part = Z_OF_6 / z
    t = 2.0 * part * part - 1.0
    p, q = polynomial(t, WAVE_P, WAVE_P), polynomial(t, WAVE_Q, WAVE_Q) / z
    c, s = cos(z), sin(z)
    return ROOT_HALF * (p * (c + s) + q * (s - c)) / (ROOT_PI * root(side))
