"""Orthogonal polynomials, by the recursions between three neighbouring degrees; gradients go through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..dispatch import checks
from ..dispatch.writing import write_out
from ..errors import UnsupportedDtypeError
from ..namespace import op
from ..tensor.base import TensorBase
from ..tensor.dtypes import get_default_dtype, int64, result_type

_MOST = 1_000_000  # steps of a loop; what asks for more was no degree
First = Callable[[Any], Any]  # p_1 from x
Step = Callable[[Any, Any, Any, int], Any]  # p_(k+1) from x, p_k, p_(k-1) and k

_DOCSTRING = """{formula}

Args:
    input: x, a tensor of real numbers, or a number.
    n: the degree, a number or a tensor; shapes broadcast. There are none below 0: these are 0.
    out: a tensor to write to.

Example:
    >>> import specgrad as sg
    >>> sg.special.{name}(sg.tensor([0.5, 2.0]), 2).tolist()
    {example}
"""


def _polynomial(name: str, formula: str, first: First, step: Step, example: Sequence[float]) -> Callable[..., Any]:
    """The public function of one family; `example` is what it gives at 0.5 and 2 for degree 2."""

    def polynomial(input: Any, n: Any, *, out: Any = None) -> Any:
        return _evaluated(name, input, n, out, first, step)

    polynomial.__name__ = polynomial.__qualname__ = name
    polynomial.__doc__ = _DOCSTRING.format(name=name, formula=formula, example=example)
    return polynomial


def _evaluated(name: str, x: Any, n: Any, out: Any, first: First, step: Step) -> Any:
    """The polynomial of degree n: p_0 = 1, p_1 = first(x), and so on; 0 for negative degrees, which there are not."""
    if not isinstance(x, TensorBase) and not isinstance(n, TensorBase):
        raise TypeError(f"{name}(): expected a tensor for input or n, but got two numbers")
    given: Any = [v if isinstance(v, TensorBase) else checks.scalar(name, a, v) for a, v in (("input", x), ("n", n))]
    kind = result_type(*given)
    if kind.kind == "c":
        raise UnsupportedDtypeError(f"{name}(): expected real numbers, but got {kind}")
    kind = kind if kind.kind == "f" else get_default_dtype()
    x, n = given
    x = x.to(kind) if isinstance(x, TensorBase) else op.full((), x, dtype=kind, device=n._device)  # type: ignore[attr-defined]
    highest = n if not isinstance(n, TensorBase) else op.amax(n).item() if n.numel() else 0
    if not highest <= _MOST:
        raise RuntimeError(f"{name}(): expected degrees of at most {_MOST}, but got {highest}")
    found = _of_each(x, n, first, step) if isinstance(n, TensorBase) else _of_one(x, int(n), first, step)
    return found if out is None else write_out(name, out, found)


def _of_one(x: Any, degree: int, first: First, step: Step) -> Any:
    if degree < 0:
        return op.zeros_like(x)
    before, now = op.ones_like(x), first(x)
    for k in range(1, degree):
        before, now = now, step(x, now, before, k)
    return before if degree == 0 else now


def _of_each(x: Any, n: Any, first: First, step: Step) -> Any:
    """A degree for each element, fractions cut off: all degrees up to the greatest are computed."""
    degrees = n.to(int64) if n.dtype.kind == "f" else n
    before, now = op.ones_like(x), first(x)
    result = op.where(degrees == 0, before, op.where(degrees < 0, op.zeros_like(x), now))
    for k in range(1, int(degrees.max()) if degrees.numel() else 0):
        before, now = now, step(x, now, before, k)
        result = op.where(degrees > k, now, result)
    return result


def _chebyshev(x: Any, now: Any, before: Any, k: int) -> Any:
    """The recursion that all four kinds have in common; they differ in p_1."""
    return 2 * x * now - before


def _shifted_chebyshev(x: Any, now: Any, before: Any, k: int) -> Any:
    return (4 * x - 2) * now - before


chebyshev_polynomial_t = _polynomial(
    "chebyshev_polynomial_t",
    "Chebyshev polynomials of the first kind: T_n(cos a) = cos(n a).",
    lambda x: x,
    _chebyshev,
    example=[-0.5, 7.0],
)
chebyshev_polynomial_u = _polynomial(
    "chebyshev_polynomial_u",
    "Chebyshev polynomials of the second kind: U_n(cos a) = sin((n + 1) a) / sin(a).",
    lambda x: 2 * x,
    _chebyshev,
    example=[0.0, 15.0],
)
chebyshev_polynomial_v = _polynomial(
    "chebyshev_polynomial_v",
    "Chebyshev polynomials of the third kind: V_n(cos a) = cos((n + 1/2) a) / cos(a / 2).",
    lambda x: 2 * x - 1,
    _chebyshev,
    example=[-1.0, 11.0],
)
chebyshev_polynomial_w = _polynomial(
    "chebyshev_polynomial_w",
    "Chebyshev polynomials of the fourth kind: W_n(cos a) = sin((n + 1/2) a) / sin(a / 2).",
    lambda x: 2 * x + 1,
    _chebyshev,
    example=[1.0, 19.0],
)
shifted_chebyshev_polynomial_t = _polynomial(
    "shifted_chebyshev_polynomial_t",
    "Chebyshev polynomials of the first kind, of 2 x - 1: for x in [0, 1].",
    lambda x: 2 * x - 1,
    _shifted_chebyshev,
    example=[-1.0, 17.0],
)
shifted_chebyshev_polynomial_u = _polynomial(
    "shifted_chebyshev_polynomial_u",
    "Chebyshev polynomials of the second kind, of 2 x - 1: for x in [0, 1].",
    lambda x: 4 * x - 2,
    _shifted_chebyshev,
    example=[-1.0, 35.0],
)
shifted_chebyshev_polynomial_v = _polynomial(
    "shifted_chebyshev_polynomial_v",
    "Chebyshev polynomials of the third kind, of 2 x - 1: for x in [0, 1].",
    lambda x: 4 * x - 3,
    _shifted_chebyshev,
    example=[-1.0, 29.0],
)
shifted_chebyshev_polynomial_w = _polynomial(
    "shifted_chebyshev_polynomial_w",
    "Chebyshev polynomials of the fourth kind, of 2 x - 1: for x in [0, 1].",
    lambda x: 4 * x - 1,
    _shifted_chebyshev,
    example=[-1.0, 41.0],
)
hermite_polynomial_h = _polynomial(
    "hermite_polynomial_h",
    "The physicists' Hermite polynomials: H_(n+1)(x) = 2 x H_n(x) - 2 n H_(n-1)(x).",
    lambda x: 2 * x,
    lambda x, now, before, k: 2 * x * now - 2 * k * before,
    example=[-1.0, 14.0],
)
hermite_polynomial_he = _polynomial(
    "hermite_polynomial_he",
    "The probabilists' Hermite polynomials: He_(n+1)(x) = x He_n(x) - n He_(n-1)(x).",
    lambda x: x,
    lambda x, now, before, k: x * now - k * before,
    example=[-0.75, 3.0],
)
laguerre_polynomial_l = _polynomial(
    "laguerre_polynomial_l",
    "Laguerre polynomials: (n + 1) L_(n+1)(x) = (2 n + 1 - x) L_n(x) - n L_(n-1)(x).",
    lambda x: 1 - x,
    lambda x, now, before, k: ((2 * k + 1 - x) * now - k * before) / (k + 1),
    example=[0.125, -1.0],
)
legendre_polynomial_p = _polynomial(
    "legendre_polynomial_p",
    "Legendre polynomials: (n + 1) P_(n+1)(x) = (2 n + 1) x P_n(x) - n P_(n-1)(x).",
    lambda x: x,
    lambda x, now, before, k: ((2 * k + 1) * x * now - k * before) / (k + 1),
    example=[-0.125, 5.5],
)
