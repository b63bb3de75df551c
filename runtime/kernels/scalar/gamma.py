"""The logarithm of the gamma function and its derivatives; Chebyshev's coefficients. float32 is computed in float64,
but from near 0 to 2^10 by pieces: below 2^-6 the Taylor series at 1 is added to the pole's term."""

import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import bits, choose, fma, narrow, polynomial, select
from .exp import round_to_int
from .log import log
from .piecewise_polynomial import CENTRAL, by_pieces, by_pieces_with_derivatives, central_piece, lifted
from .tables import table
from .trig import tan

DIGAMMA_TABLE, LGAMMA_TABLE, TRIGAMMA_TABLE = map(table, ("digamma", "lgamma", "trigamma"))
START, END = 2.0**-126, CENTRAL[1]
START_OF_SQUARES = 2.0**-50  # from here on what the rounding of a square loses is a normal number
EULER = 0.5772156649015329
ZETA_2, ZETA_3, ZETA_4 = 1.6449340668482264, 1.2020569031595942, 1.0823232337111382
# ln(gamma(1 + x)) / x, and derivatives of ln(gamma(1 + x)), the highest power first: up to 2^-6 what follows is lost
# beside the pole's term
LOG_GAMMA_OF_ONE = (-ZETA_3 / 3.0, ZETA_2 / 2.0, -EULER)
DIGAMMA_OF_ONE = (ZETA_4, -ZETA_3, ZETA_2, -EULER)
TRIGAMMA_OF_ONE = (3.0 * ZETA_4, -2.0 * ZETA_3, ZETA_2)
LN2 = 0.6931471805599453


def is_positive(x: Any) -> Any:
    return (x >= START) & (x < END)


def has_square(x: Any) -> Any:
    return (x >= START_OF_SQUARES) & (x < END)


def lgamma_positive(x: Any) -> Any:
    """ln(gamma(x)) of a float32 that `is_positive`; error at most 1.9 ulp. Below 2^-6, x = 2^k y, it is ln(gamma(y)) -
    k ln(2) + ln(gamma(1 + x)) - ln(gamma(1 + y))."""
    small = x < CENTRAL[0]
    y = select(small, lifted(x, CENTRAL[0]), x)
    k = np.float32(narrow(x, bits(x) - bits(y)) >> 23)
    central_part = by_pieces_with_derivatives(y, central_piece(y), LGAMMA_TABLE)
    of_one = fma(x, log_gamma_of_one(x), -y * log_gamma_of_one(y))
    return central_part + fma(k, -LN2, select(small, of_one, type(x)(0)))


def log_gamma_of_one(x: Any) -> Any:
    """ln(gamma(1 + x)) / x for x < 2^-5."""
    return polynomial(x, LOG_GAMMA_OF_ONE, LOG_GAMMA_OF_ONE)


def digamma_positive(x: Any) -> Any:
    """digamma(x) of a float32 that `is_positive`, -1 / x + digamma(1 + x) below 2^-6; error at most 1 ulp."""
    part = type(x)(1) / x
    lost = fma(-part, x, 1.0) * part
    small = polynomial(x, DIGAMMA_OF_ONE, DIGAMMA_OF_ONE) - lost - part
    return select(x < CENTRAL[0], small, by_pieces_with_derivatives(x, central_piece(x), DIGAMMA_TABLE))


def trigamma_positive(x: Any) -> Any:
    """trigamma(x) of a float32 that `has_square`, 1 / x^2 + trigamma(1 + x) below 2^-6; error at most 1.2 ulp."""
    square = x * x
    part = type(x)(1) / square
    lost = fma(-part, fma(x, x, -square), fma(-part, square, 1.0))
    small = part + fma(part, lost, polynomial(x, TRIGAMMA_OF_ONE, TRIGAMMA_OF_ONE))
    return select(x < CENTRAL[0], small, by_pieces(x, central_piece(x), TRIGAMMA_TABLE))


PI = 3.141592653589793
HALF_LOG_2PI = 0.9189385332046728
# lgamma(2 + t) / (t (t + 1)) for |t| <= 1: relative error at most 2^-56.0
LOG_GAMMA = (
    1.1443096735005408e-10,  -2.2029817508598198e-10, -4.3369551935947436e-10, 7.781579910182537e-10,
    1.5065893444238337e-09,  -2.7213519871256995e-09, -8.83068874937703e-10,   1.0302382218738562e-09,
    6.950364235408589e-09,   -1.3413634707816507e-08, 1.9122592347208117e-08,  -4.0989550123056e-08,
    9.216002892648523e-08,   -1.9297722928131087e-07, 4.033299153431353e-07,   -8.524589422854706e-07,
    1.8082209960847713e-06,  -3.847458853109349e-06,  8.222164230016273e-06,   -1.7661650808739293e-05,
    3.816889305732298e-05,   -8.309512956943704e-05,  0.0001825526387211675,   -0.00040570739724578336,
    0.0009153769222717087,   -0.00210813083396774,    0.004998641164696715,    -0.012384192193371025,
    0.032965000621155836,    -0.10031730167435392,    0.42278433509846713,
)  # fmt: skip
# sin(pi x) / x in 8 x^2 - 1, for |x| <= 1/2: relative error at most 2^-52.9
SINE = (
    -1.6602689211553513e-16, 4.588274523967674e-14,   -1.0076966755292542e-11, 1.7069665378821027e-09,
    -2.1447169625709586e-07, 1.8956829192485415e-05,  -0.0010924320054891753,  0.03645310559709345,
    -0.5697036803076341,     2.534324262661598,
)  # fmt: skip
# digamma(x) / (x - root) in 2 x - 3, for 1 <= x <= 2: relative error at most 2^-54.2
DIGAMMA = (
    3.436642565860094e-12,   -1.0015117602062808e-11, 8.566371926522047e-12,   -2.7468150389464952e-11,
    1.4147240470372602e-10,  -4.197772636734229e-10,  1.165378200731563e-09,   -3.5032218996509724e-09,
    1.0605741809549775e-08,  -3.181266980138485e-08,  9.538368854097868e-08,   -2.8620904099739414e-07,
    8.589268397166999e-07,   -2.578134894751126e-06,  7.74122874957519e-06,    -2.3258232466707952e-05,
    6.995018926346291e-05,   -0.00021074841288961643, 0.0006368880302815988,   -0.001935066664735652,
    0.005936795278307386,    -0.01855061538173984,    0.06013562106019672,     -0.21181371064073024,
    0.9510558760318328,
)  # fmt: skip
ROOT = (1.4616321449683622, 9.549995429965697e-17)  # of digamma, in two parts
# digamma(x) / (x - root) in 4 x + 2, for -0.75 <= x <= -0.25: relative error at most 2^-52
DIGAMMA_BELOW = (
    -9.74165270316846e-10, 2.3859008045548624e-07, 3.409578446108483e-09, -8.35065281594199e-07,
    -1.1020244620474847e-08, 2.699050285152781e-06, 5.388351650875681e-09, -1.319701382516022e-06,
    -4.408858916832652e-08, 1.0798065125736202e-05, -1.1570115324692932e-07, 2.833723202098616e-05,
    -5.028189029708145e-07, 0.00012314912062824553, -1.9922634645370494e-06, 0.0004879398744088021,
    -7.975565905482306e-06, 0.0019533471615341097, -3.190179667678837e-05, 0.00781301304171052,
    -0.00012764691077012246, 0.0312523526746285, -0.0005120189662940501, 0.12501806089070214,
    -0.002100742686635299, 0.50039607856296, -0.010434366694603415, 2.014848446025936,
    -0.13650615195628696, 8.937031623531025,
)  # fmt: skip
ROOT_BELOW = (-0.5040830082644554, -8.15428206243813e-18)
# Stirling's series and its derivative: B_2k / (2 k (2 k - 1)) and B_2k / (2 k) of Bernoulli's numbers, k = 9 to 1
STIRLING = (
    0.17964437236883057,    -0.029550653594771242,  0.00641025641025641,    -0.0019175269175269176,
    0.0008417508417508417,  -0.0005952380952380953, 0.0007936507936507937,  -0.002777777777777778,
    0.08333333333333333,
)  # fmt: skip
STIRLING_SHORT = STIRLING[-4:]
DIGAMMA_ASYMPTOTIC = (
    3.0539543302701198,    -0.4432598039215686,   0.08333333333333333,   -0.021092796092796094,
    0.007575757575757576,  -0.004166666666666667, 0.003968253968253968,  -0.008333333333333333,
    0.08333333333333333,
)  # fmt: skip


def lgamma(x: Any) -> Any:
    """ln|gamma(x)|; error at most 1.9 and 2.1 ulp for x > 0, and 4 ulp of its largest term for x < 0; branch-free."""
    return choose(x, lgamma_single, lgamma_double)(x)


def lgamma_common(x: Any) -> Any:
    """The same of a float32 that `is_positive`, and of any normal number x > 0 in float64."""
    return choose(x, lgamma_positive, log_gamma)(x)


def lgamma_single(x: Any) -> Any:
    return select(is_positive(x), lgamma_positive(x), np.float32(lgamma_asymptotic(np.float64(x))))


def lgamma_asymptotic(x: Any) -> Any:
    """The same in float64: error at most 1e-10, and 1e-15 times the largest term. Stirling's series from 7 on, where
    seven steps lead, and below 0 what mirrors x: both divide the argument of a logarithm."""
    size, small, below = abs(x), abs(x) < 7.0, x < 0.0
    z, factor = select(small, size + 7.0, size), select(small, seven_factors(size), 1.0)
    sine, is_integral = sine_of_turn(size)
    part = 1.0 / z
    value = stirling(z, log(z), part * polynomial(part * part, STIRLING_SHORT, STIRLING_SHORT))
    rest = log(select(below, PI * factor / (size * sine), 1.0 / factor))
    return select(below & is_integral, math.inf, select(below, -value, value) + rest)


def seven_factors(x: Any) -> Any:
    """x (x + 1) ... (x + 6), from the products of two that are as far from the middle."""
    square = x * (x + 6.0)
    return square * (square + 5.0) * (square + 8.0) * (x + 3.0)


def sine_of_turn(size: Any) -> Any:
    """|sin(pi x)| for x >= 0, and whether x is whole."""
    rest = abs(rest_of_turn(size))
    return sine_of_half(rest), rest == 0


def rest_of_turn(size: Any) -> Any:
    """x >= 0 less the nearest whole number; from 1e15 on all are taken for whole."""
    reduced_angle = select(size < 1e15, size, 0.0)
    nearest, _ = round_to_int(reduced_angle)
    return reduced_angle - nearest


def sine_of_half(x: Any) -> Any:
    return x * polynomial(8.0 * x * x - 1.0, SINE, SINE)


def lgamma_double(x: Any) -> Any:
    size = abs(x)
    value = log_gamma(size)
    sine, is_integral = sine_of_turn(size)
    mirrored = select(is_integral, math.inf, log(PI / (size * sine)) - value)
    return select(x < -1e-100, mirrored, value)


def log_gamma(x: Any) -> Any:
    """ln(gamma(x)) for x >= 0: steps to a polynomial around 2, and from 10 on Stirling's series."""
    large, small = x >= 10, x < 1
    z, factor = steps_down(select(large, 2.5, x))
    value = log(select(large, x, select(small, z, factor)))
    central_part = lgamma_around_two(z - select(small, 1.0, 2.0)) + select(small, -value, value)
    return select(large, stirling(x, value, series(1.0 / select(large, x, 1.0))), central_part)


def stirling(x: Any, log_x: Any, rest: Any) -> Any:
    return (x - 0.5) * (log_x - 1.0) + (HALF_LOG_2PI - 0.5 + rest)


def steps_down(x: Any) -> Any:
    """z < 3 and gamma(x) / gamma(z), for 2 <= x < 10 and a whole number x - z; a smaller x is z itself."""
    z, factor = x, 1.0
    for _ in range(7):
        above = z >= 3
        z = select(above, z - 1.0, z)
        factor = select(above, factor * z, factor)
    return z, factor


def lgamma_around_two(t: Any) -> Any:
    """ln(gamma(2 + t)) for |t| <= 1."""
    return t * (t + 1.0) * polynomial(t, LOG_GAMMA, LOG_GAMMA)


def series(part: Any) -> Any:
    """Stirling's series for x = 1 / part >= 10."""
    return part * polynomial(part * part, STIRLING, STIRLING)


def nearest_distance(x: Any) -> Any:
    """The distance of x >= 0 from the nearest whole number; 0 for infinity."""
    rest = x - math.floor(x) if x < 2.0**52 else 0.0
    return rest if rest <= 0.5 else 1.0 - rest


def digamma(x: Any) -> Any:
    """The derivative of lgamma; error at most 1 and 1.9 ulp for x > 0, and 4 ulp of its largest term for x < 0."""
    return choose(x, digamma_single, digamma_double)(x)


def digamma_single(x: Any) -> Any:
    return select(is_positive(x), digamma_positive(x), np.float32(digamma_asymptotic(np.float64(x))))


def digamma_asymptotic(x: Any) -> Any:
    """The same in float64: error at most 1e-15 times the largest term. The derivative of Stirling's series from 7 on,
    where seven steps lead, and below 0 what mirrors x."""
    size, small, below = abs(x), abs(x) < 7.0, x < 0.0
    z = select(small, size + 7.0, size)
    part = 1.0 / z
    value = log(z) - part * fma(part, polynomial(part * part, DIGAMMA_ASYMPTOTIC, DIGAMMA_ASYMPTOTIC), 0.5)
    value -= select(small, sum_of_seven(size), 0.0)
    rest = rest_of_turn(size)
    cotangent = select(rest == 0, math.nan, sine_of_half(0.5 - abs(rest)) / sine_of_half(rest))
    value += select(below, 1.0 / size + PI * cotangent, 0.0)
    return select(x == 0, -1.0 / x, value)


def sum_of_seven(x: Any) -> Any:
    centered, square = x + 3.0, x * (x + 6.0)
    numerator = fma(square, fma(square, 3.0, 26.0), 40.0)
    return (centered + centered) * numerator / (square * (square + 5.0) * (square + 8.0)) + 1.0 / centered


def digamma_double(x: Any) -> Any:
    if x == 0:
        return -math.copysign(math.inf, x)
    if x > 0 or x != x:
        return digamma_of_positive(x)
    rest = nearest_distance(-x)
    if rest == 0:
        return math.nan
    if -0.75 < x < -0.25:
        return (x - ROOT_BELOW[0] - ROOT_BELOW[1]) * polynomial(4.0 * x + 2.0, DIGAMMA_BELOW, DIGAMMA_BELOW)
    below = -x - math.floor(-x) < 0.5
    turn = PI / tan(PI * rest)
    return digamma_of_positive(1.0 - x) + (turn if below else -turn)


def digamma_of_positive(x: Any) -> Any:
    """digamma(x) for x > 0: around its root by a polynomial, from 10 on by the derivative of Stirling's series."""
    if x >= 10 or x != x:
        part = 1.0 / x
        return log(x) - 0.5 * part - part * part * polynomial(part * part, DIGAMMA_ASYMPTOTIC, DIGAMMA_ASYMPTOTIC)
    shift = 0.0
    if x < 1:
        shift = -1.0 / x
        x += 1.0
    while x > 2:
        x -= 1.0
        shift += 1.0 / x
    return (x - ROOT[0] - ROOT[1]) * polynomial(x + x - 3.0, DIGAMMA, DIGAMMA) + shift
