"""Modified Bessel functions of order 0 and 1, of the first and the second kind; Chebyshev's coefficients. float32 is
computed by pieces, near 0 as in `bessel.py`, and far from it by sqrt(2 x / pi) e^x K(x) and sqrt(2 pi x) e^-x I(x) = 1
+ P(1 / x) / x. What follows the leading 1 is added last, as is what e^r has beyond 1, and what the root was rounded by:
so results are rounded once."""

import math
from typing import Any

from ...compiler.passes.primitives import bits, choose, fma, from_bits, narrow, polynomial, root, select
from .bessel import (
    SMALL_K0,
    SMALL_K0E,
    SMALL_K1,
    SMALL_K1E,
    in_pieces,
    of_positive,
    or_pole,
    order_0,
    order_1,
    scaled_order_0,
    scaled_order_1,
)
from .exp import EXP_SINGLE, clamped, exp, reduced, scaled, with_sign
from .log import log, normal
from .piecewise_polynomial import CENTRAL, MIXED, by_pieces, central_piece, is_small, mixed_piece, small_piece
from .tables import table

I0_TABLE, I0E_TABLE, I1_TABLE, I1E_TABLE, K0_TABLE, K0E_TABLE, K1_TABLE, K1E_TABLE = map(
    table, ("i0", "i0e", "i1", "i1e", "k0", "k0e", "k1", "k1e")
)
# P of I0 and I1 for x >= 15.5, and of K0 and K1 for x >= 21.5: P(1 / x) / x is wrong by 2^-31 at most
I0_ASYMPTOTIC = (0.364564083620851, 0.10325148556002298, 0.07346736823257169, 0.07031045706251604, 0.12500000389169208)
I1_ASYMPTOTIC = (
    -0.4384234656653997, -0.13380747557825437, -0.10280156938315128, -0.11718511969647824, -0.37500000453370724,
)  # fmt: skip
K0_ASYMPTOTIC_SINGLE = (0.09359724672289925, -0.07270843171977714, 0.0703072025320282, -0.12499998914487813)
K1_ASYMPTOTIC_SINGLE = (-0.12140758787802791, 0.10188247768223567, -0.1171809792014793, 0.37499998663587325)
# 1 / (2 pi) and pi / 2 as sums of two float32
INVERSE_TURN = (0.15915493667125702, 6.4206382432985265e-09)
QUARTER_TURN = (1.5707963705062866, -4.371138828673793e-08)
START = 21.0  # where they begin, or before
NOTHING = 104.0  # K0 and K1 from here on are less than half of the least float32
OVERFLOW = 93.0  # I0 and I1 from here on are more than the largest
MIN_EXPONENT = 149  # 2^-149 is the least float32
SMALLEST, LOG_OF_HALF_SMALLEST = 5e-324, -745.1332191019412  # half of it is 0
NORMAL = 2.0**23  # times that is the least normal one; from here on the last bit is worth 1


def root_asymptotic(x: Any, constant: Any, series: Any) -> Any:
    """sqrt(constant / x) (1 + P(1 / x) / x) as value (1 + rest): the value, and the rest."""
    high, part = type(x)(constant[0]), type(x)(1) / x
    value = root(high * part)
    product = x * value
    lost = fma(-value, product, high) + fma(-value, fma(x, value, -product), constant[1])
    return value, fma(part, polynomial(part, series, series), lost * type(x)(0.5 / constant[0]))


def times_exp(x: Any, value: Any, rest: Any) -> Any:
    """value (1 + rest) e^x as a number, and k, a power of two to multiply it by."""
    k, r, low = reduced(x)
    total = r + low
    tail = fma(total * total, polynomial(total, EXP_SINGLE, EXP_SINGLE), low)
    growth = type(x)(1) + (r + tail)
    return fma(value, r + fma(rest, growth, tail), value), k


def with_root(x: Any, constant: Any, series: Any) -> Any:
    """The number that `root_asymptotic` is the parts of; 0 at infinity."""
    value, rest = root_asymptotic(x, constant, series)
    return select(x == math.inf, type(x)(0), fma(value, rest, value))


def growing(x: Any, series: Any) -> Any:
    size = select(x > OVERFLOW, type(x)(OVERFLOW), x)
    value, rest = root_asymptotic(size, INVERSE_TURN, series)
    product, k = times_exp(size, value, rest)
    return scaled(product, k)


def falling(x: Any, series: Any) -> Any:
    size = clamped(x, type(x)(START), type(x)(NOTHING))
    value, rest = root_asymptotic(size, QUARTER_TURN, series)
    product, k = times_exp(-size, value, rest)
    return scaled_down(product, k)


def scaled_down(x: Any, k: Any) -> Any:
    """x 2^k for 0 < x < 1 and -151 <= k < -20, rounded once. Subnormal numbers, which would take many processors a
    hundred times as long, are sums of whole numbers till the end."""
    units = from_bits(x, narrow(x, bits(x) + ((k + MIN_EXPONENT) << 23)))
    integral = narrow(x, bits(units + type(x)(NORMAL)) - bits(type(x)(NORMAL)))
    return from_bits(x, select(units < NORMAL, integral, narrow(x, bits(x) + (k << 23))))


# e^-x I0(x) and e^-x I1(x) / x in x / 4 - 1, for 0 <= x <= 8: relative error at most 2^-53.1 and 2^-52.5
I0E_SMALL = (
    -7.577504169670758e-11,  3.043616766866286e-10,   -5.979776751189886e-10,  2.1878041523620257e-09,
    -9.778492562869525e-09,  3.39695180931004e-08,    -1.0954683272631696e-07, 3.5212842626130005e-07,
    -1.0943037215783013e-06, 3.2498478284328534e-06,  -9.245876837830825e-06,  2.5183377189964778e-05,
    -6.55126765188298e-05,   0.00016241792341840366,  -0.0003829000279159329,  0.0008563093345358882,
    -0.001811887558045123,   0.003617128473996364,    -0.006792399670468935,   0.011960077419502311,
    -0.01968265472821884,    0.0301779121034198,      -0.042985949450092806,   0.056777032011256987,
    -0.06954119561756512,    0.07927522590772476,     -0.08496338091614639,    0.08734341617550408,
    -0.08904344136075998,    0.09451562853995128,     -0.11300432688620549,    0.2070019212239867,
)  # fmt: skip
I1E_SMALL = (
    2.351120264889522e-11,   -9.506861180736366e-11,  1.965113009272093e-10,   -7.277033556073836e-10,
    3.198333859381317e-09,   -1.1224475126135595e-08, 3.6835919591868617e-08,  -1.1993980285486188e-07,
    3.775209816001518e-07,   -1.1381566323785447e-06, 3.2924352911169492e-06,  -9.131775730568571e-06,
    2.4234718882605183e-05,  -6.142655719704761e-05,  0.00014842078447446075,  -0.00034117472445271377,
    0.0007445125009401354,   -0.0015388749696724586,  0.0030057623821174878,   -0.00553456775924123,
    0.009583962156945484,    -0.015571309256763564,   0.023686016957060574,    -0.03367135551992323,
    0.04467457262129803,     -0.055280039227051464,   0.06376740371340574,     -0.06848260620582547,
    0.06805759990951162,     -0.06112433802966629,    0.044687709875608835,
)  # fmt: skip
# sqrt(x) e^-x I0(x) and the same of I1, in 16 / x - 1, for x >= 8: relative error at most 2^-53.8 and 2^-55.5
I0E_ASYMPTOTIC = (
    -6.067631570603006e-11,  -2.0260604287413626e-11, 4.577087631643623e-10,   1.5279202694981569e-10,
    -1.618980683624682e-09,  -5.715843864202709e-10,  3.6379546359011143e-09,  1.5200816953924232e-09,
    -5.95356943826489e-09,   -3.505966530879332e-09,  7.430464650325426e-09,   7.552583062123384e-09,
    -5.404771567579958e-09,  -1.340891754008974e-08,  -6.747657956107524e-09,  7.554691881248808e-09,
    2.1548377974791598e-08,  3.932584334552952e-08,   8.872219737904054e-08,   2.9735985885673923e-07,
    1.4838475658279249e-06,  1.1143033790932038e-05,  0.0001362160743919305,   0.0033605519836678614,
    0.4021765094450081,
)  # fmt: skip
I1E_ASYMPTOTIC = (
    6.305965197150057e-11,   1.8515118828852956e-11,  -4.758818838703853e-10,  -1.4011625179770627e-10,
    1.6848984479705146e-09,  5.295625441161261e-10,   -3.794670896208339e-09,  -1.4387250533041013e-09,
    6.242741219786445e-09,   3.4262341490077958e-09,  -7.888351507862078e-09,  -7.64239413436356e-09,
    5.974437608040264e-09,   1.4034238782067183e-08,  6.734464815301592e-09,   -8.427766093735185e-09,
    -2.337392820814264e-08,  -4.312917729178349e-08,  -1.0001288294864884e-07, -3.483855761044295e-07,
    -1.8349101326980946e-06, -1.5038547200567216e-05, -0.00021923576383388928, -0.009749577193235737,
    0.38939845902587233,
)  # fmt: skip


def i0e(x: Any) -> Any:
    """e^-|x| I0(x); error at most 0.8 and 2.7 ulp."""
    return choose(x, i0e_single, i0e_double)(x)


def i0e_single(x: Any) -> Any:
    return select(is_small(x), i0e_small(x), with_root(abs(x), INVERSE_TURN, I0_ASYMPTOTIC))


def i0e_small(x: Any) -> Any:
    return by_pieces(abs(x), small_piece(abs(x)), I0E_TABLE)


def i0e_double(x: Any) -> Any:
    return scaled_i0(abs(x))


def i1e(x: Any) -> Any:
    """e^-|x| I1(x); error at most 1.3 and 3 ulp."""
    return choose(x, i1e_single, i1e_double)(x)


def i1e_single(x: Any) -> Any:
    return select(is_small(x), i1e_small(x), with_sign(with_root(abs(x), INVERSE_TURN, I1_ASYMPTOTIC), x))


def i1e_small(x: Any) -> Any:
    return with_sign(by_pieces(abs(x), small_piece(abs(x)), I1E_TABLE), x)


def i1e_double(x: Any) -> Any:
    return with_sign(scaled_i1(abs(x)), x)


def i0(x: Any) -> Any:
    """The modified Bessel function of order 0; error at most 1.1 and 3.5 ulp. Exponentials are halved, for overflow."""
    return choose(x, i0_single, i0_double)(x)


def i0_single(x: Any) -> Any:
    return select(is_small(x), i0_small(x), growing(abs(x), I0_ASYMPTOTIC))


def i0_small(x: Any) -> Any:
    return by_pieces(abs(x), small_piece(abs(x)), I0_TABLE)


def i0_double(x: Any) -> Any:
    size = abs(x)
    half = exp(0.5 * size)
    return select(size < 750.0, half * scaled_i0(size) * half, size * math.inf)


def i1(x: Any) -> Any:
    """The modified Bessel function of order 1; error at most 1.5 and 5 ulp."""
    return choose(x, i1_single, i1_double)(x)


def i1_single(x: Any) -> Any:
    return select(is_small(x), i1_small(x), with_sign(growing(abs(x), I1_ASYMPTOTIC), x))


def i1_small(x: Any) -> Any:
    return with_sign(by_pieces(abs(x), small_piece(abs(x)), I1_TABLE), x)


def i1_double(x: Any) -> Any:
    size = abs(x)
    half = exp(0.5 * size)
    return with_sign(select(size < 750.0, half * scaled_i1(size) * half, size * math.inf), x)


def scaled_i0(x: Any) -> Any:
    """e^-x I0(x) for x >= 0."""
    part = 1.0 / select(x < 8, 8.0, x)
    asymptotic = polynomial(16.0 * part - 1.0, I0E_ASYMPTOTIC, I0E_ASYMPTOTIC) * root(part)
    scaled_arg = select(x < 8, x, 8.0) * 0.25 - 1.0
    return select(x < 8, polynomial(scaled_arg, I0E_SMALL, I0E_SMALL), asymptotic)


def scaled_i1(x: Any) -> Any:
    part = 1.0 / select(x < 8, 8.0, x)
    asymptotic = polynomial(16.0 * part - 1.0, I1E_ASYMPTOTIC, I1E_ASYMPTOTIC) * root(part)
    scaled_arg = select(x < 8, x, 8.0)
    return select(x < 8, scaled_arg * polynomial(scaled_arg * 0.25 - 1.0, I1E_SMALL, I1E_SMALL), asymptotic)


# K0(x) + ln(x / 2) I0(x), and x (K1(x) - ln(x / 2) I1(x)), in x^2 / 2 - 1, for 0 < x <= 2
K0_SMALL = (
    1.8282920316203465e-16, 3.518631515801595e-14,  5.45210758976468e-12,   6.623013272794464e-10,
    6.093361934166002e-08,  4.054506619949891e-06,  0.00018280555827901256, 0.005053392643196092,
    0.07177701034240512,    0.3404973210133806,     -0.30362077291575545,
)  # fmt: skip
K1_SMALL = (
    -3.59620154421188e-15,  -6.214271617193096e-13, -8.532735118189087e-11, -9.03212750174071e-09,
    -7.081133770184316e-07, -3.891869064371633e-05, -0.0013831688466153067, -0.02785423521977184,
    -0.24383852886774365,   -0.3322409552403131,    0.8850882877295894,
)  # fmt: skip
# I0(x) and I1(x) / x in x^2: Taylor coefficients; up to 2 what is lost is 2^-57 of them
I0_SERIES = (
    1.4963343967340453e-22,  7.242258480192779e-20,   2.896903392077112e-17,   9.385966990329842e-15,
    2.4028075495244395e-12,  4.709502797067901e-10,   6.781684027777778e-08,   6.781684027777777e-06,
    0.00043402777777777775,  0.015625,                0.25,                    1.0,
)  # fmt: skip
I1_SERIES = (
    6.234726653058522e-24,   3.2919356728148996e-21,  1.4484516960385557e-18,  5.214426105738801e-16,
    1.5017547184527747e-13,  3.363930569334215e-11,   5.651403356481481e-09,   6.781684027777778e-07,
    5.425347222222222e-05,   0.0026041666666666665,   0.0625,                  0.5,
)  # fmt: skip
# sqrt(x) e^x K0(x) and the same of K1, in 4 / x - 1, for x >= 2: relative error at most 2^-55.6
K0_ASYMPTOTIC = (
    -6.183509185741941e-11,  1.0806290149518295e-10,  1.7977981899954878e-10,  -3.0539020868001565e-10,
    -4.506683106759898e-10,  7.977983533091815e-10,   3.233433692180319e-11,   6.837018659348517e-11,
    -1.8006773523392004e-09, 3.791192703615846e-09,   -7.3618275080282515e-09, 1.7056674605334674e-08,
    -4.131061283701578e-08,  1.0295120376495239e-07,  -2.689135887009184e-07,  7.427807838466459e-07,
    -2.1911767539401716e-06, 7.002245564109627e-06,   -2.473520464665274e-05,  9.956054742546008e-05,
    -0.0004797690567629981,  0.0030328918102751935,   -0.031071461824889554,   1.2185953385133905,
)  # fmt: skip
K1_ASYMPTOTIC = (
    6.73716173849808e-11,    -1.1801191034535537e-10, -1.948680720152238e-10,  3.3153918291421876e-10,
    4.921710202548386e-10,   -8.740019154894709e-10,  -2.104015257574649e-11,  -1.0584430289297026e-10,
    2.0346220468711174e-09,  -4.313336112817399e-09,  8.49114322410236e-09,    -1.9827457966367164e-08,
    4.843094038201199e-08,   -1.220284967173793e-07,  3.2298873862640425e-07,  -9.067094776630646e-07,
    2.730040312895642e-06,   -8.961207299463647e-06,  3.284386565057862e-05,   -0.00013959021956830856,
    0.0007357241549046456,   -0.005566729880074451,   0.10334973775386527,     1.363151890371342,
)  # fmt: skip


def modified_bessel_k0(x: Any) -> Any:
    """The modified Bessel function of the second kind of order 0; error at most 1.3 and 7.5 ulp."""
    return choose(x, k0_single, k0_double)(x)


def k0_single(x: Any) -> Any:
    y, more = normal(x)
    return of_positive(x, select(x < MIXED[1], k0_below(y, more), falling(x, K0_ASYMPTOTIC_SINGLE)))


def k0_small(x: Any) -> Any:
    return k0_below(x, -type(x)(0))


def k0_below(y: Any, more: Any) -> Any:
    inside = in_pieces(y, SMALL_K0.edge)
    return order_0(y, more, inside, by_pieces(inside, mixed_piece(inside), K0_TABLE), SMALL_K0)


def k0_double(x: Any) -> Any:
    small = select(x > 2.0, 2.0, x)
    return of_positive(x, select(x > 2.0, exp(-x) * asymptotic_k0(x), small_k0(small)))


def modified_bessel_k1(x: Any) -> Any:
    """The modified Bessel function of the second kind of order 1; error at most 1.7 and 4.5 ulp."""
    return choose(x, k1_single, k1_double)(x)


def k1_single(x: Any) -> Any:
    return of_positive(x, select(x < MIXED[1], or_pole(x, k1_small(x), 1.0), falling(x, K1_ASYMPTOTIC_SINGLE)))


def k1_small(x: Any) -> Any:
    inside = in_pieces(x, SMALL_K1.edge)
    return order_1(x, inside, by_pieces(inside, mixed_piece(inside), K1_TABLE), SMALL_K1)


def k1_double(x: Any) -> Any:
    small = select(x > 2.0, 2.0, x)
    return of_positive(x, select(x > 2.0, exp(-x) * asymptotic_k1(x), small_k1(small)))


def scaled_modified_bessel_k0(x: Any) -> Any:
    """e^x K0(x); error at most 0.7 and 8 ulp."""
    return choose(x, k0e_single, k0e_double)(x)


def k0e_single(x: Any) -> Any:
    y, more = normal(x)
    return of_positive(x, select(x < CENTRAL[1], k0e_below(y, more), with_root(x, QUARTER_TURN, K0_ASYMPTOTIC_SINGLE)))


def k0e_small(x: Any) -> Any:
    return k0e_below(x, -type(x)(0))


def k0e_below(y: Any, more: Any) -> Any:
    inside = in_pieces(y, SMALL_K0E.edge)
    return scaled_order_0(y, more, inside, by_pieces(inside, central_piece(inside), K0E_TABLE))


def k0e_double(x: Any) -> Any:
    small = select(x > 2.0, 2.0, x)
    return of_positive(x, select(x > 2.0, asymptotic_k0(x), exp(small) * small_k0(small)))


def scaled_modified_bessel_k1(x: Any) -> Any:
    """e^x K1(x); error at most 1.1 and 4 ulp."""
    return choose(x, k1e_single, k1e_double)(x)


def k1e_single(x: Any) -> Any:
    asymptotic = with_root(x, QUARTER_TURN, K1_ASYMPTOTIC_SINGLE)
    return of_positive(x, select(x < CENTRAL[1], or_pole(x, k1e_small(x), 1.0), asymptotic))


def k1e_small(x: Any) -> Any:
    inside = in_pieces(x, SMALL_K1E.edge)
    return scaled_order_1(x, inside, by_pieces(inside, central_piece(inside), K1E_TABLE))


def k1e_double(x: Any) -> Any:
    small = select(x > 2.0, 2.0, x)
    return of_positive(x, select(x > 2.0, asymptotic_k1(x), exp(small) * small_k1(small)))


def small_k0(x: Any) -> Any:
    """K0(x) for 0 < x <= 2."""
    square = x * x
    i0 = polynomial(square, I0_SERIES, I0_SERIES)
    return polynomial(0.5 * square - 1.0, K0_SMALL, K0_SMALL) - log_of_half(x) * i0


def small_k1(x: Any) -> Any:
    square = x * x
    i1 = x * polynomial(square, I1_SERIES, I1_SERIES)
    return polynomial(0.5 * square - 1.0, K1_SMALL, K1_SMALL) / x + log_of_half(x) * i1


def log_of_half(x: Any) -> Any:
    return select(x == SMALLEST, LOG_OF_HALF_SMALLEST, log(0.5 * x))


def asymptotic_k0(x: Any) -> Any:
    """e^x K0(x) for x >= 2."""
    part = 1.0 / select(x < 2.0, 2.0, x)
    return polynomial(4.0 * part - 1.0, K0_ASYMPTOTIC, K0_ASYMPTOTIC) * root(part)


def asymptotic_k1(x: Any) -> Any:
    part = 1.0 / select(x < 2.0, 2.0, x)
    return polynomial(4.0 * part - 1.0, K1_ASYMPTOTIC, K1_ASYMPTOTIC) * root(part)
