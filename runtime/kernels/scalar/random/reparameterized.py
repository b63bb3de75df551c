"""How numbers drawn from gamma, beta and von Mises distributions move with parameters: implicit reparameterisation. Of
a level u = F(x; a) of the distribution function the number x is a function of the parameter a, whose slope is -(dF /
da) / p with the density p = dF / dx (Figurnov, Mohamed and Mnih, "Implicit reparameterization gradients", 2018;
Jankowiak and Obermeyer, "Pathwise derivatives beyond the reparameterization trick", 2018). dF / da is the integral of
p(t) (g(t) - mean of g) over t < x, and minus that over t > x, where g is the sufficient statistic that belongs to a.
The one is taken in which the second factor has one sign, so nothing cancels, by the rule of Gauss and Legendre. float32
is computed in float64."""

import math
from typing import Any

import numpy as np

from ....compiler.passes.primitives import pick, root
from ..exp import exp, expm1
from ..gamma import digamma, lgamma
from ..incomplete_gamma import parts_of_gamma
from ..inverse_trig import acos
from ..log import log, log1p
from ..modified_bessel import i0e, i1e
from ..trig import cos

EPSILON = 2.0**-54
DEPTH = 40.0  # beyond e^-40 of where it begins nothing of an integrand counts
SHAPE_THRESHOLD = 100.0  # shapes from here on have short tails
PI = 3.141592653589793
# The nodes of the rule for [-1, 1] that are above 0, and their weights
NODES = (
    0.048307665687738324, 0.1444719615827965, 0.23928736225213706, 0.33186860228212767,
    0.42135127613063533, 0.5068999089322294, 0.5877157572407623, 0.6630442669302152,
    0.7321821187402897, 0.7944837959679424, 0.84936761373257, 0.8963211557660521,
    0.9349060759377397, 0.9647622555875064, 0.9856115115452684, 0.9972638618494816,
)  # fmt: skip
WEIGHTS = (
    0.09654008851472766, 0.09563872007927471, 0.09384439908080451, 0.09117387869576378,
    0.08765209300440378, 0.08331192422694671, 0.07819389578707023, 0.07234579410884834,
    0.06582222277636168, 0.058684093478535565, 0.05099805926237609, 0.042835898022226836,
    0.034273862913021765, 0.025392065309262024, 0.016274394730905743, 0.007018610009470506,
)  # fmt: skip
COUNT = 32  # nodes


def node(k: Any, length: Any) -> Any:
    """The k-th node of [0, length], k = 0 to 31: of each pair first the upper one."""
    part = pick(NODES, np.int64(k >> 1))
    return 0.5 * length * (1.0 - part if k & 1 else 1.0 + part)


def weight(k: Any, length: Any) -> Any:
    return 0.5 * length * pick(WEIGHTS, np.int64(k >> 1))


def standard_gamma_grad(a: Any, x: Any) -> Any:
    """The slope of a number x that was drawn from the gamma distribution of shape a; relative error at most 2^-38."""
    return type(x)(gamma_derivative(np.float64(a), np.float64(x)))


def gamma_derivative(a: Any, x: Any) -> Any:
    """x times the integral over s > 0 of exp(a v - x (e^v - 1)) |digamma(a) - log x - v|, v = s or -s: t = x e^v. The
    exponent is concave and falls from 0. Where x <= 1 it is the power series of dF / da / p."""
    if not (a > 0 and 0 <= x < math.inf):
        return math.nan
    if x == 0:
        return 0.0
    return gamma_series(a, x) if x <= 1 else gamma_integral(a, x)


def standard_gamma_grad_by_shape(a: Any, x: Any) -> Any:
    """The derivative of `standard_gamma_grad` by a, by differences of fourth order, to 2^-24 of its terms."""
    shape, number, total = np.float64(a), np.float64(x), 0.0
    step = 0.001 * shape / (1.0 + root(shape))
    for k in range(4):  # one call is compiled faster than four
        sign, distance = 1.0 - 2.0 * (k & 1), 1.0 + (k >> 1)
        factor = 2.0 / 3.0 if distance == 1.0 else -1.0 / 12.0
        total += sign * factor * gamma_derivative(shape + sign * distance * step, number)
    return type(x)(total / step)


def gamma_series(a: Any, x: Any) -> Any:
    """x times the sum of x^n / (a (a + 1) ... (a + n)) (digamma(a + n + 1) - log x)."""
    part, level, below, total = 1.0, digamma(a + 1.0) - log(x), a, 0.0
    while part > EPSILON:
        total += part * level
        below += 1.0
        part *= x / below
        level += 1.0 / below
    return x * total / a


def gamma_integral(a: Any, x: Any) -> Any:
    gap = digamma(a) - log(x)
    side, size = (-1.0, gap) if gap > 0 else (1.0, -gap)
    length = gamma_interval(a, x, side)
    total = 0.0
    for k in range(COUNT):
        s = node(k, length)
        total += weight(k, length) * exp(fall(a, x, side * s)) * (s + size)
    return x * total


def fall(a: Any, x: Any, v: Any) -> Any:
    """log of e^v p(x e^v) / p(x)."""
    return a * v - x * expm1(v)


def gamma_interval(a: Any, x: Any, side: Any) -> Any:
    """Where the exponent has fallen by DEPTH, or little beyond. It falls faster than (x - a) s + x s^2 / 2 above, and
    than a s - 2 x s / (2 + s) below. From where these have, Newton's method comes nearer, and never too near as the
    exponent is concave."""
    half = 0.5 * (x - a) if side > 0 else a - x - 0.5 * DEPTH
    square = half * half + (0.5 * DEPTH * x if side > 0 else 2.0 * a * DEPTH)
    s = (root(square) - half) / (0.5 * x if side > 0 else a)
    for _ in range(3):
        s -= (fall(a, x, side * s) + DEPTH) / (side * (a - x * exp(side * s)))
    return s


def gamma_moved(a: Any, anchor: Any, x: Any) -> Any:
    """The number that has the level in the gamma distribution of shape a that x has in that of shape `anchor`."""
    if a == anchor:
        return x
    return type(x)(number_at_level(np.float64(a), np.float64(anchor), np.float64(x)))


def number_at_level(a: Any, anchor: Any, x: Any) -> Any:
    """Newton's method for the logarithm of a tail over log x: that is concave, so each step comes nearer. It begins as
    far from the mean of log x as the number was, on that side, and turns back where there is no tail left."""
    if not (a > 0 and 0 < x < math.inf):
        return x
    lower, mean = x < anchor, digamma(a)
    log_ratio = log(x) - digamma(anchor)
    estimate = mean + (min(log_ratio, 0.0) if lower else max(log_ratio, 0.0))
    shape, z, level = anchor, x, 0.0
    for tries in range(200):
        part = parts_of_gamma(shape, z, lower)  # the level that is wanted first, so that this is compiled once
        if tries == 0:
            shape, level = a, log(part)
        elif part > 0:
            step = (log(part) - level) * part * exp(z + lgamma(a) - a * estimate)
            estimate += -step if lower else step
            if not abs(step) > EPSILON * 16.0 * max(abs(estimate), 1.0):
                return exp(estimate)
        else:
            estimate = 0.5 * (estimate + mean)
        z = exp(estimate)
    return z


def dirichlet_grad(x: Any, alpha: Any, total: Any) -> Any:
    """The slope over 1 - x of x with alpha, where total - alpha is the second shape; relative error at most 2^-30."""
    return type(x)(beta_derivative(np.float64(x), np.float64(alpha), np.float64(total)))


def beta_derivative(x: Any, a: Any, both: Any) -> Any:
    """x times the integral over s > 0 of exp(a log(t / x) + b log((1 - t) / y)) |log t - c|, y = 1 - x, b = both - a. c
    = digamma(a) - digamma(a + b) is the mean of log t. The logarithm of the odds of t is s below that of x if log x <
    c, else s above: so the exponent is concave. Towards t = 0 and t = 1 the integrand may be a long tail of a small a
    or b: from t = 1/2 on, or from x, that part is a power series of the incomplete beta function."""
    if not (a > 0 and 0 <= x <= 1 and 0 < both < math.inf):
        return math.nan
    if x == 0 or both <= a:
        return 0.0
    b, y = both - a, 1.0 - x
    raised = digamma(a + 1.0) - digamma(both)
    if x <= 0.5 and x * both <= 1.0:
        return x * lower_series(a, b, x, raised)
    return x * on_side(a, b, x, y, raised, -1.0 if log(x) < raised - 1.0 / a else 1.0)


def lower_series(a: Any, b: Any, x: Any, raised: Any) -> Any:
    """The sum of (a + b)_n x^n / (a)_(n + 1) (digamma(a + n + 1) - digamma(a + b + n) - log x), (a)_1 = a. `raised` is
    digamma(a + 1) - digamma(a + b): a kernel has no registers for several calls of digamma."""
    n, part, total = 0.0, 1.0, 0.0
    level = raised - log(x)
    while part > EPSILON:
        total += part * level
        level += 1.0 / (a + n + 1.0) - 1.0 / (a + b + n)
        part *= x * (a + b + n) / (a + n + 1.0)
        n += 1.0
    return total / a


def upper_series(a: Any, b: Any, x: Any, y: Any, mean: Any) -> Any:
    """The sum of (a + b)_n y^n / (b)_(n + 1) (log x - digamma(a) + digamma(a + b + n)); `mean` is that of n = 0."""
    n, part, total = 0.0, 1.0 / b, 0.0
    level = (log(x) if x < 0.5 else log1p(-y)) - mean
    while part * level > EPSILON * total:
        total += part * level
        level += 1.0 / (a + b + n)
        part *= y * (a + b + n) / (b + n + 1.0)
        n += 1.0
    return total


def on_side(a: Any, b: Any, x: Any, y: Any, raised: Any, side: Any) -> Any:
    lower, shape, mean = side < 0, a if side < 0 else b, raised - 1.0 / a
    if shape <= SHAPE_THRESHOLD and (x <= 0.5 if lower else x >= 0.5):
        return lower_series(a, b, x, raised) if lower else upper_series(a, b, x, y, mean)
    length, half, rest = beta_interval(a, b, x, y, side), side * log(y / x), 0.0
    if shape <= SHAPE_THRESHOLD and length >= half:
        length = half
        rest = lower_series(a, b, 0.5, raised) if lower else upper_series(a, b, 0.5, 0.5, mean)
        rest *= exp(a * log(0.5 / x) + b * log(0.5 / y))
    return beta_integral(a, b, x, y, mean, side, length) + rest


def beta_integral(a: Any, b: Any, x: Any, y: Any, mean: Any, side: Any, length: Any) -> Any:
    total, start = 0.0, log(x) - mean if x < 0.5 else log1p(-y) - mean
    for k in range(COUNT):
        v = side * node(k, length)
        log_beta_term = log_beta_of(x, y, v)
        total += weight(k, length) * exp(a * v - (a + b) * log_beta_term) * abs(start + v - log_beta_term)
    return total


def log_beta_of(x: Any, y: Any, v: Any) -> Any:
    """log(y + x e^v): what log(t / x) is less than v, and -log((1 - t) / y)."""
    more = x * expm1(v)
    return log1p(more) if more > -0.5 else log(y + x * exp(v))


def beta_interval(a: Any, b: Any, x: Any, y: Any, side: Any) -> Any:
    """Where the exponent has fallen by DEPTH, or little beyond: by doubling, and Newton's method from there."""
    both = a + b
    s = DEPTH / (abs(a - both * x) + root(0.5 * DEPTH * x * y * both))
    while a * side * s - both * log_beta_of(x, y, side * s) > -DEPTH and 0.0 < s < 1500.0:
        s += s
    for _ in range(3):
        v = side * s
        log_beta_term = log_beta_of(x, y, v)
        coefficient = side * (a - both * x * exp(v - log_beta_term))
        s -= (a * v - both * log_beta_term + DEPTH) / coefficient
    return s


def von_mises_grad(x: Any, concentration: Any) -> Any:
    """The slope of an angle x from -pi to pi that was drawn from the von Mises distribution around 0."""
    return type(x)(angle_derivative(np.float64(x), np.float64(concentration)))


def angle_derivative(x: Any, k: Any) -> Any:
    """The integral over t from 0 or pi to |x| of exp(k (cos t - cos x)) (mean of cos t - cos t), with the sign of x."""
    if not (k >= 0 and abs(x) <= 3.1415927410125732 and k < math.inf):
        return math.nan
    cosine, mean = cos(x), i1e(k) / i0e(k)
    size, total = min(abs(x), PI), 0.0
    end = 0.0 if cosine > mean else acos(max(cosine - DEPTH / max(k, 1.0), -1.0))
    length = size - end
    for k_th in range(COUNT):
        c = cos(end + node(k_th, length))
        total += weight(k_th, length) * exp(k * (c - cosine)) * (mean - c)
    return math.copysign(1.0, x) * total
