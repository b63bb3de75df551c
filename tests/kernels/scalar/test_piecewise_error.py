"""float32 functions of the error function's family by pieces, against SciPy in float64: their errors all over the usual
domain and at its edges, and that a block of usual elements gives the bits that its elements have anywhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import special

import specgrad as sg


class Case(NamedTuple):
    """What a function is in float64, its largest error in ulp in float32, and where its usual arguments are."""

    reference: Callable[[np.ndarray], np.ndarray]
    bound: float
    low: float
    high: float


def erfinv(x: np.ndarray) -> np.ndarray:
    """Exact also next to 1."""
    large = np.copysign(special.erfcinv(1.0 - np.abs(x)), x)
    return np.where(np.abs(x) < 0.5, special.erfinv(x), large)


CASES = {
    "erfc": Case(special.erfc, 0.65, -7.75, 7.75),
    "erfcx": Case(special.erfcx, 0.7, -7.75, 7.75),
    "erfinv": Case(erfinv, 0.6, -1.0 + 2.0**-16, 1.0 - 2.0**-16),
    "ndtri": Case(special.ndtri, 0.7, 1.5 * 2.0**-17, 1.0 - 2.0**-16),
    "log_ndtr": Case(special.log_ndtr, 1.1, -9.0, 6.0),
}
UNUSUAL = {
    "erfc": (7.75, 10.05),
    "erfcx": (7.75, 100.0),
    "erfinv": (1.0 - 2.0**-16, 1.0 - 2.0**-24),
    "ndtri": (1e-30, 1e-5),
    "log_ndtr": (-40.0, -9.0),
}
NAMES = pytest.mark.parametrize("name", CASES)
BLOCK = 512


def computed(name: str, x: np.ndarray) -> np.ndarray:
    function = getattr(sg, name, None) or getattr(sg.special, name)
    return np.asarray(function(sg.tensor(x)).numpy())


def neighbours(points: Any, count: int = 40) -> np.ndarray:
    """As many float32 to both sides of some, and these."""
    small_value = np.asarray(points, np.float32).view(np.int32)[:, None] + np.arange(-count, count + 1, dtype=np.int32)
    return small_value.ravel().view(np.float32)


def points(case: Case, count: int) -> np.ndarray:
    """Usual arguments: evenly, at random, closer and closer to 0 and to both edges, and about multiples of 1/16."""
    rng = np.random.default_rng(0)
    small = np.geomspace(1e-38, case.high - case.low, count)
    positions = np.arange(np.ceil(16 * case.low), np.ceil(16 * case.high)) / 16
    x = np.concatenate([
        np.linspace(case.low, case.high, count),
        rng.uniform(case.low, case.high, count),
        *(small, -small, case.low + small, case.high - small),
        neighbours(positions[positions != 0]),
    ])  # fmt: skip
    x = x.astype(np.float32)
    return x[(x > case.low) & (x < case.high)]


def errors(case: Case, x: np.ndarray, found: np.ndarray) -> np.ndarray:
    """In units in the last place."""
    requested = case.reference(x.astype(np.float64))
    return np.asarray(
        np.abs(found - requested) / np.spacing(np.maximum(np.abs(requested), 2.0**-126).astype(np.float32))
    )


@NAMES
def test_errors(name: str) -> None:
    """They are at most what is stated, in usual blocks."""
    case = CASES[name]
    x = points(case, 40_000)
    found = errors(case, x, computed(name, x))
    assert found.max() <= case.bound, x[found.argmax()]


@NAMES
def test_edges(name: str) -> None:
    """They are at most what is stated to both sides of the usual domain's edges."""
    case = CASES[name]
    x = neighbours([case.low, case.high], 200)
    found = errors(case, x, computed(name, x))
    assert found.max() <= case.bound, x[found.argmax()]


@NAMES
def test_unusual_arguments(name: str) -> None:
    """These are rounded once, but for some hundredths of a unit; erfc has subnormal results."""
    x = np.random.default_rng(2).uniform(*UNUSUAL[name], 20_000).astype(np.float32)
    assert errors(CASES[name], x, computed(name, x)).max() <= 0.55


@NAMES
def test_the_same_bits(name: str) -> None:
    """Of an element in a block of usual ones, beside nan, in a short tensor, and in one that is not contiguous."""
    x = np.random.default_rng(1).permutation(points(CASES[name], 20_000))[: 64 * BLOCK]
    in_blocks = computed(name, x)
    beside = np.stack([x, np.full_like(x, np.nan)])
    np.testing.assert_array_equal(computed(name, beside.ravel("F"))[::2], in_blocks)
    np.testing.assert_array_equal(computed(name, x[: BLOCK - 1]), in_blocks[: BLOCK - 1])
    strided = getattr(sg, name, None) or getattr(sg.special, name)
    np.testing.assert_array_equal(strided(sg.tensor(beside)[0]).numpy(), in_blocks)
    np.testing.assert_array_equal(strided(sg.tensor(beside.T.copy())[:, 0]).numpy(), in_blocks)
