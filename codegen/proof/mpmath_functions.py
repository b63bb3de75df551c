"""The scalar functions of expressions by mpmath, at any precision: what the kernels' are compared with.

Each takes numbers of mpmath and gives one; where a function has no value, nan or an infinity, as IEEE 754 has it.
"""

import ast
from collections.abc import Callable
from typing import Any

import numpy as np
from mpmath import mp, mpf

from ..language.scalar_functions import NONE, known_function
from ..spec.formula import functions_in

Function = Callable[..., Any]


EXPONENT_LIMIT = 5000  # powers of e beyond are 0 or infinite in every dtype, and take long


def exp(x: Any) -> Any:
    if not isinstance(x, mp.mpc) and abs(x) > EXPONENT_LIMIT:
        return mp.inf if x > 0 else mpf(0)
    return mp.exp(x)


def hyperbolic(function: Function, at_end: Function) -> Function:
    """The function, and beyond the limit what it comes near."""
    return lambda x: at_end(x) if not isinstance(x, mp.mpc) and abs(x) > EXPONENT_LIMIT else function(x)


def divide(x: Any, y: Any) -> Any:
    if y == 0:
        return mp.nan if x == 0 or x != x else mp.inf * mp.sign(x)
    return x / y


def log(x: Any) -> Any:
    return -mp.inf if x == 0 else _real(mp.log, x)


def _real(function: Function, x: Any) -> Any:
    """nan where the value for a real number would be complex."""
    value = function(x)
    return mp.nan if isinstance(value, mp.mpc) and not isinstance(x, mp.mpc) and value.imag != 0 else _part(value, x)


def _part(value: Any, x: Any) -> Any:
    return value.real if isinstance(value, mp.mpc) and not isinstance(x, mp.mpc) else value


def log1p(x: Any) -> Any:
    return -mp.inf if x == -1 else mp.nan if not isinstance(x, mp.mpc) and x < -1 else mp.log1p(x)


def sigmoid(x: Any) -> Any:
    if mp.re(x) >= 0:
        return 1 / (1 + exp(-x))
    return exp(x) / (1 + exp(x))


def log1p_exp(x: Any) -> Any:
    return mp.log1p(exp(x)) if mp.re(x) < 0 else x + mp.log1p(exp(-x))


def log_odds(x: Any) -> Any:
    return mp.nan if x < 0 or x > 1 else mp.inf * (2 * x - 1) if x in (0, 1) else mp.log(x) - mp.log1p(-x)


def power(x: Any, y: Any) -> Any:
    if y == 0 or x == 1:
        return mpf(1)
    if x == 0:
        return mp.inf if mp.re(y) < 0 else mpf(0)
    if not isinstance(x, mp.mpc) and x < 0 and abs(y) > 10**15:
        return mp.nan  # beside a number that large every other one is whole
    return _real(lambda base: mp.power(base, y), x)


def direction(x: Any, y: Any) -> Any:
    if mp.isinf(x) or (x == 0 and y == 0):
        return mp.sign(x)
    return mpf(0) if mp.isinf(y) else x / mp.hypot(x, y)


def normal_pdf(x: Any) -> Any:
    return exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def normal_cdf(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def log_ndtr(x: Any) -> Any:
    return mp.log(normal_cdf(x)) if x < 0 else mp.log1p(-normal_cdf(-x))


def ndtri(p: Any) -> Any:
    """The root of the distribution function, by Newton's steps from SciPy's."""
    if not 0 < p < 1:
        return -mp.inf if p == 0 else mp.inf if p == 1 else mp.nan
    if p > mpf(1) / 2:
        return -ndtri(1 - p)
    from scipy.special import ndtri_exp

    x, target = mpf(float(ndtri_exp(float(mp.log(p))))) if p != mpf(1) / 2 else mpf(0), mp.log(p)
    for _ in range(60):
        ratio = normal_cdf(x)
        step = (mp.log(ratio) - target) * ratio / normal_pdf(x)
        x -= step
        if abs(step) <= mp.eps * abs(x) * 16:
            break
    return x


def erfinv(x: Any) -> Any:
    """By the quantile of the normal distribution; near 0 by Newton's steps, for the quantile's distance from 1/2."""
    if not -1 < x < 1:
        return mp.inf * mp.sign(x) if abs(x) == 1 else mp.nan
    if abs(x) > mpf(1) / 2:
        return mp.sign(x) * -ndtri((1 - abs(x)) / 2) / mp.sqrt(2)
    y = x * mp.sqrt(mp.pi) / 2
    for _ in range(60):
        step = (mp.erf(y) - x) * exp(y * y) * mp.sqrt(mp.pi) / 2
        y -= step
        if abs(step) <= mp.eps * abs(y) * 16:
            break
    return y


def erfcx(x: Any) -> Any:
    if x * x > 3 * mp.dps:
        if x < 0:
            return 2 * mp.exp(x * x) if x * x < EXPONENT_LIMIT else mp.inf
        return _asymptotic(lambda k: -(2 * k - 1) / (2 * x * x)) / (x * mp.sqrt(mp.pi))
    return mp.exp(x * x) * mp.erfc(x)


def lgamma(x: Any) -> Any:
    if x == mp.floor(x) and x <= 0 or abs(x) == mp.inf:
        return mp.inf
    return mp.re(mp.loggamma(x))


def digamma(x: Any) -> Any:
    return polygamma(0, x)


def polygamma(n: Any, x: Any) -> Any:
    """Below 0 by reflection: recurrence takes as many terms as the argument is large."""
    n = int(n)
    if mp.isinf(x) and x < 0:
        return mp.nan
    if x == mp.floor(x) and x <= 0:
        return mp.inf if n % 2 else (-mp.inf if x == 0 else mp.nan)
    if x < 0:
        return (-1) ** n * mp.polygamma(n, 1 - x) - _cotangent_derivative(n, x)
    return mp.polygamma(n, x)


def _cotangent_derivative(n: int, x: Any) -> Any:
    """The n-th derivative of pi cot(pi x), a polynomial in the cotangent: c' = -pi (1 + c^2)."""
    factors = [mpf(0), mp.pi]
    for _ in range(n):
        derivatives = [k * factor for k, factor in enumerate(factors)][1:]
        moved = [mpf(0), mpf(0), *derivatives]
        factors = [-mp.pi * ((derivatives[k] if k < len(derivatives) else 0) + v) for k, v in enumerate(moved)]
    c = mp.cospi(x) / mp.sinpi(x)
    return sum((factor * c**k for k, factor in enumerate(factors)), mpf(0))


def zeta(s: Any, q: Any) -> Any:
    if s <= 1:
        return mp.inf if s == 1 else mp.nan
    if q <= 0:
        return mp.inf if q == mp.floor(q) else mp.nan
    return mp.zeta(s, q)


def igamma(a: Any, x: Any) -> Any:
    if not (a > 0 and x >= 0):
        return mp.nan
    return 1 - igammac(a, x) if _is_asymptotic(a, x) else mp.gammainc(a, 0, x, regularized=True)


def igammac(a: Any, x: Any) -> Any:
    if not (a > 0 and x >= 0):
        return mp.nan
    if not _is_asymptotic(a, x):
        return mp.gammainc(a, x, mp.inf, regularized=True)
    return exp((a - 1) * mp.log(x) - x - mp.loggamma(a)) * _asymptotic(lambda k: (a - k) / x)


def _is_asymptotic(a: Any, x: Any) -> bool:
    return bool(x > 3 * (a + 3 * mp.dps))


def _asymptotic(ratio: Function) -> Any:
    """A sum of products of ratios from 1 on, until the terms do not count."""
    total = term = mpf(1)
    for k in range(1, 10**4):
        term *= ratio(k)
        total += term
        if abs(term) < mp.eps:
            break
    return total


def _hankel(order: Any, x: Any) -> Any:
    """J + i Y far out, by Hankel's expansion: DLMF 10.17.5."""
    square = 4 * order * order
    series = _asymptotic(lambda k: mp.mpc(0, 1) * mpf(square - (2 * k - 1) ** 2) / (8 * k * x))
    return mp.sqrt(2 / (mp.pi * x)) * mp.expj(x - order * mp.pi / 2 - mp.pi / 4) * series


def airy_ai(x: Any) -> Any:
    """Ai; far below 0 by J and Y, DLMF 9.6.6: mpmath takes seconds there."""
    if isinstance(x, mp.mpc) or not -mp.inf < x < -10 * mp.dps:
        return mp.airyai(x)
    with mp.extraprec(2 * mp.mag(x)):  # the wave's argument is large, and its digits behind the point count
        wave = _hankel(mpf(1) / 3, 2 * (-x) ** 1.5 / 3)
        result = mp.sqrt(-x) / 2 * (wave.real - wave.imag / mp.sqrt(3))
    return +result


def _first_kind(order: int) -> Function:
    def function(x: Any) -> Any:
        return (
            (-1) ** order * function(-x)
            if x < 0
            else _hankel(order, x).real
            if x > 10 * mp.dps
            else mp.besselj(order, x)
        )

    return function


def _second_kind(order: int) -> Function:
    def function(x: Any) -> Any:
        if x <= 0:
            return mp.nan if x else -mp.inf
        return _hankel(order, x).imag if x > 10 * mp.dps else mp.bessely(order, x)

    return function


def _terms(order: int, x: Any, sign: int) -> Any:
    """The asymptotic series of modified Bessel functions: DLMF 10.40."""
    square = 4 * order * order
    return _asymptotic(lambda k: sign * mpf(square - (2 * k - 1) ** 2) / (8 * k * x))


def _scaled_first(order: int) -> Function:
    """e^-|x| I(x)."""

    def function(x: Any) -> Any:
        size, sign = abs(x), -1 if x < 0 and order else 1
        if size > 2 * mp.dps:
            return sign * _terms(order, size, -1) / mp.sqrt(2 * mp.pi * size)
        return mp.besseli(order, x) * mp.exp(-size)

    return function


def _scaled_second(order: int) -> Function:
    """e^x K(x), for orders 0 and 1: the limit that mpmath takes for whole orders is a thousand times slower."""

    def function(x: Any) -> Any:
        if x <= 0:
            return mp.nan if x else mp.inf
        if x > 2 * mp.dps:
            return _terms(order, x, 1) * mp.sqrt(mp.pi / (2 * x))
        with mp.workdps(mp.dps + int(x) + 10):  # K is the small difference of two parts
            return _second_by_series(order, x) * mp.exp(x)

    return function


def _second_by_series(order: int, x: Any) -> Any:
    """DLMF 10.31.1 and 10.31.2."""
    square, term, total = x * x / 4, mpf(1), mpf(0)
    digamma_below, digamma_above = -mp.euler, -mp.euler + order
    for k in range(1, 10**5):
        part = term * (digamma_below + digamma_above)
        total += part
        if abs(part) < mp.eps * abs(total):
            break
        term *= square / (k * (k + order))
        digamma_below, digamma_above = digamma_below + mpf(1) / k, digamma_above + mpf(1) / (k + order)
    logarithm = mp.log(x / 2) * mp.besseli(order, x)
    return total / 2 - logarithm if order == 0 else 1 / x + logarithm - x / 4 * total


def _spherical(x: Any) -> Any:
    return mpf(1) if x == 0 else mp.sin(x) / x


def _compared(right: Callable[[Any, Any], bool]) -> Function:
    return lambda x, y: x if right(x, y) else y


def _within(function: Function, low: float, high: float) -> Function:
    return lambda x: function(x) if isinstance(x, mp.mpc) or low <= x <= high else mp.nan


def with_more_digits(function: Function) -> Function:
    """With as many digits as a quotient may have before the point."""

    def at(x: Any, y: Any) -> Any:
        with mp.workdps(mp.dps + 700):
            return function(x, y)

    return at


SCALED_I, SCALED_K = [_scaled_first(0), _scaled_first(1)], [_scaled_second(0), _scaled_second(1)]
_OF_MPMATH: dict[str, Function] = {
    **{name: getattr(mp, name) for name in ("sqrt", "hypot", "sin", "cos", "tan", "atan", "asinh", "atan2", "erf")},
    **{name: getattr(mp, name) for name in ("erfc", "floor", "ceil", "conj")},
    "exp": exp,
    "expm1": hyperbolic(mp.expm1, lambda x: mp.inf if x > 0 else mpf(-1)),
    "sinh": hyperbolic(mp.sinh, lambda x: mp.inf * mp.sign(x)),
    "cosh": hyperbolic(mp.cosh, lambda x: mp.inf),
    "tanh": hyperbolic(mp.tanh, mp.sign),
    "exp2": lambda x: exp(x * mp.ln2),
    "sqrt": lambda x: _real(mp.sqrt, x),
    "rsqrt": lambda x: divide(mpf(1), _real(mp.sqrt, x)),
    "log": log,
    "log2": lambda x: log(x) / mp.ln2,
    "log10": lambda x: log(x) / mp.ln10,
    "log1p": log1p,
    "log1p_exp": log1p_exp,
    "log_sigmoid": lambda x: -log1p_exp(-x),
    "log_odds": log_odds,
    "sigmoid": sigmoid,
    "logistic_pdf": lambda x: sigmoid(x) * sigmoid(-x),
    "tanhshrink": hyperbolic(lambda x: x - mp.tanh(x), lambda x: x - mp.sign(x)),
    "weighted_by": lambda x, weight: x * weight if weight != 0 else mpf(0),
    "divide": divide,
    **dict.fromkeys(("pow", "pow_number"), power),
    "sinc": lambda x: mpf(1) if x == 0 else mp.sinpi(x) / (mp.pi * x),
    "asin": _within(mp.asin, -1, 1),
    "acos": _within(mp.acos, -1, 1),
    "acosh": _within(mp.acosh, 1, np.inf),
    "atanh": _within(lambda x: mp.inf * mp.sign(x) if abs(x) == 1 else mp.atanh(x), -1, 1),
    "direction": direction,
    "normal_pdf": normal_pdf,
    "normal_cdf": normal_cdf,
    "gelu": lambda x: mpf(0) if x == -mp.inf else x * normal_cdf(x),
    "log_ndtr": log_ndtr,
    "ndtri": ndtri,
    "erfinv": erfinv,
    "erfcx": erfcx,
    "entr": lambda x: -x * mp.log(x) if x > 0 else mpf(0) if x == 0 else -mp.inf,
    "lgamma": lgamma,
    "digamma": digamma,
    "polygamma": polygamma,
    "zeta": zeta,
    "igamma": igamma,
    "igammac": igammac,
    **{f"bessel_j{order}": _first_kind(order) for order in (0, 1)},
    **{f"bessel_y{order}": _second_kind(order) for order in (0, 1)},
    **{f"i{k}": lambda x, of=of: of(x) * exp(abs(x)) for k, of in enumerate(SCALED_I)},
    **{f"i{k}e": of for k, of in enumerate(SCALED_I)},
    **{f"modified_bessel_k{k}": lambda x, of=of: of(x) * exp(-x) for k, of in enumerate(SCALED_K)},
    **{f"scaled_modified_bessel_k{k}": of for k, of in enumerate(SCALED_K)},
    "spherical_bessel_j0": _spherical,
    "airy_ai": airy_ai,
    "abs": abs,
    **dict.fromkeys(("sgn", "sign"), mp.sign),
    "maximum": _compared(lambda x, y: x >= y),
    "minimum": _compared(lambda x, y: x <= y),
    "fmax": _compared(lambda x, y: x >= y),
    "fmin": _compared(lambda x, y: x <= y),
    "copysign": lambda x, y: abs(x) if y >= 0 else -abs(x),
    "lerp": lambda a, b, w: a + w * (b - a),
    "round": mp.nint,
    "trunc": lambda x: mp.floor(x) if x >= 0 else mp.ceil(x),
    "floor_divide": with_more_digits(lambda x, y: mp.floor(divide(x, y))),
    "trunc_divide": with_more_digits(lambda x, y: _OF_MPMATH["trunc"](divide(x, y))),
    "remainder": with_more_digits(lambda x, y: x - y * mp.floor(divide(x, y))),
    "fmod": with_more_digits(lambda x, y: x - y * _OF_MPMATH["trunc"](divide(x, y))),
    "angle": lambda x: mp.arg(x),
    "real": mp.re,
    "imag": mp.im,
    "unfused": lambda x: x,
    "isnan": mp.isnan,
    "isinf": mp.isinf,
    "isfinite": mp.isfinite,
    "isposinf": lambda x: x == mp.inf,
    "isneginf": lambda x: x == -mp.inf,
    "signbit": lambda x: x < 0,
}


def _of_arrays(function: Function) -> Function:
    def at(*numbers: Any) -> Any:
        if any(number != number for number in numbers):
            return mp.nan
        try:
            return function(*numbers)
        except (ValueError, ZeroDivisionError, OverflowError, NotImplementedError, mp.NoConvergence):
            return mp.nan

    def over(*columns: Any) -> Any:
        arrays = np.broadcast_arrays(*columns)
        result = np.empty(arrays[0].shape, object)
        for index in np.ndindex(result.shape):
            result[index] = at(*(exact(array[index]) for array in arrays))
        return result

    return over


def exact(number: Any) -> Any:
    if isinstance(number, mp.mpf | mp.mpc | bool | np.bool_):
        return number
    return mp.mpc(number) if isinstance(number, complex) else mpf(number)


EXACT: dict[str, Function] = {name: _of_arrays(function) for name, function in _OF_MPMATH.items()}


def is_known(tree: ast.expr) -> bool:
    """Whether all functions of an expression are here; draws, and steps that a table tells, are not."""

    def is_defined(name: str) -> bool:
        known = known_function(name, NONE)
        return name in EXACT or name in ("where", "either") or known is not None and known.meaning is not None

    return all(map(is_defined, functions_in(tree)))
