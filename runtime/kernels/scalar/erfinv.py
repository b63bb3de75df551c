"""Inverses of the error function and of the normal distribution. That of erfc, for results of at least 0.47, is a
polynomial in t = sqrt(-ln(q)). Chebyshev's coefficients; those of `erfinv` in float64 are least-squares fits at
Chebyshev's points. float32 is computed by pieces where most data lie, elsewhere in float64."""

import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import choose, fma, polynomial, root, select
from .erf import erfc, without_exponential
from .exp import BACK, clamped, exp, scaled_back, with_sign
from .log import LN2_SINGLE, LOG_SINGLE, log, log1p, log_around_one, log_of_normal, number_double, parts, tail_single
from .normal import DECAY, DENSITY_PARTS, GROWTH, ROOT_PI_INVERSE, normal_cdf, power_of_square, ratio_of_tail
from .normal import ERFC as TAIL_OF_ERFC
from .normal import NORMAL as TAIL_OF_NORMAL
from .piecewise_polynomial import (
    NEARER,
    by_pieces,
    by_power_pieces,
    central_piece,
    is_nearer,
    logarithmic_piece,
    smaller_piece,
    times_pieces,
)
from .tables import table

ERFCX_TABLE, ERFINV_TABLE, LOG_NDTR_TABLE, NDTRI_TABLE = map(table, ("erfcx", "erfinv", "log_ndtr", "ndtri"))
# x / t with erfc(x) = e^(-t^2), for t from 0.8325 to 1.75, 3.5, 7, 14 and 28: relative error at most 2^-53.6
TAIL_1 = (
    -4.549541499513618e-12,  1.6636934306999994e-11,  -1.910956886893149e-11,  -4.429443008741402e-11,
    4.6401716260565174e-10,  -2.35037853464014e-09,   8.285815600872685e-09,   -1.9449176524234446e-08,
    8.593139186406644e-09,   2.1171685510431604e-07,  -1.4472650983206597e-06, 6.176416722898666e-06,
    -1.863428587214363e-05,  2.8857874218727626e-05,  0.00010075639813699449,  -0.001188326241752105,
    0.006890577408849481,    -0.03043731258978175,    0.10832259666922248,     0.7197199459341574,
)  # fmt: skip
TAIL_2 = (
    -1.653272075316845e-12,  2.7245883638670915e-11,  -1.4364500896898318e-10, 5.275785939043485e-10,
    -1.7925160326525943e-09, 5.710532174029463e-09,   -1.6265311473324006e-08, 3.9155163635111145e-08,
    -6.474981247678729e-08,  -4.103516386505778e-08,  1.0621218338985866e-06,  -6.645520902181139e-06,
    3.184462598993401e-05,   -0.00013387940999539145, 0.0005159256137484962,   -0.001853155125023968,
    0.006222885815737816,    -0.019334694644116933,   0.05355991373649402,     0.8850833168033071,
)  # fmt: skip
TAIL_3 = (
    -2.4649374593458068e-12, -1.8481301601031154e-11, 1.5017517971554443e-10,  -5.930392181827149e-10,
    2.2194734777222914e-09,  -8.365833019914537e-09,  3.032365342121157e-08,   -1.0625897317956296e-07,
    3.635377674906343e-07,   -1.2181488634462872e-06, 4.003572132298327e-06,   -1.2915549392270342e-05,
    4.0891066589345175e-05,  -0.00012690476805691056, 0.00038507194379034954,  -0.001136931546388375,
    0.0032371876206748044,   -0.008729671318332641,   0.021353804811001513,    0.9591156072596442,
)  # fmt: skip
TAIL_4 = (
    6.029554612140054e-11,   -1.8456179320051396e-10, 2.754300060982884e-10,   -8.705088502964303e-10,
    3.3072060219682893e-09,  -1.0092038121072708e-08, 3.0016387978862716e-08,  -9.097476674949594e-08,
    2.7444046343299345e-07,  -8.207806472770612e-07,  2.4360582510657333e-06,  -7.16775065998375e-06,
    2.08714050158806e-05,    -5.999941536804964e-05,  0.0001696653767738715,   -0.00046921898176244275,
    0.001256489025113664,    -0.003195643987419988,   0.0073797978724337975,   0.9866917268101814,
)  # fmt: skip
TAIL_5 = (
    3.894198927453326e-11,   -1.1281488980537218e-10, 1.4106915295838713e-10,  -4.321741955246439e-10,
    1.6856872481061794e-09,  -4.932790160155366e-09,  1.3989472858395615e-08,  -4.089991069379962e-08,
    1.1927404581234186e-07,  -3.449738835032459e-07,  9.913477423566215e-07,   -2.8274216313815723e-06,
    7.987677134132463e-06,   -2.229373167257314e-05,  6.123497567859783e-05,   -0.00016452164234314687,
    0.00042789089423339073,  -0.00105599963364571,    0.002361548612850147,    0.9958941640275413,
)  # fmt: skip


def erfc_inverse(q: Any) -> Any:
    """The x with erfc(x) = q for q <= 1/2; infinity for 0, nan below."""
    if not q > 0:
        return math.inf if q == 0 else math.nan
    t = root(-log(q))
    if t < 1.75:
        return t * polynomial((t - 1.29125) / 0.45875, TAIL_1, TAIL_1)
    if t < 3.5:
        return t * polynomial((t - 2.625) / 0.875, TAIL_2, TAIL_2)
    if t < 7:
        return t * polynomial((t - 5.25) / 1.75, TAIL_3, TAIL_3)
    if t < 14:
        return t * polynomial((t - 10.5) / 3.5, TAIL_4, TAIL_4)
    return t * polynomial((t - 21.0) / 7.0, TAIL_5, TAIL_5)


LN2 = 0.6931471805599453
ROOT_TWO = 1.4142135623730951
ROOT_HALF = 0.7071067811865476
ROOT_PI = 1.772453850905516
# float32 is computed by pieces from a start up to an end; for erfinv these are of |x|.
BEFORE_ONE = 1.0 - 2.0**-24
ERFINV_START, ERFINV_END = 2.0**-100, 1.0 - 2.0**-16
NDTRI_START, NDTRI_END = 1.5 * 2.0**-17, 1.0 - 2.0**-16
NDTRI_TAIL_FROM = 1.25 * 2.0**-16  # beyond the smaller of two probabilities outside these
LOG_NDTR_START, LOG_NDTR_END, BEYOND_END = -9.0, 6.0, 7.0
# erfinv(x) / x for w = -ln(1 - x^2): for w <= 5 in 0.4 w - 1, beyond in its root, brought to -1 to 1; a root above 3.75
# has a polynomial of its own. Relative errors at most 2^-53.7, 2^-53.1 and 2^-53.4; in float32, far from 0, 2^-28.4.
CENTER_F64 = (
    2.260225423789071e-10,  -7.735509913007743e-10, -1.452420058298807e-09,  1.0586295676991891e-08,
    -7.442476775922448e-09, -7.032868346594684e-08, 2.0016270341825513e-07,  1.353957744708477e-07,
    -1.8542085968344268e-06, 2.851865414155996e-06, 8.652838350998075e-06,   -4.143213605388098e-05,
    2.0472393361488967e-05, 0.00029219069692224583, -0.000834135640839389,   -0.0004878983995057085,
    0.008525400950793436,   -0.019573561059493302,  -0.026108235777396786,   0.6166006918604168,
    1.501409351110792,
)  # fmt: skip
TAIL_SCALE, TAIL_SHIFT = (1.133830541363598, 1.321063277793057), (3.5353221654543927, 3.953987291723964)
TAIL_F32 = (
    -9.294078592276114e-06, 4.107095459538949e-05,  -4.346131068488864e-05, -0.00012858813452912738,
    0.0006041117940890967,  -0.0013758006962071967, 0.0023489784340922164,  -0.003709618948265188,
    0.005569363392807631,   0.8851584581799093,     2.951328578343118,
)  # fmt: skip
TAIL_F64 = (
    -1.255430931150282e-10,  9.693094589418502e-10,   -1.3580799320836564e-09, -6.838071323430767e-09,
    3.241960938275926e-08,   -3.850357733747009e-08,  -1.552602828025146e-07,  7.956396554129636e-07,
    -1.1559753295937523e-06, -2.7573779120573843e-06, 1.7028942297829748e-05,  -3.1919940586901216e-05,
    -1.8905973067111882e-05, 0.0002804280989837123,   -0.0008999222545214283,  0.0019076464092725822,
    -0.003384884692407211,   0.00550474719340678,     0.7581336774860211,      2.825999578426047,
)  # fmt: skip
LAST_SCALE, LAST_SHIFT = 0.851063829787234, 4.191489361702128
LAST_DOUBLE = (
    2.8868413118499753e-11,  1.1683016605845906e-10,  -6.795300961344802e-10, 7.934258690982357e-10,
    7.469258042694501e-10,   -5.102919605598698e-09,  1.6659092293756476e-08, -4.185207058736538e-08,
    8.352701769229599e-08,   -1.4165207007034616e-07, 2.2531526516704433e-07, -4.0493317710476516e-07,
    1.029004579737849e-06,   -3.542978161720413e-06,  1.3384726297894471e-05, -4.891833865979051e-05,
    0.00015968187980124456,  -0.0003876736587073566,  -0.00012106351267542902, 1.1871230774314012,
    4.774133179415473,
)  # fmt: skip
# t - x - OFF for P(X > x) = e^(-t^2/2) in 1 / t - PART, for 4.7 <= t <= 14.4: error at most 0.01 ulp of x
OFF, PART = 0.40625, 0.140625  # OFF is nearly all of it, and t - OFF is not rounded
NDTRI_TAIL = (
    143721.40625, -25606.20703125, 2859.9775390625, -570.3452758789062, 130.1587677001953,
    -30.34055519104004, 8.366549491882324, -3.1457085609436035, 1.9829741716384888, 0.005336000584065914,
)  # fmt: skip
# (2k - 1)!! (-1/2)^k, k = 7 to 0: sqrt(pi) x e^(x^2) erfc(x) in 1 / x^2, for large x
ERFCX_ASYMPTOTIC = (-1055.7421875, 162.421875, -29.53125, 6.5625, -1.875, 0.75, -0.5, 1.0)


def erfcx(x: Any) -> Any:
    """e^(x^2) erfc(x); error at most 0.7 and 1.9 ulp."""
    return choose(x, erfcx_single, erfcx_double)(x)


def erfcx_single(x: Any) -> Any:
    return select(is_nearer(x), erfcx_small(x), select(x > 0, erfcx_above(x), erfcx_below(x)))


def erfcx_small(x: Any) -> Any:
    return by_power_pieces(x, smaller_piece(x), ERFCX_TABLE)


def erfcx_above(x: Any) -> Any:
    """The same for x >= 7.75: 1 / (sqrt(pi) x), but for a small part."""
    size = select(x > NEARER, x, type(x)(NEARER)) * type(x)(BACK)
    size = select(size < 2.0**100, size, type(x)(2.0**100))  # infinity gives 0
    first, second = ratio_of_tail(size, BACK, ROOT_PI_INVERSE, TAIL_OF_ERFC)
    return scaled_back(first + second)


def erfcx_below(x: Any) -> Any:
    """The same for x <= -7.75: 2 e^(x^2), infinite below -9.38. Of what is not greater -9.4 is computed."""
    power, part = power_of_square(clamped(x, type(x)(-9.4), type(x)(-NEARER)), GROWTH, 0.0)
    half = fma(power, part, power)
    return half + half


def erfcx_double(x: Any) -> Any:
    if x < 0.75:
        square = x * x
        return exp(square) * (1.0 + fma(x, x, -square)) * erfc(x) if x > -26.7 else math.inf
    if x < 28:
        return without_exponential(x) / x
    part = 1.0 / x
    return part * polynomial(part * part, ERFCX_ASYMPTOTIC, ERFCX_ASYMPTOTIC) / ROOT_PI


def erfinv(x: Any) -> Any:
    """The inverse of erf; error at most 0.6 and 2.5 ulp."""
    return choose(x, erfinv_single, erfinv_double)(x)


def erfinv_single(x: Any) -> Any:
    inside = (abs(x) >= ERFINV_START) & (abs(x) < ERFINV_END)
    return select(inside, erfinv_small(x), erfinv_asymptotic(x))


def erfinv_small(x: Any) -> Any:
    """Of a float32, 2^-100 <= |x| < 1 - 2^-16: x times pieces that get shorter up to 1."""
    rest = type(x)(BEFORE_ONE) - abs(x)  # never 1, at the end of all pieces
    return times_pieces(x, abs(x), central_piece(rest), ERFINV_TABLE)


def erfinv_asymptotic(x: Any) -> Any:
    wide = np.float64(x)
    size = abs(wide)
    k, f = log_around_one(select(size < 1, fma(-wide, wide, 1.0), 1.0))
    w = fma(f * f, polynomial(f, LOG_SINGLE, LOG_SINGLE), -fma(number_double(k), LN2, f))
    asymptotic = polynomial(fma(root(w), TAIL_SCALE[0], -TAIL_SHIFT[0]), TAIL_F32, TAIL_F32)
    value = wide * select(size < 0.5, 0.5 * ROOT_PI, asymptotic)
    return np.float32(select(size < 1, value, select(size == 1, wide * math.inf, math.nan)))


def erfinv_double(x: Any) -> Any:
    """x times a function of w = -ln(1 - x^2)."""
    size = abs(x)
    value = x * erfinv_ratio(select(size < 1, fma(-x, x, 1.0), 1.0))
    return select(size < 1, value, select(size == 1, x * math.inf, math.nan))


def erfinv_ratio(power: Any) -> Any:
    """erfinv(x) / x for 1 - x^2 = e^-w."""
    w = -log_of_normal(power)
    v = root(w)
    small_branch = polynomial(fma(w, 0.4, -1.0), CENTER_F64, CENTER_F64)
    asymptotic = polynomial(fma(v, TAIL_SCALE[1], -TAIL_SHIFT[1]), TAIL_F64, TAIL_F64)
    last = polynomial(fma(v, LAST_SCALE, -LAST_SHIFT), LAST_DOUBLE, LAST_DOUBLE)
    return select(w < 5, small_branch, select(v < 3.75, asymptotic, last))


def ndtri(x: Any) -> Any:
    """The inverse of the normal distribution function; error at most 0.7 and 2.8 ulp."""
    return choose(x, ndtri_single, ndtri_double)(x)


def ndtri_single(x: Any) -> Any:
    return select((x >= NDTRI_START) & (x < NDTRI_END), ndtri_center(x), ndtri_tail(x))


def ndtri_center(x: Any) -> Any:
    one, centered = type(x)(1), x - type(x)(0.5)
    rest = one - x
    y = select(rest < x, rest, x)
    factor = select(y < type(x)(0.25), with_sign(one, centered), centered)
    return times_pieces(factor, y, central_piece(y), NDTRI_TABLE)


def ndtri_tail(x: Any) -> Any:
    """The same of other float32: with t = sqrt(-2 ln(q)) for the smaller of the two probabilities q it is t less a
    polynomial in 1 / t. The logarithm is a sum of two numbers, and so is its root."""
    rest = type(x)(1) - x
    q = select(rest < x, rest, x)
    first, second = log_of_probability(select((q > 0) & (q < NDTRI_TAIL_FROM), q, type(x)(NDTRI_START)))
    square = -(first + second)
    t = root(square)
    part = type(x)(1) / t
    low = fma(-t, t, square) - (second + (first + square))
    tail = polynomial(fma(part, fma(-part, t, 1.0), part - type(x)(PART)), NDTRI_TAIL, NDTRI_TAIL)
    value = t - type(x)(OFF) - fma(part * fma(part * type(x)(-0.9), part, -0.5), low, tail)
    value = select(q > 0, value, select(q == 0, type(x)(math.inf), type(x)(math.nan)))
    return select(x < 0.5, -value, value)


def log_of_probability(q: Any) -> Any:
    """2 ln(q) as a sum of two numbers for a float32 q > 0, the first of which is not rounded."""
    n, f = parts(q)
    second = f + fma(n, LN2_SINGLE[1], tail_single(f))
    return n * type(q)(2.0 * LN2_SINGLE[0]), second + second


def ndtri_double(x: Any) -> Any:
    if 0.25 <= x <= 0.75:
        return ROOT_TWO * erfinv_double(x + x - 1.0)
    tail = erfc_inverse(2.0 * x) if x < 0.5 else erfc_inverse(2.0 * (1.0 - x))
    return ROOT_TWO * (-tail if x < 0.5 else tail)


def log_ndtr(x: Any) -> Any:
    """The logarithm of the normal distribution function; error at most 1.1 and 2.7 ulp."""
    return choose(x, log_ndtr_single, log_ndtr_double)(x)


def log_ndtr_single(x: Any) -> Any:
    return select((x > LOG_NDTR_START) & (x <= LOG_NDTR_END), log_ndtr_small(x), log_ndtr_asymptotic(x))


def log_ndtr_small(x: Any) -> Any:
    """The same of a float32, -9 < x <= 6: the greater x is, the faster it decays, and the shorter are the pieces."""
    return by_pieces(x, logarithmic_piece(type(x)(BEYOND_END) - x, 20), LOG_NDTR_TABLE)


def log_ndtr_asymptotic(x: Any) -> Any:
    """The same of other float32: -P(X > x) above 0, and below it -x^2/2 and the logarithm of what that is without."""
    size = clamped(abs(x), type(x)(LOG_NDTR_END), type(x)(2.0**40))  # more changes no logarithm beside x^2/2
    first, second = ratio_of_tail(size, 1.0, DENSITY_PARTS, TAIL_OF_NORMAL)
    power, part = power_of_square(select(size > 14.5, type(x)(14.5), size), DECAY, 64.0)
    above = fma(first, power, power * fma(part, first + second, second))
    below = fma(x * type(x)(-0.5), x, log_of_normal(first + second))
    return select(x > 0, -scaled_back(above), below)


def log_ndtr_double(x: Any) -> Any:
    if x < -1:
        return log(0.5 * erfcx_double(-x * ROOT_HALF)) - 0.5 * x * x
    return log1p(-normal_cdf(-x))


def entr(x: Any) -> Any:
    """-x ln(x), 0 at 0, and minus infinity below."""
    if x > 0:
        return -x * log(x)
    return x if x != x else type(x)(0) if x == 0 else type(x)(-math.inf)
