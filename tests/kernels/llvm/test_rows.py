"""Intrinsics over rows in vectors of 64 bytes: sums of blocks, products, and the least and the greatest element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.extending import intrinsic

import specgrad as sg
from specgrad.runtime.compiler.jit import jit
from specgrad.runtime.compiler.passes import target
from specgrad.runtime.compiler.passes.pipelines import Kernel
from specgrad.runtime.kernels.cpu.sums import square_sum
from specgrad.runtime.kernels.llvm import reduce
from specgrad.runtime.kernels.llvm.addresses import part_of
from specgrad.runtime.kernels.llvm.reduce import product_of, range_of, squares_of_tail, sum_of_blocks, sum_of_tail

SIZES = (1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 200, 1000)


@jit
def minmax(row: np.ndarray, start: int, count: int, out: np.ndarray) -> None:
    """out = the least and the greatest element of a part of a row."""
    out[0], out[1] = range_of(part_of(row, start, count))


def found(row: np.ndarray, start: int) -> list[Any]:
    """The least and the greatest element from a place on."""
    out = np.zeros(2, row.dtype)
    minmax(row, start, row.size - start, out)
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
    for index in {size // 2, size - 1} - {0}:
        with_nan = row.copy()
        with_nan[index] = np.nan
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
    return sum_of_tail(row, start, count)


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


@jit
def squares(row: np.ndarray, start: int, count: int, center: float) -> float:
    """The sum of squares of a part of a row."""
    return squares_of_tail(row, start, count, center)


@jit
def product(row: np.ndarray, start: int, count: int) -> float:
    """The product of a part of a row."""
    return product_of(part_of(row, start, count))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", (0, *SIZES, 476, 1023))
def test_squares_and_products_of_few(count: int, dtype: type) -> None:
    """Of small whole numbers, and of powers of two, they are exact; what stands before and behind does not count."""
    rng = np.random.default_rng(count)
    for start in (0, 1, 9):
        row: np.ndarray = np.full(count + 9, np.nan, dtype)
        row[start : start + count] = rng.integers(-20, 20, count)
        assert squares(row, start, count, 3.0) == ((row[start : start + count] - 3.0) ** 2).sum(dtype=np.float64)
        row[start : start + count] = 2.0 ** rng.integers(-1, 2, count) * rng.choice([-1, 1], count)
        assert product(row, start, count) == row[start : start + count].prod(dtype=np.longdouble)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1024, 4096, 4097, 9000, 40_000])
def test_squares_of_blocks(size: int, dtype: type) -> None:
    """But for what blocks of 1024 lose they are those of more digits."""
    row = np.random.default_rng(size).standard_normal(size).astype(dtype)
    exact = ((row - dtype(0.25)).astype(np.longdouble) ** 2).sum()
    assert abs(square_sum(row, 0.25) - exact) <= 2 * np.finfo(dtype).eps * exact


def test_products_are_of_float64() -> None:
    """Factors whose products are no float32 meet others that bring them back."""
    row = np.array([1e30, 1e30, 1e-30, 1e-30] * 8, np.float32)
    np.testing.assert_allclose(product(row, 0, row.size), row.astype(np.longdouble).prod(), rtol=1e-14)


@pytest.mark.skipif(target.vector_registers()[0] < 64, reason="no registers for four blocks side by side")
def test_the_order_of_memory_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks one after the other, and side by side: the kernels are compiled anew for either."""
    row, found = np.random.default_rng(0).standard_normal(50_000).astype(np.float32), set[float]()
    for batch in (False, True):
        monkeypatch.setattr(reduce, "reads_side_by_side", lambda batch=batch: batch)
        found.add(blocks_of(row))
    assert len(found) == 1


def blocks_of(row: np.ndarray) -> float:
    """The sums of all whole groups of four blocks, by a function that is compiled now."""
    blocks, step = intrinsic(sum_of_blocks), 4 * 1024

    def all_of(row: np.ndarray) -> float:
        total = 0.0
        for k in range(row.size // step):
            total += blocks(row, k * step)
        return total

    return float(njit(pipeline_class=Kernel)(all_of)(row))
