"""Intrinsics over rows in vectors of 64 bytes: sums of blocks, and the least and the greatest element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.kernels.jit import jit
from specgrad.runtime.kernels.llvm.addresses import part_of
from specgrad.runtime.kernels.llvm.lines import range_of, sum_of_few

SIZES = (1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 200, 1000)


@jit
def extremes(row: np.ndarray, start: int, count: int, out: np.ndarray) -> None:
    """out = the least and the greatest element of a part of a row."""
    out[0], out[1] = range_of(part_of(row, start, count))


def found(row: np.ndarray, start: int) -> list[Any]:
    """The least and the greatest element from a place on."""
    out = np.zeros(2, row.dtype)
    extremes(row, start, row.size - start, out)
    return list(out)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_range(size: int, dtype: type) -> None:
    """As NumPy finds them, wherever in a row they stand, and wherever a row begins."""
    rng = np.random.default_rng(size)
    for start in (0, 1, 3):
        for _ in range(8):
            row = rng.standard_normal(start + size).astype(dtype)
            row[rng.integers(0, row.size)] = rng.choice([np.inf, -np.inf, 0, 5])
            assert found(row, start) == [row[start:].min(), row[start:].max()]


@pytest.mark.parametrize("size", SIZES)
def test_range_passes_over_nan(size: int) -> None:
    """A nan anywhere but at the first place changes nothing; where it is the first, both are nan."""
    rng = np.random.default_rng(size)
    row = rng.standard_normal(size).astype(np.float32)
    for place in {size // 2, size - 1} - {0}:
        with_nan = row.copy()
        with_nan[place] = np.nan
        assert found(with_nan, 0) == [np.nanmin(with_nan), np.nanmax(with_nan)]
    row[0] = np.nan
    assert np.isnan(found(row, 0)).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("size", [4095, 4096, 4097, 9000, 40_000, 200_003])
def test_sums_of_blocks(size: int, dtype: str) -> None:
    """A sum is that of exact arithmetic but for what blocks of 1024 lose, and 16-bit floats have that of float32."""
    values = np.random.default_rng(size).standard_normal(size).astype(np.float32)
    x = sg.tensor(values).to(getattr(sg, dtype))
    exact, total = x.to(sg.float64).numpy().sum(dtype=np.longdouble), x.sum()
    single = x if dtype == "float64" else x.to(sg.float32)
    rounding = 2.0**-53 if dtype == "float64" else 2.0**-24
    assert abs(float(single.sum().item()) - float(exact)) <= 64 * rounding * np.abs(values).sum() / 32
    assert total.item() == single.sum().to(x.dtype).item()


@jit
def total(row: np.ndarray, start: int, count: int) -> float:
    """The sum of a part of a row."""
    return sum_of_few(row, start, count)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", (0, *SIZES, 476, 1023))
def test_sum_of_few(count: int, dtype: type) -> None:
    """Of whole numbers it is exact, and what stands before and behind them does not count."""
    row = np.random.default_rng(count).integers(-500, 500, count + 9).astype(dtype)
    for start in (0, 1, 9):
        part = row.copy()
        part[:start] = part[start + count :] = np.nan
        assert total(part, start, count) == row[start : start + count].sum(dtype=np.float64)


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16, sg.float16], ids=str)
@pytest.mark.parametrize("along", [129, 200, 476, 1500, 2049])
def test_sums_of_rows(along: int, dtype: sg.dtype) -> None:
    """Sums of rows of small whole numbers are exact, also where they are stored in 16 bits."""
    rows = np.random.default_rng(along).integers(-1, 2, (5, along))
    assert sg.tensor(rows).to(dtype).sum(1).to(sg.int64).tolist() == rows.sum(1).tolist()
