"""Scalar expressions in numbers, in float64, by NumPy and SciPy: not the framework's kernels, so a second opinion."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import special

from ..language.scalar_functions import NONE, Functions
from ..language.syntax import ARITHMETIC
from .derivative import meaning

ZETA_ASYMPTOTIC_FROM = -20.0  # below, SciPy would take one term of a sum after the other


def zeta(s: Any, q: Any) -> Any:
    """The sum of (k + q)^-s over k = 0, 1, 2, ...; terms below 0, of whole powers, are a sum from the other side."""
    part = np.where(np.isfinite(q), np.remainder(q, 1.0), 0.0)
    is_asymptotic = (q < ZETA_ASYMPTOTIC_FROM) & (part != 0)
    shifted = special.zeta(s, np.where(is_asymptotic, 1.0, np.maximum(q, ZETA_ASYMPTOTIC_FROM)))
    sign = np.where(s == np.floor(s), np.where(np.remainder(s, 2) == 0, 1.0, -1.0), np.nan)
    above = np.where(is_asymptotic, part, 0.5)
    below = special.zeta(s, 1 - above) - special.zeta(s, 1 - np.where(is_asymptotic, q, 0.0))
    return np.where(is_asymptotic & (s != 1), special.zeta(s, above) + sign * below, shifted)


def zeta_derivative(n: Any, s: Any, q: Any) -> Any:
    is_real = (s >= 1) & ((q >= 0) | (np.remainder(s, 1.0) == 0))
    return np.where(is_real, (-1.0) ** n * special.poch(s, n) * zeta(s + n, q), np.nan)


def polygamma(n: Any, x: Any) -> Any:
    factor = np.where(np.remainder(n, 2) == 0, -1.0, 1.0) * special.gamma(n + 1.0)
    result = np.where(n == 0, special.digamma(x), factor * zeta(n + 1.0, x))
    return np.where((n == 1) & np.isneginf(x), np.nan, result)


def airy_ai(x: Any) -> Any:
    """SciPy's, which is nan far out: there the first term of the asymptotic series has all digits that there are."""
    asymptotic = np.maximum(-x, 1e5)
    wave = np.sin(2 / 3 * asymptotic**1.5 + np.pi / 4) / (np.sqrt(np.pi) * asymptotic**0.25)
    return np.where(x > 1e5, 0.0, np.where(x < -1e5, wave, special.airy(np.clip(x, -1e5, 1e5))[0]))


def of_each_order(function: Callable[[int, Any], Any]) -> Callable[..., Any]:
    """A function of a whole number n and points, for points that have an n each."""

    def at(n: Any, x: Any) -> Any:
        x, result = np.asarray(x, float), np.array(np.nan)
        for k in np.unique(np.asarray(n)):
            result = np.where(n == k, function(int(k), x), result)
        return result

    return at


@of_each_order
def i0e_derivative(n: int, x: Any) -> Any:
    """Of order n at |x|, by Kummer's function: DLMF 13.3.20."""
    return _kummer_factor(n) * special.hyp1f1(n + 0.5, n + 1.0, -2 * np.abs(x))


@of_each_order
def k0e_derivative(n: int, x: Any) -> Any:
    """By the integral of e^(-x (cosh t - 1)) (1 - cosh t)^n; the limit is (-1 / x)^n (n - 1)!."""
    with np.errstate(all="ignore"):
        t = np.minimum(np.arcsinh(5 / np.sqrt(x)) * 2, 700.0)[..., None] * np.linspace(0, 1, 1001)
        values = np.exp(-x[..., None] * 2 * np.sinh(t / 2) ** 2) * (-2 * np.sinh(t / 2) ** 2) ** n
        limit = np.where(
            x < 0, np.nan, (-1 / np.abs(x)) ** n * special.gamma(n) if n else np.log(2) - np.euler_gamma - np.log(x)
        )
        return np.where(x < 1e-290, limit, np.where(x == np.inf, 0.0, np.trapezoid(values, t, axis=-1)))


def _kummer_factor(n: Any) -> Any:
    return (-2.0) ** n * special.poch(0.5, n) / special.gamma(n + 1.0)


@of_each_order
def erfcx_derivative(n: int, x: Any) -> Any:
    """By the integral of e^(-t^2 - 2 x t) (-2 t)^n, and below 1/2 by the recurrence, which does not cancel there."""
    s = np.linspace(-4.5, 4.5, 401)
    scale = 1 / (1 + np.clip(x, 0, np.inf))[..., None]
    t = scale * np.exp(s - np.exp(-s))
    x_t = np.minimum(np.where(np.isinf(x), 1, x)[..., None], 1e300) * t
    above = (np.exp(-t * t - 2 * x_t) * (-2 * t) ** n * t * (1 + np.exp(-s))).sum(-1) * (
        2 / np.sqrt(np.pi) * (s[1] - s[0])
    )
    here, k = special.erfcx(x), 0
    after = 2 * x * here - 2 / np.sqrt(np.pi)
    while k < n:
        k += 1
        here, after = after, 2 * (x * after + k * here)
    return np.where(x == np.inf, (-1.0) ** n * 0.0, np.where(x > 0.5, above, here))


@of_each_order
def erfc_ratio(n: int, x: Any) -> Any:
    """i^n erfc(x) / i^(n-1) erfc(x), from derivatives of erfcx: DLMF 7.18.5; with the limit asymptotic below 0."""
    if n == 0:
        return np.sqrt(np.pi) / 2 * special.erfcx(x)
    below = -x
    for k in range(2, n + 1):
        below = (0.5 / below - x) / k
    return np.where(x < -20, below, -erfcx_derivative(n, x) / (2 * n * erfcx_derivative(n - 1, x)))


def of_both_sides(function: Callable[..., Any], sign: int) -> Callable[..., Any]:
    """The derivative of order n of a Bessel function of order 1: DLMF 10.6.7 and 10.29.5."""

    @of_each_order
    def derivative(n: int, x: Any) -> Any:
        x = np.where(np.abs(x) < 1e-150, 0.0, x)
        return sum(sign**k * special.binom(n, k) * function(2 * k + 1 - n, x) for k in range(n + 1)) / 2.0**n

    return derivative


@of_each_order
def ratio_of_sine_derivative(n: int, x: Any) -> Any:
    """Of order n of sin(x) / x, the integral of cos(t x) over t from 0 to 1, by Gauss and Legendre near 0."""
    t, weights = np.polynomial.legendre.leggauss(40)
    t = (t + 1) / 2
    waves = np.sin, np.cos, lambda v: -np.sin(v), lambda v: -np.cos(v)
    small = (weights / 2 * t**n * waves[(n + 1) % 4](t * np.clip(x, -20, 20)[..., None])).sum(-1)
    asymptotic = np.where(x == 0, 1.0, x)
    value = np.sin(asymptotic) / asymptotic
    for k in range(1, n + 1):
        value = (waves[k % 4](asymptotic) - k * value) / asymptotic
    return np.where(np.abs(x) < 20, small, np.where(np.isinf(x), 0.0, value))


def beside_pole(function: Callable[..., Any]) -> Callable[..., Any]:
    """One of K, of which SciPy has no value at the smallest number: there its change from twice that is added."""
    smallest = 5e-324
    small = function(2 * smallest) * 2 - function(4 * smallest) if np.isfinite(function(2 * smallest)) else np.inf
    return lambda x: np.where(x == smallest, small, function(x))


def direction(x: Any, y: Any) -> Any:
    """The cosine of the angle of (x, y), by numbers that are at most 1; along the axis at a corner of infinities."""
    size = np.maximum(np.abs(x), np.abs(y))
    with np.errstate(all="ignore"):
        first, second = x / size, y / size
        ratio = np.where(size == 0, 0, first / np.hypot(first, second))
    at_end = np.where(np.isinf(x), np.sign(x), np.where(np.isinf(y), np.copysign(0.0, x), ratio))
    return np.where(np.isnan(x) | np.isnan(y), np.nan, at_end)


def minimum_of(a: Any) -> Any:
    """The number, or one near 0 of which SciPy still finds the incomplete gamma functions."""
    return np.where((a > 0) & (a < 1e-300), 1e-300, a)


FLOAT: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "hypot")},
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "sinc", "conj", "real")},
    **{name: getattr(np, f"arc{name[1:]}") for name in ("asin", "acos", "atan", "atan2", "asinh", "acosh", "atanh")},
    **{name: getattr(np, name) for name in ("abs", "imag", "floor", "ceil", "trunc", "fmod", "remainder", "copysign")},
    **{name: getattr(np, name) for name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit")},
    **{name: getattr(np, name) for name in ("maximum", "minimum", "fmax", "fmin", "floor_divide")},
    **{name: getattr(special, name) for name in ("erf", "erfc", "erfcx", "ndtri", "log_ndtr", "entr")},
    **{name: getattr(special, name) for name in ("digamma", "i0", "i0e")},
    "i1": lambda x: np.copysign(special.i1(x), x),
    "i1e": lambda x: np.copysign(special.i1e(x), x),
    "angle": lambda x: np.where(x < 0, np.pi, 0.0),
    "divide": np.true_divide,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "pow": np.float_power,  # for the exponent 0.5 np.power takes the root, which has another value at -inf
    "pow_number": lambda x, y: np.where(np.abs(y) == 0.5, np.power(np.sqrt(x), np.sign(y)), np.power(x, y)),
    "round": np.rint,
    "round_decimals": lambda x, decimals: np.rint(x * 10.0**decimals) / 10.0**decimals,
    "trunc_divide": lambda x, y: np.where(
        np.isfinite(x) & (y != 0), np.copysign(np.rint((x - np.fmod(x, y)) / y), x / y), x / y
    ),
    **dict.fromkeys(("sgn", "sign"), lambda x: np.where(np.isnan(x), 0.0, np.sign(x))),
    "unfused": lambda x: x,
    "lerp": lambda a, b, w: np.where(w < 0.5, a + w * (b - a), b - (1 - w) * (b - a)),
    "zeta": zeta,
    "zeta_derivative": zeta_derivative,
    "polygamma": polygamma,
    "log1p_exp": lambda x: np.logaddexp(0, x),
    "log_sigmoid": lambda x: np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))),
    "log_odds": special.logit,
    "sigmoid": special.expit,
    "logistic_pdf": lambda x: special.expit(x) * special.expit(-x),
    "tanhshrink": lambda x: np.where(
        np.abs(x) < 0.01, x**3 * (1 / 3 - x**2 * (2 / 15 - x**2 * (17 / 315))), x - np.tanh(x)
    ),
    "direction": direction,
    "weighted_by": lambda x, weight: np.where((weight == 0) & np.isinf(x), weight, x * weight),
    "i0e_derivative": i0e_derivative,
    "i1e_derivative": lambda n, x: i0e_derivative(n, x) + i0e_derivative(np.add(n, 1), x),
    "k0e_derivative": k0e_derivative,
    "erfcx_derivative": erfcx_derivative,
    "erfc_ratio": erfc_ratio,
    "i1_derivative": of_both_sides(special.iv, 1),
    "bessel_j1_derivative": of_both_sides(special.jv, -1),
    "spherical_bessel_j0_derivative": ratio_of_sine_derivative,
    "sinc_derivative": lambda n, x: np.pi**n * ratio_of_sine_derivative(n, np.pi * x),
    "normal_cdf": special.ndtr,
    "gelu": lambda x: np.where(x == -np.inf, -0.0, x * special.ndtr(x)),
    "normal_pdf": lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi),
    "erfinv": lambda x: np.copysign(special.erfinv(x), x),
    "lgamma": lambda x: np.where(
        np.abs(x) < 1e-300, -np.log(np.abs(x)), special.gammaln(np.where(np.isneginf(x), np.inf, x))
    ),
    "igamma": lambda a, x: special.gammainc(minimum_of(a), x),
    "igammac": lambda a, x: special.gammaincc(minimum_of(a), x),
    **{f"bessel_{name}": getattr(special, name) for name in ("j0", "j1", "y0", "y1")},
    **{f"modified_bessel_{name}": beside_pole(getattr(special, name)) for name in ("k0", "k1")},
    **{f"scaled_modified_bessel_{name}": beside_pole(getattr(special, f"{name}e")) for name in ("k0", "k1")},
    "spherical_bessel_j0": lambda x: np.sinc(x / np.pi),
    "airy_ai": airy_ai,
}
_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    **ARITHMETIC,
    ast.Pow: np.power,
    ast.Mod: np.remainder,
    ast.FloorDiv: np.floor_divide,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.NotEq: operator.ne,
}
CONSTANTS = {"PI": np.pi, "inf": np.inf, "nan": np.nan, "pi": np.pi}
Points = Mapping[str, np.ndarray]  # an array of numbers for each name, all of one length


class Unknown(Exception):
    """An expression of something that has no numbers here."""


def evaluate(
    tree: ast.expr, points: Points, own: Functions = NONE, functions: Mapping[str, Callable[..., Any]] = FLOAT
) -> Any:
    """The values of an expression at some points; of a choice both sides are computed, as kernels do."""

    def at(part: ast.expr) -> Any:
        return evaluate(part, points, own, functions)

    match tree:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in points:
            return points[name]
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.UnaryOp(op=op, operand=operand):
            value = at(operand)
            if isinstance(op, ast.USub):
                return -value
            integral = isinstance(op, ast.Invert) and np.asarray(value).dtype.kind in "iu"
            return np.invert(value) if integral else np.logical_not(value)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _applied(functions["divide"], tree, [at(left), at(right)])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _applied(_BINARY[type(op)], tree, [at(left), at(right)])
        case ast.BoolOp(op=op, values=values):
            matches = [at(value) for value in values]
            return (np.logical_and if isinstance(op, ast.And) else np.logical_or).reduce(np.broadcast_arrays(*matches))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return COMPARE[type(op)](at(left), at(right))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return np.where(at(test), at(body), at(orelse))
        case ast.Call(func=ast.Name(id="where" | "either"), args=[test, body, orelse]):
            return np.where(at(test), at(body), at(orelse))
        case ast.Call(func=ast.Name(id=name), args=args) if name in functions:
            return _applied(functions[name], tree, [at(argument) for argument in args])
        case ast.Call(func=ast.Name(id=name), args=args):
            stands_for = meaning(name, args, own)
            return computed(name, own)(*map(at, args)) if stands_for is None else at(stands_for)
    raise Unknown(ast.unparse(tree))


def _applied(function: Callable[..., Any], tree: ast.expr, values: list[Any]) -> Any:
    try:
        return function(*values)
    except TypeError:
        raise Unknown(ast.unparse(tree)) from None


def computed(name: str, own: Functions) -> Callable[..., Any]:
    result = FLOAT.get(name) or (own[name].numbers if name in own else None)
    if result is None:
        raise Unknown(name)
    return result
