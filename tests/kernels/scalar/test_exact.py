"""The scalar functions for real numbers whose results are exact, and those of integers, against NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from specgrad.runtime.compiler.passes.target import fuses
from specgrad.runtime.kernels import scalar

from .library import compiled, equal

INF, NAN = math.inf, math.nan

POINTS = (
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
    2.0**23,
    INF,
    -INF,
    NAN,
)

# Functions whose results are exact.
UNARY: dict[str, Callable[[Any], Any]] = {
    "abs": np.abs,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.round,
    "trunc": np.trunc,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: x.dtype.type(1) / np.sqrt(x),
    "conj": np.conj,
    "real": np.real,
    "imag": np.imag,
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "maximum": np.maximum,
    "minimum": np.minimum,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "fmod": np.fmod,
    "remainder": np.remainder,
    "floor_divide": np.floor_divide,
}
INTEGERS = (-128, -7, -3, -1, 0, 1, 2, 7, 127)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_exact_functions(name: str, dtype: type) -> None:
    """Exact functions give NumPy's value at every special value, and the sign of zero with it."""
    reference = UNARY.get(name) or BINARY[name]
    values = [dtype(v) for v in POINTS]
    pairs = [(v,) for v in values] if name in UNARY else [(v, w) for v in values for w in values]
    with np.errstate(all="ignore"):
        wrong = [p for p in pairs if not close_choice(name, compiled(name)(*p), reference(*p))]
    assert not wrong


def close_choice(name: str, found: Any, requested: Any) -> bool:
    """Equal; of two zeros of different sign the functions that choose may take either."""
    chooses = name in ("maximum", "minimum", "fmax", "fmin")
    return equal(found, requested) or bool(chooses and found == requested == 0)


@pytest.mark.parametrize("name", UNARY)
def test_plain_python_is_the_same(name: str) -> None:
    """Uncompiled, on NumPy scalars, as in the CUDA simulator, a function gives what it gives compiled."""
    for value in map(np.float64, POINTS):
        with np.errstate(all="ignore"):
            assert equal(getattr(scalar, name)(value), compiled(name)(value)), f"{name}({value})"


@pytest.mark.parametrize("name", ["floor_divide", "trunc_divide", "remainder", "fmod"])
def test_integer_division(name: str) -> None:
    """Quotients and remainders of integers are those of exact arithmetic."""
    for x in INTEGERS:
        for y in (v for v in INTEGERS if v):
            towards_zero = int(math.copysign(abs(x) // abs(y), x * y)) if x * y else 0
            requested = {"floor_divide": x // y, "trunc_divide": towards_zero, "remainder": x % y}
            for dtype in (np.int8, np.int64):
                found = compiled(name)(dtype(x), dtype(y))
                assert found == requested.get(name, x - y * towards_zero), f"{name}({x}, {y})"


def test_integer_power() -> None:
    """Integer powers are exact; a negative exponent rounds towards zero."""
    power = compiled("pow")
    assert power(np.int64(3), np.int64(39)) == 3**39
    assert [power(np.int64(b), np.int64(-3)) for b in (2, 1, -1, -2, 0)] == [0, 1, -1, 0, 0]
    assert power(np.int64(-1), np.int64(-2)) == 1
    assert power(np.uint8(3), np.uint8(5)) == 243


def test_whole_numbers_stay() -> None:
    """Rounding leaves integers alone, also those that float64 cannot hold."""
    large = np.int64(2**62 + 1)
    assert all(compiled(name)(large) == large for name in ("floor", "ceil", "round", "trunc", "abs"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_power(dtype: type) -> None:
    """x^y is within one ulp of NumPy's, at special values the same."""
    values = [dtype(v) for v in (0.0, 1.0, -1.0, 2.0, -2.0, 0.7, 3.3, INF, -INF, NAN)]
    for x in values:
        for y in values:
            with np.errstate(all="ignore"):
                requested = np.power(x, y)
            found = compiled("pow")(x, y)
            assert equal(found, requested) or abs(found - requested) <= np.spacing(abs(requested)), (x, y, found)


def test_round_decimals() -> None:
    """Decimals may be negative; halves go to the even neighbour."""
    rounded = compiled("round_decimals")
    assert rounded(np.float64(0.125), 2) == 0.12
    assert rounded(np.float64(-1.005), 1) == -1.0
    assert rounded(np.float64(1250.0), -2) == 1200.0
    assert rounded(np.float64(2.5), 0) == 2.0


def test_sign() -> None:
    """sign is 0 for zeros and nan, as PyTorch's."""
    sign = compiled("sign")
    assert [sign(np.float64(v)) for v in (-3.0, -0.0, 0.0, 5.0, INF, NAN)] == [-1, 0, 0, 1, 1, 0]


def test_lerp_is_exact_at_both_ends() -> None:
    """Weight 1 gives the end itself, however far the start is from it."""
    lerp = compiled("lerp")
    assert lerp(np.float64(1e20), np.float64(1.0), np.float64(1.0)) == 1.0
    assert lerp(np.float64(1e20), np.float64(1.0), np.float64(0.0)) == 1e20


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_exponential_that_underflows(dtype: type) -> None:
    """Beside NumPy in more digits, around the places where the exponential becomes subnormal, 0 and infinite."""
    positions = np.concatenate([np.linspace(-760, -700, 2000), np.linspace(-110, 90, 4000), POINTS]).astype(dtype)
    exp = compiled("exp")
    with np.errstate(all="ignore"):
        exact = np.exp(positions.astype(np.longdouble)).astype(dtype)
    for x, right in zip(positions, exact, strict=True):
        assert equal(exp(x), right) or abs(exp(x) - right) <= np.spacing(right), x


@pytest.mark.parametrize(("dtype", "max_count"), [(np.float32, 87), (np.float64, 708)])
def test_usual_exponential(dtype: type, max_count: int) -> None:
    """The exponential of usual numbers has the bits of `exp`, up to the ends of their range; nan stays nan.

    Processors that do not fuse products and sums round the product by itself. Near the lower end it is subnormal where
    the exponent comes first, and the last bit may differ.
    """
    positions = np.concatenate(
        [np.linspace(-max_count, max_count, 20_000), np.linspace(-1, 1, 4000), [0.0, -0.0]]
    ).astype(dtype)
    exp, common = compiled("exp"), compiled("exp_fast_range")
    exact = positions if fuses() else positions[positions > (math.log(np.finfo(dtype).tiny) + 53 * math.log(2))]
    assert not [x for x in exact if not equal(common(x), exp(x))]
    assert not [x for x in positions if abs(common(x) - exp(x)) > np.spacing(exp(x))]
    patterns = np.array([0x7FC00000, 0x7FC00001, 0x7FFFFFFF, 0xFFC00001], np.uint32).view(np.float32).astype(dtype)
    assert np.isnan([common(x) for x in patterns]).all()
