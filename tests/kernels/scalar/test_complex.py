"""The scalar functions for complex numbers, compiled and as plain Python, against NumPy in more precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from specgrad.runtime.compiler.passes.scalar_library import cpu_library
from specgrad.runtime.kernels.scalar import complex as scalar_complex

# name: reference, and the worst error |found - wanted| / |wanted| in units of the dtype's eps
ACCURACY: dict[str, tuple[Callable[..., Any], float]] = {
    "abs": (np.abs, 1),
    "sgn": (lambda z: z / np.abs(z), 2),
    "conj": (np.conj, 0),
    "real": (np.real, 0),
    "imag": (np.imag, 0),
    "sqrt": (np.sqrt, 1.5),
    "rsqrt": (lambda z: 1 / np.sqrt(z), 1.5),
    "exp": (np.exp, 1.5),
    "exp2": (lambda z: np.exp(z * np.log(np.longdouble(2))), 2),
    "expm1": (np.expm1, 2),
    "log": (np.log, 2),
    "log2": (lambda z: np.log(z) / np.log(np.longdouble(2)), 2),
    "log10": (lambda z: np.log(z) / np.log(np.longdouble(10)), 2),
    "log1p": (np.log1p, 2),
    "sigmoid": (lambda z: 1 / (1 + np.exp(-z)), 4),
    "sin": (np.sin, 1.5),
    "cos": (np.cos, 1.5),
    "tan": (np.tan, 2.5),
    "asin": (np.arcsin, 1.5),
    "acos": (np.arccos, 2.5),
    "atan": (np.arctan, 1.5),
    "sinh": (np.sinh, 1.5),
    "cosh": (np.cosh, 1.5),
    "tanh": (np.tanh, 2.5),
    "asinh": (np.arcsinh, 1.5),
    "acosh": (np.arccosh, 2.5),
    "atanh": (np.arctanh, 1.5),
}
PARTS = (-2.5, -1.0, -0.0, 0.0, 1.0, 2.5)
BRANCHING = ("sqrt", "log", "asin", "acos", "atan", "asinh", "acosh", "atanh")


def compiled(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = cpu_library(True).get(name)
    return function


def points_of(dtype: type) -> np.ndarray:
    """Points around the origin and near the unit circle."""
    rng = np.random.default_rng(0)
    plane = rng.uniform(-3, 3, 600) + 1j * rng.uniform(-3, 3, 600)
    circle = np.exp(1j * rng.uniform(-3, 3, 100)) * (1 + 1e-4 * rng.normal(size=100))
    return np.concatenate([plane, circle]).astype(dtype)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", ACCURACY)
def test_accuracy(name: str, dtype: type) -> None:
    """Random points are within the stated error of a reference of higher precision."""
    reference, limit = ACCURACY[name]
    points = points_of(dtype)
    requested = reference(points.astype(np.clongdouble))
    found = np.array([compiled(name)(z) for z in points])
    assert (np.abs(found - requested) / np.abs(requested)).max() <= limit * np.finfo(dtype).eps


@pytest.mark.parametrize("name", BRANCHING)
def test_branch_cuts(name: str) -> None:
    """On a cut the sign of zero tells the side: compiled and as plain Python a function does as NumPy's."""
    poles = {"log": (0,), "atan": (1j, -1j), "atanh": (1, -1)}.get(name, ())
    for z in (complex(x, y) for x in PARTS for y in PARTS):
        if z in poles:
            continue
        requested = ACCURACY[name][0](np.complex128(z))
        for function in (compiled(name), getattr(scalar_complex, name)):
            assert abs(function(np.complex128(z)) - requested) <= 8e-16 * abs(requested), f"{name}({z})"


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "atanh", "log", "sqrt", "abs", "asinh"])
def test_large_arguments(name: str) -> None:
    """Nothing overflows on the way to a result that is finite."""
    for z in (800 + 0.5j, -800 + 0.5j, 1e150 - 1e150j, -1e150 + 1e150j):
        with np.errstate(all="ignore"):
            requested = np.complex128(ACCURACY[name][0](np.clongdouble(z)))
        if np.isfinite(requested):
            assert abs(compiled(name)(np.complex128(z)) - requested) <= 1e-14 * abs(requested), f"{name}({z})"


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite"])
def test_tests(name: str) -> None:
    """A complex number is nan or infinite when one of its parts is."""
    for x in (1.0, math.inf, math.nan):
        for y in (1.0, -math.inf, math.nan):
            assert compiled(name)(complex(x, y)) == getattr(np, name)(complex(x, y))


def test_zero() -> None:
    """At zero the direction is zero and the modulus and root are zero."""
    assert [compiled(name)(0j) for name in ("sgn", "abs", "sqrt")] == [0, 0, 0]


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_power(dtype: type) -> None:
    """z^w is within a few eps of exp(w log z) in higher precision; squares are as good as products, fused or not."""
    power, points, eps = compiled("pow"), points_of(dtype), np.finfo(dtype).eps
    for z, w in zip(points[:200], points[200:400], strict=True):
        requested = np.exp(np.clongdouble(w) * np.log(np.clongdouble(z)))
        assert abs(power(z, w) - requested) <= 20 * eps * abs(requested)
        assert abs(power(z, dtype(2)) - np.clongdouble(z) * np.clongdouble(z)) <= eps * abs(z) ** 2
        assert power(z, dtype(0)) == 1
    assert power(dtype(0), dtype(3)) == 0


def test_complex64_stays_complex64() -> None:
    """No constant promotes complex64 to complex128."""
    from numba import types

    for name in (n for n in ACCURACY if n not in ("abs", "real", "imag")):
        function = compiled(name)
        function(np.complex64(0.5 + 0.25j))
        found = function.overloads[types.complex64,].signature.return_type  # type: ignore[attr-defined]
        assert found == types.complex64, name


def test_real_arguments_are_taken() -> None:
    """A real number has no imaginary part, so formulas may mix both."""
    assert compiled("conj")(np.float64(2.0)) == 2.0
    assert compiled("abs")(np.float64(-2.0)) == 2.0
    assert compiled("exp")(np.float64(0.0)) == 1.0
    assert compiled("where")(True, np.complex128(1j), np.complex128(2)) == 1j


def test_lerp_is_exact_at_both_ends() -> None:
    """Weight 1 gives the end itself, however far the start is from it."""
    lerp = compiled("lerp")
    assert lerp(np.complex128(1e20), np.complex128(1j), np.complex128(1)) == 1j
    assert lerp(np.complex128(1e20), np.complex128(1j), np.complex128(0)) == 1e20
