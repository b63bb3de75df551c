"""Bessel functions of the first and second kind, of order 0 and 1; Chebyshev's coefficients. In float64 those below 8
are polynomials in x^2, beside the logarithm's part; from there on sqrt(2 / (pi x)) (P cos(x - a) - Q sin(x - a)).
float32 is computed by pieces, and otherwise so: near 0, with L = ln(x / 2) + gamma, and c = -1 and s = x^2 / 4 for
K0(x), c = 2 / pi and s = -x^2 / 4 for Y0(x), order 0 is c (L (1 + s ...) - s ...). With c = 1 for K1(x) and -2 / pi for
Y1(x), order 1 is c / x + x |c| (L (2 + s ...) - 1 - 5 s / 4 ...) / 4. Pieces of the first doubling have L in the place
of the function, and are for all numbers below as well: x is 2^n times what has its place there, and n ln 2 is added. c
L and c / x are sums of two numbers, so results are rounded once. Far from 0 it is sqrt(2 / (pi x)) M sin(x + a +
phase), the angle in half turns in float64, exact to 2^-50: so results are right next to zeros too. M / sqrt(pi / 2) is
a polynomial in 1 / x^2, and the phase over pi one times 1 / x, for x >= 15.5."""

import math
from typing import Any, NamedTuple

import numpy as np

from ...compiler.passes.primitives import bits, choose, fma, from_bits, narrow, polynomial, root, select
from .exp import with_sign
from .log import LN2_SINGLE, log, normal
from .piecewise_polynomial import CENTRAL, MIXED, by_pieces_with_derivatives, is_small, lifted, mixed_piece, small_piece
from .tables import table
from .trig import SIGNED_INTEGRAL_FROM, SIN_WIDE, half_turn, quadrant_of, sin_of_quarters

J0_TABLE, J1_TABLE, Y0_TABLE, Y1_TABLE = map(table, ("j0", "j1", "y0", "y1"))
SHARE = 0.0704  # of x^2 beside 1: what the squares of s come to in order 0, for x < 2^-4
SCALED = (0.42778354, 0.7497975, 1.000001)  # ((1 + s) e^x - 1) / x for x < 2^-5: error at most 2^-29 / x
SQUARE = (0.25748524, 0.2499106)  # s (1 + 3 s / 8) e^x / x^2 likewise
GROWTH = (0.16918928, 0.49995417, 1.0000002)  # (e^x - 1) / x likewise
MIN_NORMAL = 2.0**-126
UNIT = 2.0**23  # what an exponent is worth among the bits of a float32
SHIFT = 5 / 16  # so many ln 2 more than pieces have, which are then between -0.4 and 0.4


class Logarithm(NamedTuple):
    """Order 0: where pieces begin that are not those of L, c, c ln 2 / UNIT as a sum of two numbers, the sign of s, and
    the exponent of the first pieces, SHIFT added and times UNIT."""

    edge: float
    factor: float
    ln2: float
    ln2_low: float
    sign: float
    exponent: float


class Pole(NamedTuple):
    """Order 1: where such pieces begin, c as a sum of two numbers, |c| ln 2 / 2 / UNIT, and the sign of s."""

    edge: float
    factor: float
    factor_low: float
    half_ln2: float
    sign: float


SMALL_K0 = Logarithm(2 * MIXED[0], -1.0, -LN2_SINGLE[0] / UNIT, -LN2_SINGLE[1] / UNIT, 1.0, (-5 + SHIFT) * UNIT)
SMALL_Y0 = Logarithm(
    2 * MIXED[0], 0.6366197466850281, 0.441253662109375 / UNIT, 1.7538195606903173e-05 / UNIT, -1.0, (-5 + SHIFT) * UNIT
)
SMALL_K0E = SMALL_K0._replace(edge=2 * CENTRAL[0], exponent=(-6 + SHIFT) * UNIT)
SMALL_K1 = Pole(2 * MIXED[0], 1.0, -0.0, 0.34657359 / UNIT, 1.0)
SMALL_Y1 = Pole(2 * MIXED[0], -0.6366197466850281, -2.5682552973194106e-08, 0.2206356 / UNIT, -1.0)
SMALL_K1E = SMALL_K1._replace(edge=2 * CENTRAL[0])


def in_pieces(x: Any, edge: float) -> Any:
    """The number whose piece that of x > 0 is: x itself, or below an edge that of the doubling before the edge."""
    return select(x < edge, lifted(x, 0.5 * edge), x)


def exponent_above(x: Any, inside: Any) -> Any:
    """UNIT times the n of x = 2^n inside."""
    return np.float32(narrow(x, bits(x) - bits(inside)))


def logarithm(y: Any, more: Any, inside: Any, piece: Any, kind: Any) -> Any:
    """(x, n, what is to be added to n `kind.ln2`) for the number y 2^more. Below the edge that makes c L of x; from
    there on x and n are 0, and it is what the piece says."""
    small, n = y < kind.edge, exponent_above(y, inside) + more * type(y)(UNIT)
    n = select(small, n + type(y)(kind.exponent), n)
    return select(small, y, type(y)(0)), n, fma(n, kind.ln2_low, piece)


def order_0(y: Any, more: Any, inside: Any, piece: Any, kind: Any) -> Any:
    """K0 or Y0 of y 2^more, of which `in_pieces` has a piece. Usual numbers have -0.0 for `more`."""
    x, n, rest = logarithm(y, more, inside, piece, kind)
    fourth = type(y)(kind.sign * 0.25)
    term = fma(fma(n, kind.ln2, rest), fourth, -fourth * type(y)(kind.factor))
    term = x * term * fma(x, x * type(y)(kind.sign * SHARE), 1.0)
    return fma(n, kind.ln2, fma(x, term, rest))


def scaled_order_0(y: Any, more: Any, inside: Any, piece: Any) -> Any:
    """e^x K0 of y 2^more likewise: near 0 it is -L (1 + s) e^x + s e^x."""
    x, n, rest = logarithm(y, more, inside, piece, SMALL_K0E)
    term = fma(fma(n, SMALL_K0E.ln2, rest), polynomial(x, SCALED, SCALED), x * polynomial(x, SQUARE, SQUARE))
    return fma(n, SMALL_K0E.ln2, fma(x, term, rest))


def pole(x: Any, inside: Any, piece: Any, kind: Any) -> Any:
    """c / x as a sum of two numbers, and the factor of x beside it: a piece is |c| (L / 2 - 1 / 4)."""
    factor, eighth = type(x)(kind.factor), type(x)(kind.sign * 0.125)
    inverse = type(x)(1) / x
    value = factor * inverse
    lost = (fma(-value, x, factor) + type(x)(kind.factor_low)) * inverse
    large = fma(exponent_above(x, inside), kind.half_ln2, piece)
    term = x * fma(large, eighth, -eighth * abs(factor) * type(x)(0.375))
    return value, lost, fma(x, term, large)


def order_1(x: Any, inside: Any, piece: Any, kind: Any) -> Any:
    """K1 or Y1 of a normal number, of which `in_pieces` has a piece."""
    value, lost, derivative = pole(x, inside, piece, kind)
    return select(x < kind.edge, value + fma(x, derivative, lost), piece)


def scaled_order_1(x: Any, inside: Any, piece: Any) -> Any:
    """e^x K1 likewise: near 0, with g = (e^x - 1) / x, it is 1 / x + g + x slope (1 + x g)."""
    value, lost, derivative = pole(x, inside, piece, SMALL_K1E)
    growth = polynomial(x, GROWTH, GROWTH)
    return select(x < SMALL_K1E.edge, value + (fma(x * derivative, fma(x, growth, 1.0), growth) + lost), piece)


def of_positive(x: Any, value: Any) -> Any:
    """A value for x > 0, infinity at 0, and nan below it and of nan."""
    return select(x > 0, value, select(x == 0, choose(x, math.inf, math.inf), choose(x, math.nan, math.nan)))


def or_pole(x: Any, value: Any, factor: Any) -> Any:
    """A factor over x for a subnormal float32, else a value."""
    return select(x < MIN_NORMAL, type(x)(factor) / x, value)


# Of order 0 and 1: relative error at most 2^-36
SIZE_0 = (-0.39786278451942575, 0.08250446500535559, -0.04986771172126859, 0.7978845607933005)
SIZE_1 = (0.5955934747020891, -0.15415970453320893, 0.14960325729285612, 0.7978845608156314)
# Of half turns: error at most 2^-50
PHASE_0 = (
    118.11465498426065,    -7.250998893702448,   0.5209568249510498,    -0.06670786812919428,
    0.02072329972832609,   -0.039788735772964885,
)  # fmt: skip
PHASE_1 = (
    -147.25251449389623,   9.482815482219912,    -0.7536562888085977,   0.11806011846581209,
    -0.05222271551787843,  0.11936620731891076,
)  # fmt: skip
EIGHTH = 0.25  # half turns


def modulus_and_phase(x: Any, ahead: Any, phases: Any, sizes: Any) -> Any:
    """sqrt(2 / (pi x)) M sin(x + phase), and as many half turns ahead."""
    wide, inverse_root = np.float64(x), root_of_inverse(x)
    part = inverse_root * inverse_root
    square = part * part
    sine = sine_ahead(wide, fma(part, polynomial(square, phases, phases), ahead))
    value = np.float32(inverse_root * polynomial(square, sizes, sizes) * sine)
    return select(x == math.inf, type(x)(0), value)


def sine_ahead(x: Any, ahead: Any) -> Any:
    """sin(x + pi ahead) in float64 of a float32, exact to 2^-34 of it, and of small ones to 2^-50."""
    reduced_angle, rest = half_revolutions(x, ahead)
    value = rest * polynomial(rest * rest, SIN_WIDE, SIN_WIDE)
    return from_bits(value, bits(value) ^ (bits(reduced_angle) << 63))


def root_of_inverse(x: Any) -> Any:
    """1 / sqrt(x) of a float32 in float64, but for 2^-46 of it: a step from what it is in float32."""
    wide, rsqrt_x = np.float64(x), np.float64(root(type(x)(1) / x))
    return fma(0.5 * rsqrt_x, fma(-wide * rsqrt_x, rsqrt_x, 1.0), rsqrt_x)


def inverse_of(x: Any) -> Any:
    wide, rsqrt_x = np.float64(x), np.float64(type(x)(1) / x)
    return fma(rsqrt_x, fma(-wide, rsqrt_x, 1.0), rsqrt_x)


def half_revolutions(x: Any, ahead: Any) -> Any:
    """n, from the last bit of a number on, and r with x / pi + ahead = n + r, |r| < 0.51, exact to 2^-52."""
    first, low = half_turn(x)
    shifted = fma(x, first, ahead) + SIGNED_INTEGRAL_FROM
    return shifted, fma(x, first, SIGNED_INTEGRAL_FROM - shifted) + fma(x, low, ahead)


ROOT_PI = 1.772453850905516
# P and x Q of order 0 and 1 in 128 / x^2 - 1: relative error at most 2^-54.5
P0_ASYMPTOTIC = (
    4.479453416045804e-15,   -1.180002783020184e-14,  1.7716435634547776e-14,  -6.416781008015415e-14,
    2.668750992381705e-13,   -1.0636861151667625e-12, 4.772297614846628e-12,   -2.4882702786880542e-11,
    1.5501079933860844e-10,  -1.2121182069774233e-09, 1.2803760583405539e-08,  -2.0527448156307146e-07,
    6.137416080163085e-06,   -0.0005363673192130047,  0.9994572757882519,
)  # fmt: skip
Q0_ASYMPTOTIC = (
    -4.0574096424030336e-14, 1.0185094098694355e-13,  -1.3137515498826537e-13, 4.605060470396763e-13,
    -1.873640743543296e-12,  6.951785915752245e-12,   -2.8707211071105146e-11, 1.3623497617833053e-10,
    -7.5763304988972e-10,    5.146231602705606e-09,   -4.534972837363434e-08,  5.684971881753781e-07,
    -1.1817110661200976e-05, 0.0005466519279475266,   -0.12444091103610815,
)  # fmt: skip
P1_ASYMPTOTIC = (
    -4.728767819765722e-15,  1.2489929194563941e-14,  -1.8904930097426227e-14, 6.864486664846182e-14,
    -2.861148018572335e-13,  1.1462229852806783e-12,  -5.1756417352379415e-12, 2.720406848040165e-11,
    -1.7131617922370612e-10, 1.3603058049468316e-09,  -1.4708512086159542e-08, 2.4536766222672443e-07,
    -7.95969469849487e-06,   0.0008988049416705579,   1.0009070262780821,
)  # fmt: skip
Q1_ASYMPTOTIC = (
    4.275621822194818e-14,   -1.0759215471978615e-13, 1.3996264453471973e-13,  -4.91574062967655e-13,
    2.002728774766585e-12,   -7.465104477698295e-12,  3.100364837230575e-11,   -1.4816588916791194e-10,
    8.316077350038262e-10,   -5.720890888840857e-09,  5.136105997071193e-08,   -6.633568561050814e-07,
    1.4569614809851411e-05,  -0.0007697167057643706,  0.3742149922195918,
)  # fmt: skip


def wave(x: Any, even: Any, second: Any) -> Any:
    """J0 (even) or J1 for x >= 8, or Y0 or Y1 (second): x - pi / 4 is turned into x by sums of sine and cosine."""
    size = select(x < 8, 8.0, x)
    part = 1.0 / size
    t = 128.0 * part * part - 1.0
    p = polynomial(t, P0_ASYMPTOTIC, P0_ASYMPTOTIC) if even else polynomial(t, P1_ASYMPTOTIC, P1_ASYMPTOTIC)
    q = part * (polynomial(t, Q0_ASYMPTOTIC, Q0_ASYMPTOTIC) if even else polynomial(t, Q1_ASYMPTOTIC, Q1_ASYMPTOTIC))
    n, r, lost = quadrant_of(size, 0.0)
    sine, cosine = sin_of_quarters((n, r, lost)), sin_of_quarters((n + 1, r, lost))
    plus, minus = sine + cosine, sine - cosine
    along, across = (plus, minus) if even else (minus, -plus)
    value = (p * across + q * along if second else p * along - q * across) / (ROOT_PI * root(size))
    return select(x == math.inf, 0.0, value)


TWO_OVER_PI = 0.6366197723675814
# J0(x), J1(x) / x, Y0(x) - 2 / pi ln(x) J0(x), (Y1(x) - 2 / pi (ln(x) J1(x) - 1 / x)) / x in x^2 / 32 - 1
J0_SMALL = (
    2.878070067455014e-16,   -1.1382224373024272e-14, 3.9908119662761275e-13,  -1.2384637259147907e-11,
    3.3634718625335544e-10,  -7.915407738245845e-09,  1.5956108859013864e-07,  -2.7177491450236107e-06,
    3.847319785739127e-05,   -0.00044354592247272207, 0.00405807898914049,     -0.028472718610869575,
    0.14598884856759273,     -0.507468045847102,      1.0383794611437211,      -0.808088807669687,
    -0.6484692830871837,     0.9303012472958572,      0.04582966485981377,
)  # fmt: skip
J1_SMALL = (
    -3.238244035881746e-16,  1.2095547964761484e-14,  -3.990810305436148e-13,  1.1610590175819576e-11,
    -2.943037882441676e-10,  6.4312687983276065e-09,  -1.1967081644236783e-07, 1.8684525371950874e-06,
    -2.4045748660869658e-05, 0.0002494945813909099,   -0.002029039494570245,   0.012456814392255438,
    -0.054745818212847276,   0.15858376432721938,     -0.2595948652859303,     0.15151665143806634,
    0.08105866038589796,     -0.05814382795599107,
)  # fmt: skip
Y0_SMALL = (
    -6.574807056314511e-16, 2.558039436392922e-14,  -8.810525464319686e-13, 2.681822137847736e-11,
    -7.130516940302427e-10, 1.6391065268260488e-08, -3.21850778850227e-07,  5.321318633735116e-06,
    -7.279541882784653e-05, 0.0008061586060550644,  -0.0070257410572698254, 0.0463670476813471,
    -0.2189574709617165,    0.6721770783431723,     -1.0775477338215995,    0.14412632369302442,
    1.6470964788745466,     -0.8284358903604587,    -0.382250654459425,
)  # fmt: skip
Y1_SMALL = (
    -1.7815800395320226e-17, 7.339060975161991e-16,   -2.6871218482061387e-14, 8.728810134833414e-13,
    -2.4887660224192962e-11, 6.169742613332968e-10,   -1.3153322399136199e-08, 2.380492991366028e-07,
    -3.6009998744473813e-06, 4.467433012914413e-05,   -0.00044381734351146775, 0.0034224907399180455,
    -0.01962875683309943,    0.07854786922242545,     -0.19639839859930425,    0.23507209206669755,
    0.023367571720993584,    -0.24337743079193114,    0.07075985882118005,
)  # fmt: skip


def bessel_j0(x: Any) -> Any:
    """J0(x); error at most 1.1 ulp in float32, 8e-16 in float64, and relative to 1 / sqrt(x) from 8 on."""
    return choose(x, j0_single, j0_double)(x)


def j0_single(x: Any) -> Any:
    return select(is_small(x), j0_small(x), modulus_and_phase(abs(x), EIGHTH, PHASE_0, SIZE_0))


def j0_small(x: Any) -> Any:
    return by_pieces_with_derivatives(abs(x), small_piece(abs(x)), J0_TABLE)


def j0_double(x: Any) -> Any:
    size, t = abs(x), square_below_8(x)
    return select(size < 8, polynomial(t, J0_SMALL, J0_SMALL), wave(size, True, False))


def square_below_8(x: Any) -> Any:
    """x^2 / 32 - 1 for |x| < 8, else that of 8."""
    small = select(abs(x) < 8, x, 8.0)
    return small * small * 0.03125 - 1.0


def bessel_j1(x: Any) -> Any:
    """J1(x); error at most 1.1 ulp in float32, 8e-16 in float64, and relative to 1 / sqrt(x) from 8 on."""
    return choose(x, j1_single, j1_double)(x)


def j1_single(x: Any) -> Any:
    asymptotic = modulus_and_phase(abs(x), -EIGHTH, PHASE_1, SIZE_1)
    return with_sign(type(x)(1), x) * select(is_small(x), j1_small(abs(x)), asymptotic)


def j1_small(x: Any) -> Any:
    return with_sign(type(x)(1), x) * by_pieces_with_derivatives(abs(x), small_piece(abs(x)), J1_TABLE)


def j1_double(x: Any) -> Any:
    size, t = abs(x), square_below_8(x)
    asymptotic = with_sign(1.0, x) * wave(size, False, False)
    return select(size < 8, x * polynomial(t, J1_SMALL, J1_SMALL), asymptotic)


def bessel_y0(x: Any) -> Any:
    """Y0(x), nan for x < 0; error at most 1.2 ulp in float32, in float64 1.3e-15 max(1, |Y0(x)|)."""
    return choose(x, y0_single, y0_double)(x)


def y0_single(x: Any) -> Any:
    y, more = normal(x)
    return with_pole(x, select(x < MIXED[1], y0_below(y, more), modulus_and_phase(x, -EIGHTH, PHASE_0, SIZE_0)))


def y0_small(x: Any) -> Any:
    return y0_below(x, -type(x)(0))


def y0_below(y: Any, more: Any) -> Any:
    inside = in_pieces(y, SMALL_Y0.edge)
    return order_0(y, more, inside, by_pieces_with_derivatives(inside, mixed_piece(inside), Y0_TABLE), SMALL_Y0)


def y0_double(x: Any) -> Any:
    t = square_below_8(x)
    small_part = polynomial(t, Y0_SMALL, Y0_SMALL) + TWO_OVER_PI * log(x) * polynomial(t, J0_SMALL, J0_SMALL)
    return with_pole(x, select(x < 8, small_part, wave(x, True, True)))


def bessel_y1(x: Any) -> Any:
    """Y1(x), nan for x < 0; error at most 1 ulp in float32, in float64 1e-15 max(1, |Y1(x)|)."""
    return choose(x, y1_single, y1_double)(x)


def y1_single(x: Any) -> Any:
    asymptotic = modulus_and_phase(x, -3.0 * EIGHTH, PHASE_1, SIZE_1)
    return with_pole(x, select(x < MIXED[1], or_pole(x, y1_small(x), -TWO_OVER_PI), asymptotic))


def y1_small(x: Any) -> Any:
    inside = in_pieces(x, SMALL_Y1.edge)
    return order_1(x, inside, by_pieces_with_derivatives(inside, mixed_piece(inside), Y1_TABLE), SMALL_Y1)


def y1_double(x: Any) -> Any:
    t = square_below_8(x)
    regular = polynomial(t, Y1_SMALL, Y1_SMALL) + TWO_OVER_PI * log(x) * polynomial(t, J1_SMALL, J1_SMALL)
    return with_pole(x, select(x < 8, x * regular - TWO_OVER_PI / x, wave(x, False, True)))


def with_pole(x: Any, value: Any) -> Any:
    """A value for x > 0, minus infinity at 0, and nan below it."""
    return -of_positive(x, -value)
