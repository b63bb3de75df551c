"""The error function."""

from typing import Any

import numpy as np

from ...compiler.passes.primitives import choose, fma, polynomial, select
from .exp import (
    EXP2_DOUBLE,
    EXP2_SINGLE,
    LOG2_E,
    SHIFT,
    exp_minus,
    power_of_two,
    round_to_int,
    scaled,
    times_power,
    with_sign,
)
from .piecewise_polynomial import by_power_pieces, is_nearer, smaller_piece
from .power import EXP2_WIDE
from .tables import table

ERFC_TABLE = table("erfc")
# erf(x) / x - 1 as a polynomial in x^2 for |x| <= 1: relative error of erf at most 2^-29.3 and 2^-56.3
ERF_SINGLE = (
    7.838455348974094e-05,  -0.0008005707059055567, 0.0051878513768315315,  -0.026853594928979874,
    0.11283581703901291,    -0.3761262595653534,    0.12837916612625122,
)  # fmt: skip
ERF_DOUBLE = (
    1.3315939955493304e-10,  -1.5839932763702733e-09, 1.5847529087079215e-08,  -1.6531978738720028e-07,
    1.647864909058422e-06,   -1.492672987939647e-05,  0.00012055379885005091,  -0.000854832836506645,
    0.00522397764981962,     -0.026866170647755816,   0.11283791670969841,     -0.3761263890318408,
    0.1283791670955126,
)  # fmt: skip
# log2(erfc(x)) for 1 <= x <= 4 and for 1 <= x <= 5.95: error of erf at most 2^-29.7 and 2^-57.0
LOG2_ERFC_SINGLE = (
    0.0002689480024855584,  -0.0042531597428023815, 0.031508009880781174,   -0.1487564593553543,
    -0.9206428527832031,    -1.626049280166626,     -0.0004919107304885983,
)  # fmt: skip
LOG2_ERFC_DOUBLE = (
    -7.019005192365041e-12,  2.914783458726046e-10,   -5.612162838621152e-09,  6.626806779531259e-08,
    -5.331720934403786e-07,  3.0510131181378453e-06,  -1.2376536282979927e-05, 3.250784564259933e-05,
    -2.816462376724891e-05,  -0.00019701122565521205, 0.0011152745174435748,   -0.002768465721045684,
    0.0005966200816401258,   0.027393943937233767,    -0.1481680783916957,     -0.9184832233693551,
    -1.6278995615659615,     -7.405111853233496e-07,
)  # fmt: skip
# e^(x^2) erfc(x) as a polynomial in x - 9 for 7.75 <= x <= 10.5: relative error at most 2^-29.1
ERFC_ASYMPTOTIC = (
    -9.959557267476037e-09, 1.0383488869981638e-07, -9.40211631187563e-07, 8.735948039945307e-06,
    -8.10017622511227e-05, 0.0007465156847943041, -0.006840134818274907, 0.06230772395989291,
)  # fmt: skip
# x e^(x^2) erfc(x) as a polynomial in (x - MIDDLE) / (x + MIDDLE) for 0.7 <= x <= 28: relative error at most 2^-59.7.
# At MIDDLE it is 35/64, so that the constant term has no rounding error.
ERFC_CENTER = 3.856823540336794
ERFC_DOUBLE = (
    -5.5543609731598765e-09, 9.74928334722333e-09,    4.481210402092549e-08,   -1.0515974415958113e-07,
    -2.4832117179902773e-07, 9.420085138431344e-07,   8.280645703535372e-07,   -8.065339513912313e-06,
    6.336363122170368e-06,   5.350262913705813e-05,   -0.00018188012505487267, 3.640953964095877e-05,
    0.0016570210981194772,   -0.007554878537792652,   0.021174709797092805,    -0.044726579826987814,
    0.07585876800420215,     -0.10557553822328718,    0.12005302104132623,     -0.1070059050217196,
    0.06352619655183063,     0.546875,
)  # fmt: skip


def erf(x: Any) -> Any:
    """The error function; error at most 1.2 and 1.1 ulp."""
    size = abs(x)
    value = select(size < 1, erf_small(size), type(x)(1) - rest(size))
    return with_sign(value, x)


def rest(x: Any) -> Any:
    """1 - erf(x) for x >= 1, so exact that erf(x) is."""
    shift = choose(x, SHIFT[0], SHIFT[1])
    size = select(x > choose(x, 4.0, 5.95), choose(x, 4.0, 5.95), x)
    exponent = polynomial(size, LOG2_ERFC_SINGLE, LOG2_ERFC_DOUBLE)
    shifted = exponent + shift
    r = exponent - (shifted - shift)
    return fma(r, polynomial(r, EXP2_SINGLE, EXP2_DOUBLE), 1.0) * times_power(type(x)(1), shifted)


def erfc(x: Any) -> Any:
    """1 - erf(x); error at most 0.65 and 3.0 ulp."""
    return choose(x, erfc_single, erfc_double)(x)


def erfc_single(x: Any) -> Any:
    return select(is_nearer(x), erfc_small(x), erfc_asymptotic(x))


def erfc_small(x: Any) -> Any:
    return by_power_pieces(x, smaller_piece(x), ERFC_TABLE)


def erfc_asymptotic(x: Any) -> Any:
    """The same of a float32, |x| >= 7.75, in float64: above 10.5 it is 0, below -7.75 it is 2."""
    wide = np.float64(x)
    size = select(wide < 7.75, 7.75, select(wide > 10.5, 10.5, wide))
    exponent = size * size * -LOG2_E
    n, k = round_to_int(exponent)
    r = exponent - n
    power = fma(r, polynomial(r, EXP2_WIDE, EXP2_WIDE), 1.0) * power_of_two(r, k)
    return np.float32(select(wide < 0, 2.0, power * polynomial(size - 9.0, ERFC_ASYMPTOTIC, ERFC_ASYMPTOTIC)))


def erfc_double(x: Any) -> Any:
    size = abs(x)
    size = select(size > 28, 28.0, size)
    k, value = erfc_parts(select(size < 0.7, 0.7, size), size * size, fma(size, size, -size * size))
    value = scaled(value, k)
    return select(size < 0.75, 1.0 - erf_small(x), select(x < 0, 2.0 - value, value))


def erf_small(x: Any) -> Any:
    """erf(x) for |x| <= 1."""
    return fma(x, polynomial(x * x, ERF_SINGLE, ERF_DOUBLE), x)


def erfc_parts(x: Any, square: Any, low: Any) -> Any:
    """k and v with erfc(x) = 2^k v, for x^2 = square + low, 0.7 <= x <= 28: e^(-x^2) times a polynomial over x."""
    k, first, second = exp_minus(-square, low)
    factor = without_exponential(x)
    part = 1.0 / x
    above = first * factor
    value = above * part
    rest = fma(-value, x, above) + fma(second, factor, fma(first, factor, -above))
    return k, fma(rest, part, value)


def without_exponential(x: Any) -> Any:
    """x e^(x^2) erfc(x) for 0.7 <= x <= 28."""
    return polynomial((x - ERFC_CENTER) / (x + ERFC_CENTER), ERFC_DOUBLE, ERFC_DOUBLE)
