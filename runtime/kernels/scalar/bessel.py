"""Bessel functions of the first and second kind, of order 0 and 1; Chebyshev's coefficients. In float64 those below 8
are polynomials over the products with their zeros; from there on sqrt(2 / (pi x)) M sin(x + a + phase).
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


ROOT_HALF_PI = 1.2533141373155003
EIGHTH_TURN = (0.7853981633974483, 3.061616997868383e-17)  # pi / 4 in two parts
# sqrt(pi x / 2) M and x phase of order 0 and 1 in 128 / x^2 - 1: relative error at most 2^-53.9
SIZE_0_DOUBLE = (
    -1.117547795263595e-14, 3.281470047274945e-14, -6.445302631902093e-14, 2.407633635622182e-13,
    -1.0403047628946125e-12, 4.680448553196585e-12, -2.426687833024497e-11, 1.5061272841217291e-10,
    -1.1714012429881578e-09, 1.2267298228337263e-08, -1.938051645674489e-07, 5.648404329740897e-06,
    -0.00047634697564100207, 0.9995177971952156,
)  # fmt: skip
PHASE_0_DOUBLE = (
    1.603475963865888e-14, -3.987318608582664e-14, 4.014071548324922e-14, -1.293762838332983e-13,
    5.421055806535029e-13, -1.837060389667415e-12, 6.73793048828243e-12, -2.8050457197097218e-11,
    1.3278730729960155e-10, -7.355335634951522e-10, 4.968350209100369e-09, -4.339695787184612e-08,
    5.359525888887428e-07, -1.0858254768004502e-05, 0.00048509785023360903, -0.12450345867138757,
)  # fmt: skip
SIZE_1_DOUBLE = (
    1.2575134331790177e-14, -3.715584375092708e-14, 7.412887068545241e-14, -2.7927431947473815e-13,
    1.21712491783384e-12, -5.5543590809555805e-12, 2.934357222547974e-11, -1.8686345702315988e-10,
    1.5094721883950738e-09, -1.680303009815214e-08, 2.9645392654222495e-07, -1.0792806394488793e-05,
    0.0014422926297576293, 1.0014534004259625,
)  # fmt: skip
PHASE_1_DOUBLE = (
    -1.7842699632655566e-14, 4.4568764302505856e-14, -4.5794706216335704e-14, 1.4825920917214402e-13,
    -6.207564370432031e-13, 2.1226547148428784e-12, -7.87646502428466e-12, 3.324040095321849e-11,
    -1.6018671819813796e-10, 9.093170981109421e-10, -6.366028614623339e-09, 5.886119402963145e-08,
    -8.039686312374328e-07, 1.9790743828139753e-05, -0.0012394706674387886, 0.37373986827925865,
)  # fmt: skip


def wave(x: Any, even: Any, second: Any) -> Any:
    """J0 (even) or J1 for x >= 8, or Y0 or Y1 (second): sqrt(2 / (pi x)) M times a sine."""
    size = select(x < 8, 8.0, x)
    part = 1.0 / size
    t = 128.0 * part * part - 1.0
    modulus = polynomial(t, SIZE_0_DOUBLE, SIZE_0_DOUBLE) if even else polynomial(t, SIZE_1_DOUBLE, SIZE_1_DOUBLE)
    phase = polynomial(t, PHASE_0_DOUBLE, PHASE_0_DOUBLE) if even else polynomial(t, PHASE_1_DOUBLE, PHASE_1_DOUBLE)
    ahead = 1 if even and not second else -1 if second and not even else 0
    sine = sine_of_eighths(quadrant_of(size, 0.0), part * phase, ahead)
    return select(x == math.inf, 0.0, modulus * sine / (ROOT_HALF_PI * root(size)))


def sine_of_eighths(revolutions: Any, phase: Any, ahead: Any) -> Any:
    """The sine of an angle less pi / 4, and a phase, some quarter turns ahead; their sum is one of two numbers, so that
    it is right near zeros, too."""
    n, r, lost = revolutions
    above = r > 0
    eighth = select(above, -EIGHTH_TURN[0], EIGHTH_TURN[0])
    first = eighth + r
    second = (eighth - first) + r + (select(above, -EIGHTH_TURN[1], EIGHTH_TURN[1]) - lost) + phase
    angle = first + second
    back = angle - first
    low = (first - (angle - back)) + (second - back)
    return sin_of_quarters((n - select(above, 0, 1) + ahead, angle, -low))


TWO_OVER_PI = 0.6366197723675814
# The first zeros, and what two of each three lose
J0_ZEROS, J0_LOST = (
    (2.404825557695773, 5.520078110286311, 8.653727912911013),
    (-1.176691651530894e-16, 8.088597146146722e-17),
)
J1_ZEROS, J1_LOST = (
    (3.8317059702075125, 7.015586669815619, 10.173468135062722),
    (-1.5269184090088067e-16, -9.414165653410389e-17),
)
# In x^2 / 32 - 1: J0(x) and J1(x) / x over products with their zeros, Y0(x) - 2 / pi ln(x) J0(x), and
# (Y1(x) - 2 / pi (ln(x) J1(x) - 1 / x)) / x
J0_SMALL = (
    -4.0194462010229775e-24, 1.9697061636266925e-22, -8.674367086362369e-21, 3.4252979618236075e-19,
    -1.2026689487002463e-17, 3.7264452019055645e-16, -1.010166384828084e-14, 2.371970729349927e-13,
    -4.768506902021294e-12, 8.094862284854645e-11, -1.1411484161768882e-09, 1.3086636321133368e-08,
    -1.1892767699589659e-07, 8.272804159783322e-07, -4.19663832256583e-06, 1.4423681512582508e-05,
    -2.9532957425506736e-05, 2.6662941994458524e-05,
)  # fmt: skip
J1_SMALL = (
    -9.450647176773254e-26, 4.8568326927680884e-24, -2.248714451528652e-22, 9.358030762457758e-21,
    -3.4725528220946786e-19, 1.140715905748686e-17, -3.289865270900718e-16, 8.25101585851272e-15,
    -1.7796220807559005e-13, 3.257660099008529e-12, -4.981043285926637e-11, 6.237657437067592e-10,
    -6.239166126302258e-09, 4.821864203507793e-08, -2.7483022124820187e-07, 1.0759319268040335e-06,
    -2.552238212464633e-06, 2.7271448834411237e-06,
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
# Zeros of Y0 and Y1, and what they lose
Y0_ZEROS = (0.8935769662791675, 3.957678419314858, 7.086051060301773)
Y0_LOST = (2.6596231539720385e-17, -1.0764340697562706e-16, -8.835285723085408e-17)
Y1_ZEROS, Y1_LOST = (2.197141326031017, 5.429681040794135), (-4.8259835876454966e-17, 4.162514026670377e-16)
# Y0 over its zeros for 0.6 <= x <= 2 and 2 <= x <= 8, and Y1 for 1.5 <= x <= 4 and 4 <= x <= 8: at most 2^-52.1
Y0_FIRST = (
    -1.1686814118063149e-08, 2.2382938489763764e-08, 3.889638094720672e-08, -7.432556117173857e-08,
    -1.1350550961979198e-07, 2.175465396888348e-07, 5.298842310562281e-08, -9.910286473819708e-08,
    -3.809311861105425e-07, 7.393143961380627e-07, -9.705466870360609e-07, 1.908748075542279e-06,
    -4.037413551606884e-06, 7.979107354453824e-06, -1.572327470915083e-05, 3.135631141800425e-05,
    -6.290163056423757e-05, 0.0001269053325917653, -0.0002579072067747509, 0.0005287074942071252,
    -0.0010945591520745025, 0.002294234615145723, -0.004958318089975756, 0.010902209243050208,
    -0.018852748713831313, 0.03716326270741976, -0.26954291523822277, 0.7050175147365985,
)  # fmt: skip
Y0_SECOND = (
    9.007348616431338e-10, -1.536850047329314e-09, -5.032564052214862e-09, 8.58146893472136e-09,
    1.502712624207867e-08, -2.562734714749875e-08, -2.565594905708185e-08, 4.372709313637744e-08,
    3.471635630291377e-08, -5.924041666609794e-08, -2.1321739615632857e-08, 3.6150415660935394e-08,
    3.93038527425011e-08, -6.770718395394674e-08, 5.5308245367980054e-08, -9.684332707312427e-08,
    1.9787186073592063e-07, -3.453048505833278e-07, 6.000248850814741e-07, -1.095989685334065e-06,
    1.8132225643074397e-06, -2.0827322038561657e-06, 6.958013811183287e-06, -3.655105108992677e-05,
    -4.442819443618676e-07, 0.000379576486762923, 0.00028230271110081463, -0.004593764066848151,
    -0.0013863990348454039, 0.030181092371029197, 0.006036593236392647, -0.11193702372900227,
    -0.0003203090488812273, 0.1418904988820572,
)  # fmt: skip
Y1_FIRST = (
    -1.2432909873659825e-09, 2.7343041569306093e-09, 2.0682201200486625e-09, -4.5496649513831545e-09,
    -1.3225644828941056e-08, 2.9080835775485657e-08, -2.50470395296988e-08, 5.503402482938425e-08,
    -1.6288102249687526e-07, 3.578405987341608e-07, -7.553590064195714e-07, 1.6583781631148532e-06,
    -3.6546600932136123e-06, 8.015786714234507e-06, -1.7556987655993356e-05, 3.8420973768160346e-05,
    -8.446239009695155e-05, 0.0001855296206455427, -0.0003738271178002612, 0.0007491671602456502,
    -0.00283458988300449, 0.0077578694544525595, 0.01194607336153453, -0.047662023333235035,
    -0.1939851790184638, 0.444994377552601,
)  # fmt: skip
Y1_SECOND = (
    -4.0493537760620326e-13, 1.2120062235785172e-12, -1.1966552493283517e-12, 3.5741640749038408e-12,
    -1.7085267268522567e-11, 5.109452867569469e-11, -1.3915351179851678e-10, 4.09577613160921e-10,
    -1.532973578254464e-09, 4.909060005624749e-09, 4.97970303007174e-09, -3.1938033684672837e-08,
    -8.706186588703831e-07, 3.162430302803332e-06, 2.580742775422634e-05, -8.845219956492849e-05,
    -0.0006332560632008299, 0.0019558289509301777, 0.008984933297514335, -0.024698152488551315,
    -0.06771560979471343, 0.1597784662739026, 0.167757650430663, -0.30686397756106465,
)  # fmt: skip


def bessel_j0(x: Any) -> Any:
    """J0(x); error at most 1.1 and 4.5 ulp, and 1e-17 / sqrt(x) beside zeros above 8 in float64."""
    return choose(x, j0_single, j0_double)(x)


def j0_single(x: Any) -> Any:
    return select(is_small(x), j0_small(x), modulus_and_phase(abs(x), EIGHTH, PHASE_0, SIZE_0))


def j0_small(x: Any) -> Any:
    return by_pieces_with_derivatives(abs(x), small_piece(abs(x)), J0_TABLE)


def j0_double(x: Any) -> Any:
    size, t = abs(x), square_below_8(x)
    return select(size < 8, j0_below_8(size, t), wave(size, True, False))


def j0_below_8(x: Any, t: Any) -> Any:
    return times_zeros(x, J0_ZEROS, J0_LOST, polynomial(t, J0_SMALL, J0_SMALL))


def j1_below_8(x: Any, t: Any) -> Any:
    """J1(x) / x."""
    return times_zeros(x, J1_ZEROS, J1_LOST, polynomial(t, J1_SMALL, J1_SMALL))


def times_zeros(x: Any, zeros: Any, lost: Any, value: Any) -> Any:
    """The product with z^2 - x^2 for each zero."""
    first, second = (zeros[0] - x + lost[0]) * (zeros[0] + x), (zeros[1] - x + lost[1]) * (zeros[1] + x)
    return value * ((zeros[2] - x) * (zeros[2] + x)) * second * first


def square_below_8(x: Any) -> Any:
    """x^2 / 32 - 1 for |x| < 8, else that of 8."""
    small = select(abs(x) < 8, x, 8.0)
    return small * small * 0.03125 - 1.0


def bessel_j1(x: Any) -> Any:
    """J1(x); error at most 1.1 and 4.5 ulp, and 1e-17 / sqrt(x) beside zeros above 8 in float64."""
    return choose(x, j1_single, j1_double)(x)


def j1_single(x: Any) -> Any:
    asymptotic = modulus_and_phase(abs(x), -EIGHTH, PHASE_1, SIZE_1)
    return with_sign(type(x)(1), x) * select(is_small(x), j1_small(abs(x)), asymptotic)


def j1_small(x: Any) -> Any:
    return with_sign(type(x)(1), x) * by_pieces_with_derivatives(abs(x), small_piece(abs(x)), J1_TABLE)


def j1_double(x: Any) -> Any:
    size, t = abs(x), square_below_8(x)
    asymptotic = with_sign(1.0, x) * wave(size, False, False)
    return select(size < 8, x * j1_below_8(size, t), asymptotic)


def bessel_y0(x: Any) -> Any:
    """Y0(x), nan for x < 0; error at most 1.2 and 4.5 ulp, and 1e-17 / sqrt(x) beside zeros above 8 in float64."""
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
    small_part = polynomial(t, Y0_SMALL, Y0_SMALL) + TWO_OVER_PI * log(x) * j0_below_8(x, t)
    second = (x - Y0_ZEROS[1] - Y0_LOST[1]) * (x - Y0_ZEROS[2] - Y0_LOST[2])
    first_piece = (x - Y0_ZEROS[0] - Y0_LOST[0]) * polynomial((x - 1.3) / 0.7, Y0_FIRST, Y0_FIRST)
    pieces = select(x < 2, first_piece, second * polynomial((x - 5.0) / 3.0, Y0_SECOND, Y0_SECOND))
    return with_pole(x, select(x < 0.6, small_part, select(x < 8, pieces, wave(x, True, True))))


def bessel_y1(x: Any) -> Any:
    """Y1(x), nan for x < 0; error at most 1 and 3.5 ulp, and 1e-17 / sqrt(x) beside zeros above 8 in float64."""
    return choose(x, y1_single, y1_double)(x)


def y1_single(x: Any) -> Any:
    asymptotic = modulus_and_phase(x, -3.0 * EIGHTH, PHASE_1, SIZE_1)
    return with_pole(x, select(x < MIXED[1], or_pole(x, y1_small(x), -TWO_OVER_PI), asymptotic))


def y1_small(x: Any) -> Any:
    inside = in_pieces(x, SMALL_Y1.edge)
    return order_1(x, inside, by_pieces_with_derivatives(inside, mixed_piece(inside), Y1_TABLE), SMALL_Y1)


def y1_double(x: Any) -> Any:
    t = square_below_8(x)
    regular = polynomial(t, Y1_SMALL, Y1_SMALL) + TWO_OVER_PI * log(x) * j1_below_8(x, t)
    first_piece = (x - Y1_ZEROS[0] - Y1_LOST[0]) * polynomial((x - 2.75) / 1.25, Y1_FIRST, Y1_FIRST)
    second_piece = (x - Y1_ZEROS[1] - Y1_LOST[1]) * polynomial(0.5 * x - 3.0, Y1_SECOND, Y1_SECOND)
    pieces = select(x < 4, first_piece, second_piece)
    below = select(x < 1.5, x * regular - TWO_OVER_PI / x, pieces)
    return with_pole(x, select(x < 8, below, wave(x, False, True)))


def with_pole(x: Any, value: Any) -> Any:
    """A value for x > 0, minus infinity at 0, and nan below it."""
    return -of_positive(x, -value)
