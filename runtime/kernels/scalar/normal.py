"""The standard normal distribution, what gelu is made of. Far from zero float32 is by Mills' ratio: P(X > x) =
e^(-x^2/2) / sqrt(2 pi) / x (1 - 1/x^2 + 3/x^4 - ...). What follows 1 is small, so a sum of two numbers is as exact as
the last one is rounded; the power of e comes as a float32 and a small part of it. Coefficients of the ratio are
least-squares fits, weighted until the largest error was least."""

from typing import Any

from ...compiler.passes.primitives import bits, choose, fma, from_bits, polynomial, select
from .erf import erf_small, erfc_parts, without_exponential
from .exp import BACK, EXP_SINGLE, LN2_SINGLE, LOG2_E, SCALE, SHIFT, exp_minus, scaled, scaled_back, times_power
from .log import LOG2_E_SINGLE
from .piecewise_polynomial import power_of_pair

ROOT_HALF = 0.7071067811865476
DENSITY = 0.3989422804014327  # 1 / sqrt(2 pi)
# e^(-r/2) as a polynomial in r for |r| < 0.694
BELL_SINGLE = tuple(c * (-0.5) ** (6 - k) for k, c in enumerate((*EXP_SINGLE, 1.0, 1.0)))
BELL_SCALED = tuple(c * SCALE for c in BELL_SINGLE)
# e^(x^2/2) P(X > x) as a polynomial in (x - 3) / (x + 3) for 0 <= x <= 14.6: relative error at most 2^-27.2 for x <= 3,
# up to 3 times that beyond
TAIL_F32 = (
    5.374824468162842e-05,  0.00011523949797265232, -0.0003400326531846076, -0.000983617384918034,
    0.002904943423345685,   0.00613207183778286,    -0.04621337354183197,   0.12322502583265305,
    -0.20640261471271515,   0.12151394784450531,
)  # fmt: skip
TAIL_HIGHER, TAIL_SECOND, TAIL_LOWEST = TAIL_F32[:8], TAIL_F32[8], TAIL_F32[9]

# x^2 / 2 = (ROOT x)^2 ln 2
ROOT = 0.8493218002880191
# -760.2 2^-r for |r| <= 0.5, so that the first step is a sum: relative error at most 2^-23.1, 2^-23.6 for r > 0
EXP2_SHORT = (
    1.0, -7.352214336395264, 42.19915771484375, -182.61683654785156, 526.9293823242188, -760.1988525390625,
)  # fmt: skip
# 2^(y^2) P(X > y / ROOT) / 760.2 as a polynomial in y / (y + BEYOND) for 0 <= y <= 12.32: relative error at most 1.7
# times 2^-25 (1 + x^2 / 2), where the rounding of y alone makes 2^-24 x^2 / 2
BEYOND = 3.3988306522369385
TAIL_SHORT = (
    0.0001279015268664807, -0.0004094157775398344, 0.0001950015575857833, 0.0011386603582650423,
    -0.0027758637443184853, 0.003166354261338711, -0.0021000986453145742, 0.0006577226449735463,
)  # fmt: skip
GELU_END = 13.0  # up to here the tail is a normal number in float32


def gelu(x: Any) -> Any:
    """x normal_cdf(x); error at most 5 + 1.9 x^2 ulp for x < 0, 2.6 elsewhere, and 4.0 ulp."""
    return choose(x, gelu_single, gelu_double)(x)


def normal_pdf(x: Any) -> Any:
    """e^(-x^2/2) / sqrt(2 pi); error at most 2.2 and 1.9 ulp."""
    size = abs(x)
    return choose(x, pdf_single, pdf_double)(select(size > choose(x, 14.5, 39.0), choose(x, 14.5, 39.0), size))


def normal_cdf(x: Any) -> Any:
    """The probability of a number below `x`; error at most 6.3 and 3.0 ulp."""
    return choose(x, cdf_single, cdf_double)(x)


def pdf_single(x: Any) -> Any:
    r, shifted = bell_parts(x)
    power = times_power(type(x)(SCALE), shifted)
    return select(x == x, scaled_back(polynomial(r, BELL_SINGLE, BELL_SINGLE) * power * type(x)(DENSITY)), x)


def cdf_single(x: Any) -> Any:
    size = abs(x)
    size = select(size > 14.5, type(x)(14.5), size)
    ratio = (size - type(x)(3)) / (size + type(x)(3))
    r, shifted = bell_parts(size)
    bell = times_power(polynomial(r, BELL_SCALED, BELL_SCALED), shifted)
    asymptotic = fma(ratio, fma(ratio, polynomial(ratio, TAIL_HIGHER, TAIL_HIGHER), TAIL_SECOND), TAIL_LOWEST)
    rest = bell * asymptotic
    return select(x < 0, scaled_back(rest), fma(rest, -BACK, 1.0))


def bell_parts(x: Any) -> Any:
    """r, and n that `SHIFT` was added to, with x^2 = -2 n ln 2 + r, n a whole number; x^2 itself is never rounded."""
    shifted = fma(x * type(x)(-0.5 * LOG2_E), x, SHIFT[0])
    n = shifted - type(x)(SHIFT[0])
    low = n * type(x)(2.0 * LN2_SINGLE[1])
    return fma(x, x, n * type(x)(2.0 * LN2_SINGLE[0])) + low, shifted


def gelu_single(x: Any) -> Any:
    """With fewer operations than normal_cdf takes: in the far tail as exact as if x were wrong by half a unit."""
    size = abs(x)
    is_tail = size >= GELU_END
    size = select(size > 14.5, type(x)(14.5), size)
    bell, ratio = gelu_parts(size, 64)
    small_branch = fma(size * (select(is_tail, type(x)(0), bell) * type(x)(BACK)), ratio, x - negative_part(x))
    return select(is_tail & (x < 0), -scaled_back(-size * bell * ratio), small_branch)


def gelu_small(x: Any) -> Any:
    """The same bits of a float32 |x| < 13, where only subnormal x have subnormal results; 0 keeps its sign."""
    size = abs(x)
    bell, ratio = gelu_parts(size, 0)
    return fma(size * bell, ratio, positive_part(x))


def positive_part(x: Any) -> Any:
    """x above 0, else -0.0, but 0 keeps its sign: the least of bits without signs, one instruction."""
    return from_bits(x, select(bits(x) > -1, bits(x), bits(type(x)(-0.0))))


def negative_part(x: Any) -> Any:
    return select(x < 0, x, type(x)(0))


def gelu_parts(size: Any, power: int) -> Any:
    """Two factors of -2^power P(X > size), both normal numbers where that is."""
    y = size * type(size)(ROOT)
    shift = type(size)(SHIFT[0] + power)
    shifted = fma(-y, y, shift)
    r = fma(y, y, shifted - shift)
    bell = times_power(polynomial(r, EXP2_SHORT, EXP2_SHORT), shifted)
    return bell, polynomial(y / (y + type(size)(BEYOND)), TAIL_SHORT, TAIL_SHORT)


def gelu_double(x: Any) -> Any:
    """Far from zero x normal_cdf(x) is a product of two factors: normal_cdf(x) has a division by x besides."""
    size = abs(x)
    size = select(size > 39, 39.0, size)
    k, first, second = exp_minus(-0.5 * size * size, 0.5 * fma(size, size, -size * size))
    factor = ROOT_HALF * without_exponential(ROOT_HALF * size)
    rest = scaled(fma(first, factor, second * factor), k)
    small_branch = x * fma(erf_small(ROOT_HALF * x), 0.5, 0.5)
    return select(size < 1, small_branch, select(x < 0, -0.0, x) - rest)


def pdf_double(x: Any) -> Any:
    square = x * x
    k, first, second = exp_minus(-0.5 * square, 0.5 * fma(x, x, -square))
    return scaled((first + second) * DENSITY, k)


def cdf_double(x: Any) -> Any:
    """erfc(-x / sqrt(2)) / 2; what the exponent loses when x / sqrt(2) is rounded is put back."""
    size = abs(x)
    size = select(size > 39, 39.0, size)
    k, value = erfc_parts(ROOT_HALF * size, 0.5 * size * size, 0.5 * fma(size, size, -size * size))
    value = scaled(0.5 * value, k)
    small_branch = fma(erf_small(ROOT_HALF * x), 0.5, 0.5)
    return select(size < 1, small_branch, select(x > 0, 1.0 - value, value))


# 1 / sqrt(2 pi) and 1 / sqrt(pi), and what float32 loses of these
DENSITY_PARTS = (0.3989422917366028, -1.1335170080339907e-08)
ROOT_PI_INVERSE = (0.564189612865448, -2.9317691718766525e-08)
# (sqrt(2 pi) x e^(x^2/2) P(X > x) - 1) x^2 in 1/x^2 for x >= 6: error of the ratio at most 2^-29.9
NORMAL = (-447.1488952636719, 92.63752746582031, -14.846317291259766, 2.999134063720703, -0.9999983906745911)
# The same of erfc(x) = 2 P(X > sqrt(2) x)
ERFC = tuple(c * 0.5 ** (5 - k) for k, c in enumerate(NORMAL))
GROWTH = LOG2_E_SINGLE  # that of e^(x^2)
DECAY = (-0.5 * LOG2_E_SINGLE[0], -0.5 * LOG2_E_SINGLE[1])  # and of the density
INVERSE_THRESHOLD = 2.0**-40  # below it, 1/x is so small that nothing but 1 is left


def ratio_of_tail(x: Any, unit: float, numerator: tuple[float, float], coefficients: tuple[float, ...]) -> Any:
    """c / x (1 + P(1/y^2) / y^2) for x = unit y and y >= 6, with c in two parts: as a sum of two numbers. By one
    division: the first number differs from c / x by as much as its product with x does from c, times 1 / x."""
    part = type(x)(1) / x
    inverse = select(part < INVERSE_THRESHOLD / unit, type(x)(INVERSE_THRESHOLD / unit), part) * type(x)(unit)
    square = inverse * inverse
    first = part * type(x)(numerator[0])
    rest = fma(-first, x, numerator[0]) + type(x)(numerator[1])
    return first, fma(square * polynomial(square, coefficients, coefficients), numerator[0], rest) * part


def power_of_square(x: Any, factor: tuple[float, float], more: float) -> Any:
    """e^(f x^2) 2^more as `power_of_pair` gives it, for f x^2 up to 110; x^2 is not rounded."""
    square = x * x
    return power_of_pair(square, fma(x, x, -square), factor, more)
