"""Orthogonal polynomials: an element-wise op computes all of them, each kind by its recursion."""

from collections.abc import Callable, Sequence
from typing import Any

from ...autograd.inplace import write_out
from ...dispatch import argument_checks
from ...errors import UnsupportedDtypeError
from ...kernels.scalar import orthogonal_polynomials as kinds
from ...namespace import op
from ...tensor.dtypes import get_default_dtype, result_type
from ...tensor.tensor import TensorBase

_DOCSTRING = """{formula}

Args:
    input: x, a tensor of real numbers, or a number.
    n: the degree, a number or a tensor; shapes broadcast, fractions are cut off. There are none below 0: these are 0.
    out: a tensor to write to.

Example:
    >>> import specgrad as sg
    >>> sg.special.{name}(sg.tensor([0.5, 2.0]), 2).tolist()
    {example}
"""


def _polynomial(name: str, kind: int, example: Sequence[float], formula: str, order: float = 0.0) -> Callable[..., Any]:
    """The public function of one family; `example` is what it gives at 0.5 and 2 for degree 2."""

    def polynomial(input: Any, n: Any, *, out: Any = None) -> Any:
        if out is None and _is_real(input) and (n.__class__ is int or _is_real(n)):
            return op.orthogonal_polynomial(input, n, kind, order)
        return _evaluated(name, input, n, out, kind, order)

    polynomial.__name__ = polynomial.__qualname__ = name
    polynomial.__doc__ = _DOCSTRING.format(name=name, formula=formula, example=example)
    return polynomial


def _is_real(x: Any) -> bool:
    return isinstance(x, TensorBase) and x._dtype.kind != "c"


def _evaluated(name: str, x: Any, n: Any, out: Any, kind: int, order: float) -> Any:
    if not isinstance(x, TensorBase) and not isinstance(n, TensorBase):
        raise TypeError(f"{name}(): expected a tensor for input or n, but got two numbers")
    pairs = ("input", x), ("n", n)
    args: Any = [v if isinstance(v, TensorBase) else argument_checks.scalar(name, a, v) for a, v in pairs]
    dtype = result_type(*args)
    if dtype.kind == "c":
        raise UnsupportedDtypeError(f"{name}(): expected real numbers, but got {dtype}")
    dtype = dtype if dtype.kind == "f" else get_default_dtype()
    x, n = args
    x = x.to(dtype) if isinstance(x, TensorBase) else op.full((), x, dtype=dtype, device=n._device)  # type: ignore[attr-defined]
    result = op.orthogonal_polynomial(x, n, kind, order)
    return result if out is None else write_out(name, out, result)


def _chebyshev(
    suffix: str, example: Sequence[float], shifted_example: Sequence[float], formula: str
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    name, number = f"chebyshev_polynomial_{suffix}", "tuvw".index(suffix)
    title = f"Chebyshev polynomials of the {('first', 'second', 'third', 'fourth')[number]} kind"
    plain = _polynomial(name, kinds.CHEBYSHEV_T + number, example, f"{title}: {formula}.")
    number += kinds.SHIFTED + kinds.CHEBYSHEV_T
    return plain, _polynomial(f"shifted_{name}", number, shifted_example, f"{title}, of 2 x - 1: for x in [0, 1].")


chebyshev_polynomial_t, shifted_chebyshev_polynomial_t = _chebyshev(
    "t", [-0.5, 7.0], [-1.0, 17.0], "T_n(cos a) = cos(n a)"
)
chebyshev_polynomial_u, shifted_chebyshev_polynomial_u = _chebyshev(
    "u", [0.0, 15.0], [-1.0, 35.0], "U_n(cos a) = sin((n + 1) a) / sin(a)"
)
chebyshev_polynomial_v, shifted_chebyshev_polynomial_v = _chebyshev(
    "v", [-1.0, 11.0], [-1.0, 29.0], "V_n(cos a) = cos((n + 1/2) a) / cos(a / 2)"
)
chebyshev_polynomial_w, shifted_chebyshev_polynomial_w = _chebyshev(
    "w", [1.0, 19.0], [-1.0, 41.0], "W_n(cos a) = sin((n + 1/2) a) / sin(a / 2)"
)
hermite_polynomial_h = _polynomial(
    "hermite_polynomial_h",
    kinds.HERMITE_H,
    [-1.0, 14.0],
    "The physicists' Hermite polynomials: H_(n+1)(x) = 2 x H_n(x) - 2 n H_(n-1)(x).",
)
hermite_polynomial_he = _polynomial(
    "hermite_polynomial_he",
    kinds.HERMITE_HE,
    [-0.75, 3.0],
    "The probabilists' Hermite polynomials: He_(n+1)(x) = x He_n(x) - n He_(n-1)(x).",
)
laguerre_polynomial_l = _polynomial(
    "laguerre_polynomial_l",
    kinds.LAGUERRE,
    [0.125, -1.0],
    "Laguerre polynomials: (n + 1) L_(n+1)(x) = (2 n + 1 - x) L_n(x) - n L_(n-1)(x).",
)
legendre_polynomial_p = _polynomial(
    "legendre_polynomial_p",
    kinds.GEGENBAUER,
    [-0.125, 5.5],
    "Legendre polynomials: (n + 1) P_(n+1)(x) = (2 n + 1) x P_n(x) - n P_(n-1)(x).",
    0.5,
)
