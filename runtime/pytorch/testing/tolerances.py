"""How far numbers of each dtype may lie apart and still be called close."""

from __future__ import annotations

from typing import Any

from ...tensor.dtypes import dtype

_BY_NAME = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}


def default_tolerances(*kinds: dtype) -> tuple[float, float]:
    """The relative and the absolute tolerance for numbers of some dtypes: the greatest; 0 for integers and bools."""
    matches = [_BY_NAME.get(kind.to_real().name, (0.0, 0.0)) if kind.kind in "fc" else (0.0, 0.0) for kind in kinds]
    return max(rtol for rtol, _ in matches), max(atol for _, atol in matches)


def chosen_tolerances(rtol: Any, atol: Any, *kinds: dtype) -> tuple[float, float]:
    """The tolerances that are given, or the defaults; a ValueError where one is given and the other is not."""
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
    return default_tolerances(*kinds) if rtol is None else (rtol, atol)
