"""Numbers that are to become elements of a tensor: they must fit its dtype."""

from __future__ import annotations

import functools
import math
from typing import Any

from ...tensor.dtypes import dtype, finfo, iinfo


def fitting_number(op: str, name: str, value: Any, into: dtype) -> Any:
    """`value` as the Python number of the dtype's kind; fractions are cut off for integers, as in PyTorch.

    Raises:
        RuntimeError: a complex number for a real dtype, or one outside the dtype's range.
    """
    parts = (value.real, value.imag) if into.kind == "c" else (value,)
    if any(isinstance(part, complex) or not _in_range(part, into.to_real()) for part in parts):
        raise RuntimeError(f"{op}(): {name} {value} cannot be converted to {into} without overflow")
    return {"b": bool, "i": int, "f": float, "c": complex}[into.kind](value)


def _in_range(value: float, into: dtype) -> bool:
    """Whether a real number is between the dtype's limits; only floating-point dtypes have inf and nan."""
    if into.kind == "b":
        return True
    if isinstance(value, float) and not math.isfinite(value):
        return into.kind == "f"
    least, greatest = _limits(into)
    return least <= value <= greatest


@functools.cache
def _limits(into: dtype) -> tuple[float, float]:
    limits = finfo(into) if into.kind == "f" else iinfo(into)
    return limits.min, limits.max
