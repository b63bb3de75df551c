"""ln(1 + e^x), and the logarithm of the logistic function, both of l(w) = ln(1 + w) for w = e^-|x|."""

from typing import Any

from ...compiler.passes.primitives import choose, fma, polynomial, select
from .exp import EXP_SINGLE, LN2_SINGLE, LOG2_E, SHIFT, exp, times_power
from .log import log1p

# (log(1 + w) - w) / w^2 for 0 <= w <= 1, but for its constant term: relative error of the logarithm at most 2^-27.5
LOG1P_SINGLE = (
    -0.003306539496406913, 0.020150333642959595, -0.05756152793765068, 0.10670012980699539, -0.15349097549915314,
    0.19693192839622498,   -0.24958156049251556, 0.3333047032356262,
)  # fmt: skip
NEARLY_HALF = -0.4999993145465851
UNDERFLOW_THRESHOLD = -104.0  # from here on e^x is 0 in float32
LARGER = 64  # a power is 2^64 times as large until its last product: a normal number, where e^x may be none


def log1p_exp(x: Any) -> Any:
    """ln(1 + e^x) = max(x, 0) + l(e^-|x|); error at most 1.8 and 1.5 ulp."""
    return select(x > 0, x, 0.0) + choose(x, of_power_single, of_power_double)(x)


def log_sigmoid(x: Any) -> Any:
    """-ln(1 + e^-x) = min(x, 0) - l(e^-|x|); error at most 1.8 and 1.5 ulp."""
    return select(x < 0, x, 0.0) - choose(x, of_power_single, of_power_double)(x)


def of_power_double(x: Any) -> Any:
    return log1p(exp(-abs(x)))


def of_power_single(x: Any) -> Any:
    size = -abs(x)
    return of_unit(power(select(size < UNDERFLOW_THRESHOLD, type(x)(UNDERFLOW_THRESHOLD), size)))


def power(x: Any) -> Any:
    """e^x of a float32 from `LEAST` to 0; error at most 0.7 ulp."""
    shift = type(x)(SHIFT[0] + LARGER)
    shifted = fma(x, type(x)(LOG2_E), shift)
    n = shifted - shift
    r = fma(n, type(x)(-LN2_SINGLE[1]), fma(n, type(x)(-LN2_SINGLE[0]), x))
    rest = fma(r * r, polynomial(r, EXP_SINGLE, EXP_SINGLE), r)
    large = times_power(type(x)(1), shifted)
    return fma(large, rest, large) * type(x)(2.0**-LARGER)


def of_unit(w: Any) -> Any:
    """l(w) for 0 <= w <= 1."""
    # All of it by Horner's rule: vector code computes others while it waits, and pairs would be a product more.
    bend = fma(w, polynomial(w, LOG1P_SINGLE, LOG1P_SINGLE), type(w)(NEARLY_HALF))
    return fma(w * w, bend, w)
