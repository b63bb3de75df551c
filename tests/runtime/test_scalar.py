"""The scalar functions, compiled, against NumPy and SciPy: accuracy in ulp, special values, integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

from specgrad.runtime.kernels import scalar
from specgrad.runtime.kernels.compile import cpu_library

INF, NAN = math.inf, math.nan
RNG = np.random.default_rng(0)

# name: reference, the interval points are drawn from, the worst error allowed in units in the last place
ACCURACY: dict[str, tuple[Callable[..., Any], float, float, float]] = {
    "exp": (np.exp, -87, 88, 1),
    "exp2": (np.exp2, -120, 120, 1),
    "expm1": (np.expm1, -80, 80, 1),
    "log": (np.log, 0, 50, 1),
    "log2": (np.log2, 0, 50, 1),
    "log10": (np.log10, 0, 50, 2),
    "log1p": (np.log1p, -1, 50, 1),
    "sqrt": (np.sqrt, 0, 50, 0.5),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 0.001, 50, 1.5),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), -80, 80, 2.5),
    "sin": (np.sin, -50, 50, 1),
    "cos": (np.cos, -50, 50, 1),
    "tan": (np.tan, -50, 50, 1),
    "asin": (np.arcsin, -1, 1, 1),
    "acos": (np.arccos, -1, 1, 1),
    "atan": (np.arctan, -50, 50, 1),
    "sinh": (np.sinh, -80, 80, 2),
    "cosh": (np.cosh, -80, 80, 2),
    "tanh": (np.tanh, -10, 10, 2.5),
    "asinh": (np.arcsinh, -50, 50, 2),
    "acosh": (np.arccosh, 1, 50, 2),
    "atanh": (np.arctanh, -1, 1, 2),
    "erf": (special.erf, -4, 4, 2),
    "erfc": (special.erfc, -4, 4, 4),
}

# Exact at every value: the result is one of few, or the operation is exact.
SPECIAL = (
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.0,
    -1.0,
    1.5,
    -1.5,
    2.5,
    -2.5,
    3.7,
    -3.7,
    1e30,
    -1e30,
    8388609.0,
    INF,
    -INF,
    NAN,
)
UNARY: dict[str, Callable[[Any], Any]] = {
    "abs": np.abs,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.round,
    "trunc": np.trunc,
    "conj": np.conj,
    "real": np.real,
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "maximum": np.maximum,
    "minimum": np.minimum,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "fmod": np.fmod,
    "remainder": np.remainder,
    "floor_divide": np.floor_divide,
    "atan2": np.arctan2,
}
AT_SPECIAL = (
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
)


def compiled(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = cpu_library(False).get(name)
    return function


def ulps(found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """How far `found` is from a reference of higher precision, in units in the last place of its own dtype."""
    unit = np.spacing(np.abs(wanted).astype(found.dtype))
    return np.abs(found.astype(wanted.dtype) - wanted) / unit


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ACCURACY)
def test_accuracy(name: str, dtype: type) -> None:
    """Random points, many of them near an end of the interval, are within the stated error of the reference."""
    reference, low, high, limit = ACCURACY[name]
    points = RNG.uniform(low, high, 2000)
    points[:200] = np.clip(points[:200] * 1e-5, low, high)
    points = points.astype(dtype)
    wide = np.longdouble if dtype is np.float64 and reference.__module__ != "scipy.special" else np.float64
    if isinstance(reference, np.ufunc) and reference in (special.erf, special.erfc):
        wide = np.float64
    found = np.array([compiled(name)(x) for x in points]).astype(dtype)
    with np.errstate(all="ignore"):
        assert ulps(found, reference(points.astype(wide))).max() <= limit
