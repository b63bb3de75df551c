"""The Airy function of the first kind; Chebyshev's coefficients. float32 is computed by pieces, or in float64."""

import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import choose, fma, polynomial, root, select
from .bessel import sine_of_eighths
from .exp import clamped, exp_minus, scaled, scaled_back
from .piecewise_polynomial import NEARER, by_pieces_with_derivatives, power_of_pair, smaller_piece
from .tables import table
from .trig import cos_part, quadrant_fast, quadrant_of, sin_part

AIRY_TABLE = table("airy")
ROOT_PI = 1.772453850905516
ROOT_HALF = 0.7071067811865476
# e^z x^(1/4) Ai(x) for z = 2/3 x^(3/2), x >= 1.25, in 2 z(1.25) / z - 1: relative error at most 2^-53
RIGHT = (
    4.3464409671690125e-09, -5.838758285701656e-09, -2.7981887740274654e-08, 3.7498458152401235e-08,
    8.401366360523415e-08, -1.1246355285605823e-07, -1.5214986062847874e-07, 2.034401823621454e-07,
    1.8578289586919006e-07, -2.48335368779058e-07, -1.5837918326349071e-07, 2.113352155298592e-07,
    1.0087338558491832e-07, -1.352166800291251e-07, -3.93340440037047e-08, 5.080054661055349e-08,
    2.9604976802226666e-08, -4.499593571239842e-08, 4.053608035294025e-08, -7.348851495359557e-08,
    1.4265948103559484e-07, -2.6627842583907727e-07, 5.118567369764235e-07, -1.0234079444983525e-06,
    2.1356368204490893e-06, -4.690900807983192e-06, 1.097527274111722e-05, -2.7825067800663032e-05,
    7.84792424953285e-05, -0.0002574151473922221, 0.0010701790995030817, -0.007009988241191673,
    0.27363097438566175,
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
# Zeros, what they lose, and Ai(x) over its product with them in x / 2 + 2, for -6 <= x <= -2: at most 2^-52.8
ZEROS = (-2.338107410459767, -4.08794944413097, -5.520559828095551)
LOST = (-3.912260409818305e-17, -3.387261694242901e-16, -2.674142599618633e-16)
LEFT = (
    3.288476449987388e-12, -1.574153519208461e-11, -2.882331624075797e-11, 4.0593891481362377e-10,
    -7.524160169916843e-10, -4.339383025319094e-09, 2.4417695883711584e-08, -7.269724157951221e-09,
    -3.1142557846890143e-07, 9.150071751469e-07, 1.3845085863217474e-06, -1.3421392645134938e-05,
    1.6529142095761363e-05, 9.05290910130785e-05, -0.0003269925954406704, -8.64332263794362e-05,
    0.002478442199893489, -0.003538803242330953, -0.00869115260034429, 0.029628373028693988,
    0.0008246475995848003, -0.10991667204386187, 0.10182772668742669, 0.19063721315202153,
    -0.317512525722355, -0.11007704530568925, 0.3161569853639629,
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
# sqrt(pi) x^(1/4) Ai(-x) = M cos(z - pi / 4 + phase) for x >= 6: M and z times the phase in 2 (z(6) / z)^2 - 1
WAVE_SIZE = (
    5.255647435074804e-16, -2.0153916455343613e-15, 6.802982874151534e-15, -3.3704787468521544e-14,
    1.9236261126135122e-13, -1.2656940804293465e-12, 1.0140726887770423e-11, -1.0421669920757229e-10,
    1.4812148717271956e-09, -3.2759589724926724e-08, 1.3862190731335805e-06, -0.00017796767290600377,
    0.9998206117513577,
)  # fmt: skip
WAVE_PHASE = (
    1.410461352164184e-15, -4.706304757748429e-15, 1.2022320801380777e-14, -5.032385691773775e-14,
    2.393599637602108e-13, -1.2319390507579377e-12, 7.326029892091268e-12, -5.20480355144772e-11,
    4.6096125928300725e-10, -5.415922884269557e-09, 9.268932700421558e-08, -2.6936033218344558e-06,
    0.0001793415127029103, -0.06926231070129472,
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
Z_OF_EDGE = 0.9316949906249123
Z_OF_6 = 9.797958971132712


def airy_ai(x: Any) -> Any:
    """Ai(x); at most 1.2 ulp for |x| < 7.75 in float32; in float64 7 ulp."""
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
    """r, |r| <= pi / 4, and n with z = n pi / 2 + r."""
    z, rest = phase_of(x)
    n, r, lost = quadrant_fast(z, 0.0)
    return r - (lost - rest), n


def phase_of(x: Any) -> Any:
    """z = 2/3 x^(3/2) as a sum of two numbers."""
    side = root(x)
    first = x * side
    low = fma(0.5 * side, fma(-side, side, x), fma(x, side, -first))
    z = first * TWO_THIRDS[0]
    return z, fma(first, TWO_THIRDS[0], -z) + fma(first, TWO_THIRDS[1], low * TWO_THIRDS[0])


def airy_double(x: Any) -> Any:
    if x > 1.25:
        return decay(x)
    if x >= -2.0:
        return polynomial(0.5 * x, PIECES_EDGE, PIECES_EDGE)
    if x >= -6.0:
        first, second = x - ZEROS[0] - LOST[0], x - ZEROS[1] - LOST[1]
        return first * second * (x - ZEROS[2] - LOST[2]) * polynomial(0.5 * x + 2.0, LEFT, LEFT)
    return wave(-x)


def decay(x: Any) -> Any:
    """Ai(x) for x >= 1.25; nothing of it is left from 110 on."""
    size = select(x > 110.0, 110.0, x)
    z, rest = phase_of(size)
    k, first, second = exp_minus(-z, rest)
    factor = polynomial(2.0 * Z_OF_EDGE / z - 1.0, RIGHT, RIGHT) / root(root(size))
    return scaled((first + second) * factor, k)


def wave(x: Any) -> Any:
    """Ai(-x) for x >= 6; beyond 2^33 no more than its size is right."""
    if not x < math.inf:
        return x - x if x != x else 0.0
    z, rest = phase_of(select(x < FARTHEST, x, FARTHEST))
    part = Z_OF_6 / z
    t = 2.0 * part * part - 1.0
    n, r, lost = quadrant_of(z, 0.0)
    sine = sine_of_eighths((n, r, lost - rest), polynomial(t, WAVE_PHASE, WAVE_PHASE) / z, 1)
    return polynomial(t, WAVE_SIZE, WAVE_SIZE) * sine / (ROOT_PI * root(root(x)))
