"""Running sums, products and logarithms of sums against exact ones: long lines, all layouts, dtypes and magnitudes.

The bounds do not grow with the length of a line: a few units in the last place of each result, or of the largest sum so
far where terms cancel.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.attack.amount import SEED, amount

Array = np.ndarray
DTYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
DIGITS = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}


def half_unit(dtype: str) -> float:
    """Half a unit in the last place of 1."""
    return DIGITS[{"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)]


def exact_sums(row: Sequence[float]) -> list[float]:
    """Each prefix, rounded once: sums of whole multiples of the smallest unit."""
    pairs = [x.as_integer_ratio() for x in row]
    unit, total, found = max(below for _, below in pairs), 0, []
    for above, below in pairs:
        total += above * (unit // below)
        found.append(total / unit)
    return found


def exact_products(row: Sequence[float]) -> list[float]:
    """Each prefix in 200 bits, rounded."""
    top, total, found = 1 << 200, Fraction(1), []
    for x in row:
        total *= Fraction(x)
        size = abs(total)
        if size.denominator > top:
            scale = size.denominator.bit_length() - 200
            total = Fraction(total.numerator >> scale, total.denominator >> scale)
        found.append(float(total))
    return found


def of_parts(scan: Callable[[Sequence[float]], list[float]], row: Array) -> Array:
    """A scan of real numbers, or of the parts of complex ones."""
    if row.dtype.kind == "c":
        return np.array(scan(row.real.tolist())) + 1j * np.array(scan(row.imag.tolist()))
    return np.array(scan(row.tolist()))


def by_rows(scan: Callable[[Array], Array], x: Array, dim: int) -> Array:
    rows = np.moveaxis(x, dim, -1)
    found = np.array([scan(row) for row in rows.reshape(-1, rows.shape[-1])]).reshape(rows.shape)
    return np.moveaxis(found, -1, dim)


def sampled(rng: random.Random, noise: np.random.Generator, longest: int) -> tuple[Any, Array, int]:
    """A tensor in some layout, its numbers, and a dimension."""
    dtype, dim = rng.choice(DTYPES), rng.randrange(3)
    shape = [rng.choice((1, 2, 3, 5, 17, 70)) if rng.random() < 0.5 else 1 for _ in range(3)]
    shape[dim] = rng.choice((1, 2, 7, 8, 9, 31, 300))
    if rng.random() < 0.2:
        shape = [longest if d == dim else min(n, 2) for d, n in enumerate(shape)]
    x = noise.standard_normal(shape) * 10.0 ** rng.uniform(-3, 1)
    if dtype.startswith("complex"):
        x = x + 1j * noise.standard_normal(shape)
    given = sg.tensor(x).to(getattr(sg, dtype))
    if rng.random() < 0.4:
        given = given.permute(2, 0, 1).contiguous().permute(1, 2, 0)
    wide = given.to(sg.complex128 if given.is_complex() else sg.float64)
    return given, wide.numpy(), dim


def bounded(x: Array, dim: int) -> Array:
    """The largest size so far."""
    return np.maximum.accumulate(np.abs(x), axis=dim)


def widened(x: Any) -> Array:
    return x.detach().to(sg.complex128 if x.is_complex() else sg.float64).numpy()


@pytest.mark.parametrize("chunk", range(4))
def test_running_sums(chunk: int, figures: Any) -> None:
    """cumsum, and its slope, which runs backwards, is the exact sum to few units of the largest one so far.

    What blocks of eight lose of their own sums is a random walk of sqrt(length) units of the terms at most, no longer
    than that of the sums themselves.
    """
    rng, noise = random.Random(f"{SEED}, {chunk}"), np.random.default_rng([SEED, chunk])
    rounds = amount(12, 150)
    for _ in range(rounds):
        given, x, dim = sampled(rng, noise, amount(2000, 20_000))
        what = f"seed {SEED}, chunk {chunk}: {given.shape}, {given.stride()}, {given.dtype}, dim {dim}"
        for back in (False, True):
            terms = np.flip(x, dim) if back else x
            right = by_rows(lambda row: of_parts(exact_sums, row), terms, dim)
            leaf = sg.zeros_like(given).requires_grad_()
            found = widened(sg.autograd.grad(leaf.cumsum(dim), leaf, given)[0] if back else given.cumsum(dim))
            steps = np.sqrt(np.arange(1, x.shape[dim] + 1)).reshape([-1 if d == dim else 1 for d in range(3)])
            bound = half_unit(given.dtype.name) * (3 * bounded(np.abs(right), dim) + (6 + steps) * bounded(terms, dim))
            assert (np.abs((np.flip(found, dim) if back else found) - right) <= bound).all(), (what, back)
    figures("scans", sums=2 * rounds)


@pytest.mark.parametrize("chunk", range(4))
def test_running_products(chunk: int, figures: Any) -> None:
    """cumprod of numbers around 1 is the exact product to two units in the last place, whatever the length."""
    rng, noise = random.Random(f"products {SEED}, {chunk}"), np.random.default_rng([SEED, chunk, 1])
    rounds = amount(10, 100)
    for _ in range(rounds):
        given, x, dim = sampled(rng, noise, amount(1000, 5000))
        size = x.shape[dim]
        if given.is_complex():
            given = sg.polar(1 + 0.3 * given.real / size, given.imag)
        else:
            given = (1 + 0.3 * (given / size).clamp(-1, 1)) * sg.where(given > 0, 1.0, -1.0).to(given.dtype)
        x, found = widened(given), widened(given.cumprod(dim))
        if given.is_complex():
            right = np.cumprod(x.astype(np.clongdouble), axis=dim)
            slack = size * float(np.finfo(np.longdouble).eps)
        else:
            right, slack = by_rows(lambda row: np.array(exact_products(row.tolist())), x, dim), 0
        error = np.abs(found - right) / np.abs(right)
        assert (error <= 4 * half_unit(given.dtype.name) + slack).all(), (
            f"seed {SEED}, chunk {chunk}: {given.shape}, {given.stride()}, {given.dtype}, dim {dim}: {error.max()}"
        )
    figures("scans", products=rounds)


@pytest.mark.parametrize("chunk", range(4))
def test_running_logarithms(chunk: int, figures: Any) -> None:
    """logcumsumexp is the logarithm of the exact sum of exponentials, to a few units of the largest number so far."""
    rng, noise = random.Random(f"logarithms {SEED}, {chunk}"), np.random.default_rng([SEED, chunk, 2])
    rounds = amount(12, 150)
    for _ in range(rounds):
        given, x, dim = sampled(rng, noise, amount(2000, 20_000))
        drift = rng.choice((0, 0, 100, -100)) * np.arange(x.shape[dim]) / x.shape[dim]
        moved = np.moveaxis(x, dim, -1).real + drift
        given = sg.tensor(np.moveaxis(moved, -1, dim)).to(given.dtype if not given.is_complex() else sg.float64)
        x = widened(given)

        def exact(row: Array) -> Array:
            top = row.max()
            return np.log(np.array(exact_sums(np.exp(row - top).tolist()))) + top

        right = by_rows(exact, np.clip(x, -600, 600), dim)
        bound = 4 * half_unit(given.dtype.name) * np.abs(right) + 20 * 2.0**-53 * (100 + np.abs(x).max())
        bound += 2.0**-25 * (given.dtype is sg.float16)  # half of its smallest number
        assert (np.abs(widened(given.logcumsumexp(dim)) - right) <= bound).all(), (
            f"seed {SEED}, chunk {chunk}: {given.shape}, {given.stride()}, {given.dtype}, dim {dim}"
        )
    figures("scans", logarithms=rounds)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_ten_million_tenths(dtype: str, figures: Any) -> None:
    """Each of the running sums of 0.1 is what it is to be, to two units in the last place."""
    count = amount(1_000_000, 10_000_000)
    tenth = sg.tensor(0.1, dtype=getattr(sg, dtype))
    found = widened(sg.full((count,), 0.1, dtype=tenth.dtype).cumsum(0))
    exact = Fraction(complex(tenth.item()).real)
    positions = np.unique(np.geomspace(1, count, 5000).astype(int))
    right = np.array([float(exact * int(k)) for k in positions])
    assert (np.abs(found.real[positions - 1] - right) <= 4 * half_unit(dtype) * right).all(), dtype
    figures("scans", tenths=count)


def test_what_is_not_finite_stays_where_it_is() -> None:
    """Infinities and nan spread to what comes behind them, and nothing before; large numbers overflow only as sums."""
    inf, nan, large = math.inf, math.nan, 1.5e308
    for at in range(20):
        row = [0.5] * 20
        for bad in (inf, -inf, nan):
            row[at] = bad
            for x in (sg.tensor(row), sg.tensor(row, dtype=sg.float64), sg.tensor([[r, r] for r in row])):
                found = x.cumsum(0).tolist() if x.ndim == 1 else x.cumsum(0)[:, 0].tolist()
                assert found[:at] == [0.5 * (k + 1) for k in range(at)]
                assert all(y == bad or (y != y and bad != bad) for y in found[at:])
    signs = sg.tensor([large, -large] * 10, dtype=sg.float64)
    assert sg.cumsum(signs.roll(1), 0).tolist() == [-large, 0.0] * 10
    assert sg.cumsum(sg.tensor([-large, large, large, -large, -large] * 3, dtype=sg.float64), 0)[2] == large
    assert sg.cumprod(sg.tensor([1e200, 1e200, 0.5], dtype=sg.float64), 0).tolist() == [1e200, inf, inf]
    assert math.copysign(1, sg.cumprod(sg.tensor([-1.0, 0.0], dtype=sg.float64), 0)[1].item()) == -1
    assert sg.logcumsumexp(sg.tensor([0.0, -40.0]), 0)[1].item() == pytest.approx(math.exp(-40), rel=1e-6)


def test_angles_of_complex_logarithms_go_on() -> None:
    """logcumsumexp of complex numbers is a logarithm of the sum, a row alone as one of many, and jumps by no turn."""
    z = sg.tensor([1 + 5j, -9j, 2 + 3j, -1j, complex(-math.inf, 0)], dtype=sg.complex128)
    found = z.logcumsumexp(0)
    np.testing.assert_allclose(found.exp().numpy(), np.cumsum(np.exp(z.numpy())), rtol=1e-14)
    assert (z[None].logcumsumexp(1)[0] == found).all() and found[0] == z[0]
    assert (found.imag.diff().abs() < 2).all()
