"""Orthogonal polynomials, by the recursions between three neighbouring degrees; gradients go through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dispatch import checks
from ..dispatch.writing import write_out
from ..errors import DtypeError
from ..namespace import op
from ..tensor.base import TensorBase
from ..tensor.dtypes import get_default_dtype, int64, result_type

_MOST = 1_000_000  # steps of a loop; what asks for more was no degree
Step = Callable[[Any, Any, Any, int], Any]  # p_(k+1) from x, p_k, p_(k-1) and k


def evaluated(name: str, x: Any, n: Any, out: Any, first: Callable[[Any], Any], step: Step) -> Any:
    """The polynomial of degree n: p_0 = 1, p_1 = first(x), and so on; 0 for negative degrees, which there are not."""
    if not isinstance(x, TensorBase) and not isinstance(n, TensorBase):
        raise TypeError(f"{name}(): expected a tensor for input or n, but got two numbers")
    given: Any = [v if isinstance(v, TensorBase) else checks.scalar(name, a, v) for a, v in (("input", x), ("n", n))]
    kind = result_type(*given)
    if kind.kind == "c":
        raise DtypeError(f"{name}(): expected real numbers, but got {kind}")
    kind = kind if kind.kind == "f" else get_default_dtype()
    x, n = given
    x = x.to(kind) if isinstance(x, TensorBase) else op.full((), x, dtype=kind)  # type: ignore[attr-defined]
    highest = n if not isinstance(n, TensorBase) else op.amax(n).item() if n.numel() else 0
    if not highest <= _MOST:
        raise RuntimeError(f"{name}(): expected degrees of at most {_MOST}, but got {highest}")
    found = _of_each(x, n, first, step) if isinstance(n, TensorBase) else _of_one(x, int(n), first, step)
    return found if out is None else write_out(name, out, found)


def _of_one(x: Any, degree: int, first: Callable[[Any], Any], step: Step) -> Any:
    if degree < 0:
        return op.zeros_like(x)
    before, now = op.ones_like(x), first(x)
    for k in range(1, degree):
        before, now = now, step(x, now, before, k)
    return before if degree == 0 else now


def _of_each(x: Any, n: Any, first: Callable[[Any], Any], step: Step) -> Any:
    """A degree for each element, fractions cut off: all degrees up to the greatest are computed."""
    degrees = n.to(int64) if n.dtype.kind == "f" else n
    before, now = op.ones_like(x), first(x)
    result = op.where(degrees == 0, before, op.where(degrees < 0, op.zeros_like(x), now))
    for k in range(1, int(degrees.max()) if degrees.numel() else 0):
        before, now = now, step(x, now, before, k)
        result = op.where(degrees > k, now, result)
    return result
