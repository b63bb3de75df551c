"""The arithmetic of element-wise expressions on complex numbers, from that on real ones, under the names of `scalar`; a
real number is one without an imaginary part. At branch cuts the sign of a zero part tells the side, as in C99. asin to
atanh are after W. Kahan, "Branch cuts for complex elementary functions, or much ado about nothing's sign bit", 1987."""

import math
from typing import Any

import numpy as np

from . import abs as real_abs
from . import asinh as real_asinh
from . import atan2
from . import cosh as real_cosh
from . import exp as real_exp
from . import exp2 as real_exp2
from . import expm1 as real_expm1
from . import hypot as real_hypot
from . import isfinite as real_isfinite
from . import isinf as real_isinf
from . import isnan as real_isnan
from . import log as real_log
from . import log1p as real_log1p
from . import sinh as real_sinh
from . import sqrt as real_sqrt
from . import where as real_where
from .sinc import parts_of_turn
from .trig import cos_without_tables as real_cos
from .trig import sin_without_tables as real_sin

LN2 = 0.6931471805599453
LN10 = 2.302585092994046
PI = 3.141592653589793
SERIES_TERMS = 24
TANH_IS_ONE = 20.0  # |tanh(x)| rounds to 1 from here on


def abs(z: Any) -> Any:
    return real_hypot(z.real, z.imag)


def sgn(z: Any) -> Any:
    length = abs(z)
    return complex(z.real / length, z.imag / length) if length != 0 else complex(z.real, z.imag)


def conj(z: Any) -> Any:
    return z.conjugate()


def real(z: Any) -> Any:
    return z.real


def imag(z: Any) -> Any:
    return z.imag


def angle(z: Any) -> Any:
    return atan2(z.imag, z.real)


def isnan(z: Any) -> Any:
    return real_isnan(z.real) or real_isnan(z.imag)


def isinf(z: Any) -> Any:
    return real_isinf(z.real) or real_isinf(z.imag)


def isfinite(z: Any) -> Any:
    return real_isfinite(z.real) and real_isfinite(z.imag)


def divide(z: Any, w: Any) -> Any:
    """z / w without overflow on the way (R. L. Smith, 1962); infinite, and no exception, where w is 0."""
    x, y = w.real, w.imag
    if x == 0 and y == 0:
        return complex(z.real / x, z.imag / x)
    if real_abs(x) >= real_abs(y):
        ratio = y / x
        size = x + y * ratio
        return complex((z.real + z.imag * ratio) / size, (z.imag - z.real * ratio) / size)
    ratio = x / y
    size = x * ratio + y
    return complex((z.real * ratio + z.imag) / size, (z.imag * ratio - z.real) / size)


def sqrt(z: Any) -> Any:
    """The root in the right half-plane; its larger part comes first, without cancellation."""
    x, y = z.real, z.imag
    larger = real_sqrt((real_abs(x) + real_hypot(x, y)) / type(x)(2))
    smaller = real_abs(y) / (larger + larger) if larger != 0 else larger
    if x >= 0:
        return complex(larger, type(x)(math.copysign(smaller, y)))
    return complex(smaller, type(x)(math.copysign(larger, y)))


def hypot(z: Any, w: Any) -> Any:
    """sqrt(z^2 + w^2) by the roots of its factors, of which none overflows."""
    rotated = complex(-z.imag, z.real)
    return sqrt(w + rotated) * sqrt(w - rotated)


def rsqrt(z: Any) -> Any:
    root, square = sqrt(z), abs(z)
    return complex(root.real / square, -root.imag / square)


def pow(z: Any, w: Any) -> Any:
    if w == 2:
        return complex(z.real, z.imag) * z
    if w == 0:
        return exp(z - z)
    if z == 0 and w.real > 0:
        return complex(z.real, z.imag)
    return exp(w * log(z))


def pow_number(z: Any, w: Any) -> Any:
    return pow(z, w)


def exp(z: Any) -> Any:
    length, y = real_exp(z.real), z.imag
    if y == 0:
        return complex(length, y)
    return complex(length * real_cos(y), length * real_sin(y))


def exp2(z: Any) -> Any:
    length, angle = real_exp2(z.real), z.imag * type(z.real)(LN2)
    return complex(length * real_cos(angle), length * real_sin(angle))


def expm1(z: Any) -> Any:
    x, y = z.real, z.imag
    half = real_sin(y / type(y)(2))
    return complex(real_expm1(x) * real_cos(y) - (half + half) * half, real_exp(x) * real_sin(y))


def log_abs(x: Any, y: Any) -> Any:
    """ln|x + iy|, exact also near |x + iy| = 1."""
    x, y = real_abs(x), real_abs(y)
    large, small = (x, y) if x > y else (y, x)
    one = type(x)(1)
    if large > one / (one + one) and large < one + one:
        return real_log1p((large - one) * (large + one) + small * small) / (one + one)
    return real_log(real_hypot(x, y))


def log(z: Any) -> Any:
    return complex(log_abs(z.real, z.imag), atan2(z.imag, z.real))


def log2(z: Any) -> Any:
    value, scale = log(z), type(z.real)(LN2)
    return complex(value.real / scale, value.imag / scale)


def log10(z: Any) -> Any:
    value, scale = log(z), type(z.real)(LN10)
    return complex(value.real / scale, value.imag / scale)


def log1p(z: Any) -> Any:
    x, y = z.real, z.imag
    one = type(x)(1)
    two = one + one
    if real_abs(x) * two < one and real_abs(y) * two < one:
        return complex(real_log1p(x * (two + x) + y * y) / two, atan2(y, one + x))
    return complex(log_abs(one + x, y), atan2(y, one + x))


def sigmoid(z: Any) -> Any:
    """1 / (1 + e^-z), from the exponential that does not overflow."""
    if z.real < 0:
        small = exp(z)
        return divide(small, type(small)(1) + small)
    small = exp(-z)
    return divide(type(small)(1), type(small)(1) + small)


def logistic_pdf(z: Any) -> Any:
    small = exp(z if z.real < 0 else -z)
    total = type(small)(1) + small
    return divide(divide(small, total), total)


def weighted_by(z: Any, weight: Any) -> Any:
    return z * weight if weight != 0 else complex(weight.real, weight.imag)


def sin(z: Any) -> Any:
    return complex(real_sin(z.real) * real_cosh(z.imag), real_cos(z.real) * real_sinh(z.imag))


def cos(z: Any) -> Any:
    return complex(real_cos(z.real) * real_cosh(z.imag), -real_sin(z.real) * real_sinh(z.imag))


def sinc(z: Any) -> Any:
    one = type(z.real)(1)
    return complex(one, one - one) if z == 0 else divide(sine_of_turn(z), z * type(z.real)(PI))


def sine_of_turn(z: Any) -> Any:
    """sin(pi z): nothing of the real part is rounded."""
    (sine, cosine), y = parts_of_turn(np.float64(z.real)), z.imag * type(z.imag)(PI)
    return complex(type(y)(sine) * real_cosh(y), type(y)(cosine) * real_sinh(y))


def cosine_of_turn(z: Any) -> Any:
    (sine, cosine), y = parts_of_turn(np.float64(z.real)), z.imag * type(z.imag)(PI)
    return complex(type(y)(cosine) * real_cosh(y), -type(y)(sine) * real_sinh(y))


def sinc_derivative(n: Any, z: Any) -> Any:
    """The derivative of order n, by the power series near 0 as `sinc.ratio_series`, and a recurrence from there on."""
    n, w = n.real, type(z.real)(PI)
    if abs(z) * w < n + 1.5:
        return series_of_sinc(n, z, w)
    even, odd = sine_of_turn(z) / w, cosine_of_turn(z)
    value, k = divide(even, z), type(w)(0)
    while k < n:
        k += type(w)(1)
        even, odd = odd, -w * w * even
        value = divide(even - k * value, z)
    return value


def series_of_sinc(n: Any, z: Any, w: Any) -> Any:
    one = type(w)(1)
    power, factor = one - one, one
    while power < n:
        power += one + one
        factor *= -w * w / (power * (power + one))
    k = one - one
    while k < n:
        factor *= power - k
        k += one
    term = z * factor if power > n else z * (one - one) + factor
    total = term
    for _ in range(SERIES_TERMS):
        power += one + one
        factor = power * (power - one) / ((power - n) * (power - n - one)) / (power * (power + one))
        term = term * (z * w) * (z * w) * -factor
        total += term
    return total


def tan(z: Any) -> Any:
    value = tanh(complex(-z.imag, z.real))
    return complex(value.imag, -value.real)


def sinh(z: Any) -> Any:
    return complex(real_sinh(z.real) * real_cos(z.imag), real_cosh(z.real) * real_sin(z.imag))


def cosh(z: Any) -> Any:
    return complex(real_cosh(z.real) * real_cos(z.imag), real_sinh(z.real) * real_sin(z.imag))


def tanh(z: Any) -> Any:
    x, y = z.real, z.imag
    sine, cosine = real_sin(y), real_cos(y)
    if real_abs(x) > TANH_IS_ONE:
        small = real_exp(-real_abs(x))
        return complex(type(x)(math.copysign(1.0, x)), type(x)(4) * sine * cosine * small * small)
    hyperbolic = real_sinh(x)
    square = hyperbolic * hyperbolic + cosine * cosine
    return complex(hyperbolic * real_cosh(x) / square, sine * cosine / square)


def asin(z: Any) -> Any:
    x, y = z.real, z.imag
    a, b = sqrt(complex(type(x)(1) - x, -y)), sqrt(complex(type(x)(1) + x, y))
    return complex(atan2(x, a.real * b.real - a.imag * b.imag), real_asinh(a.real * b.imag - a.imag * b.real))


def acos(z: Any) -> Any:
    x, y = z.real, z.imag
    a, b = sqrt(complex(type(x)(1) - x, -y)), sqrt(complex(type(x)(1) + x, y))
    return complex(type(x)(2) * atan2(a.real, b.real), real_asinh(b.real * a.imag - b.imag * a.real))


def atan(z: Any) -> Any:
    value = atanh(complex(-z.imag, z.real))
    return complex(value.imag, -value.real)


def asinh(z: Any) -> Any:
    value = asin(complex(-z.imag, z.real))
    return complex(value.imag, -value.real)


def acosh(z: Any) -> Any:
    x, y = z.real, z.imag
    a, b = sqrt(complex(x - type(x)(1), y)), sqrt(complex(x + type(x)(1), y))
    return complex(real_asinh(a.real * b.real + a.imag * b.imag), type(x)(2) * atan2(a.imag, b.real))


def tanhshrink(z: Any) -> Any:
    return z - tanh(z)


def atanh(z: Any) -> Any:
    """By the formula for the right half-plane, where its logarithm does not cancel."""
    x, y = real_abs(z.real), z.imag
    one = type(x)(1)
    rest = one - x
    length = real_log1p(type(x)(4) * x / (rest * rest + y * y)) / type(x)(4)
    angle = atan2(y + y, rest * (one + x) - y * y) / (one + one)
    return complex(type(x)(math.copysign(length, z.real)), angle)


def where(condition: Any, x: Any, y: Any) -> Any:
    return real_where(condition, x, y)


def either(condition: Any, x: Any, y: Any) -> Any:
    return where(condition, x, y)


def lerp(start: Any, end: Any, weight: Any) -> Any:
    if abs(weight) < type(weight.real)(0.5):
        return start + weight * (end - start)
    return end - (type(weight)(1) - weight) * (end - start)
