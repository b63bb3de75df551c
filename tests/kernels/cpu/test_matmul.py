"""The tiled matrix product: every remainder of a tile, layouts, blocks, and threads."""

from typing import Any

import numpy as np
import pytest

from specgrad.runtime.device.threads.workers import in_parts
from specgrad.runtime.kernels.cpu.matmul import multiply_rows
from specgrad.runtime.ops.matmul.cpu_products import matmul2d, matmul3d

RNG = np.random.default_rng(0)
SIZES = [(1, 1, 1), (5, 3, 7), (6, 1, 64), (7, 2, 65), (13, 17, 33), (16, 128, 96), (23, 40, 130), (30, 530, 20)]
LARGE = [(300, 700, 500), (97, 800, 1000), (1000, 1000, 100), (70, 200, 300), (270, 2500, 1024)]


def operand(rows: int, columns: int, dtype: Any, across: bool) -> np.ndarray:
    """A matrix that lies as it is, or across."""
    shape = (columns, rows) if across else (rows, columns)
    matrix = RNG.standard_normal(shape).astype(dtype)
    return matrix.T if across else matrix


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_remainder(dtype: Any, size: tuple[int, int, int]) -> None:
    """All numbers of rows and columns beside whole tiles, all ways to lie, with and without adding."""
    rows, depth, columns = size
    for across in np.ndindex(2, 2, 2):
        a, b = operand(rows, depth, dtype, across[0] > 0), operand(depth, columns, dtype, across[1] > 0)
        start = RNG.standard_normal((rows, columns)).astype(dtype)
        expected = a.astype(np.float64) @ b.astype(np.float64) + across[2] * start
        contiguous = (a.T if across[0] else a), (b.T if across[1] else b)
        multiply_rows(*contiguous, start, across[0] > 0, across[1] > 0, across[2] > 0, 0, rows)
        tolerance = 1e-3 if dtype is np.float32 else 1e-11
        np.testing.assert_allclose(start, expected, rtol=tolerance, atol=tolerance)


def test_what_is_around_stays() -> None:
    """A product writes its own elements only, also where a row ends inside a register."""
    a, b = np.ones((7, 5)), np.ones((5, 19))
    memory = np.full(200, -1.0)
    multiply_rows(a, b, memory[20 : 20 + 133].reshape(7, 19), False, False, False, 0, 7)
    assert (memory[20:153] == 5).all()
    assert (memory[:20] == -1).all()
    assert (memory[153:] == -1).all()


def test_nothing_to_add_up() -> None:
    """Without depth the product is zero, or what was there; without rows or columns there is nothing to do."""
    c = np.ones((3, 4))
    multiply_rows(np.ones((3, 0)), np.ones((0, 4)), c, False, False, True, 0, 3)
    assert (c == 1).all()
    multiply_rows(np.ones((3, 0)), np.ones((0, 4)), c, False, False, False, 0, 3)
    assert (c == 0).all()
    multiply_rows(np.ones((0, 2)), np.ones((2, 4)), np.ones((0, 4)), False, False, False, 0, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_special_values(dtype: Any) -> None:
    """Infinities and nan go where the rules of arithmetic say, and nowhere else."""
    a, b = np.ones((40, 30), dtype), np.ones((30, 70), dtype)
    a[3, 5], b[7, 11] = np.inf, np.nan
    found = matmul2d(a, b)
    assert np.isnan(found[:, 11]).all()
    assert np.isinf(np.delete(found[3], 11)).all()
    assert (np.delete(np.delete(found, 3, 0), 11, 1) == 30).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", LARGE, ids=str)
def test_threads_give_the_same_bits(threads: Any, dtype: Any, size: tuple[int, int, int]) -> None:
    """Blocks of large products, in 1, 2 and 4 threads: near the reference, and equal to the last bit."""
    rows, depth, columns = size
    start = RNG.standard_normal(columns).astype(dtype)
    for across in np.ndindex(2, 2):
        a, b = operand(rows, depth, dtype, across[0] > 0), operand(depth, columns, dtype, across[1] > 0)
        found = []
        for number in (1, 2, 4):
            threads(number)
            found.append(matmul2d(a, b, start))
        assert all(np.array_equal(found[0], other) for other in found)
        expected = a.astype(np.float64) @ b.astype(np.float64) + start
        np.testing.assert_allclose(found[0], expected, atol=2e-3 if dtype is np.float32 else 1e-10)


def test_batches(threads: Any) -> None:
    """A product for each item, however the matrices lie, in any number of threads."""
    a = RNG.standard_normal((20, 64, 300))
    b = np.ascontiguousarray(RNG.standard_normal((20, 128, 300))).swapaxes(1, 2)
    expected = np.einsum("bij,bjk->bik", a, b)
    for number in (1, 3):
        threads(number)
        np.testing.assert_allclose(matmul3d(a, b), expected, atol=1e-11)
        np.testing.assert_allclose(matmul3d(a[::2], b[::2]), expected[::2], atol=1e-11)


def test_parts_cover_everything_once(threads: Any) -> None:
    """The ranges of `in_parts` are those of `range(count)`, begin at multiples of the unit, and errors come through."""
    for number in (1, 2, 3, 8):
        threads(number)
        for count in (0, 1, 5, 96, 97, 1000):
            ranges: list[tuple[int, int]] = []
            in_parts(count, 10, lambda first, last, ranges=ranges: ranges.append((first, last)))  # type: ignore[misc]
            positions = sorted(i for first, last in ranges for i in range(first, last))
            assert positions == list(range(count))
            assert all(first % 10 == 0 for first, _ in ranges)
    with pytest.raises(ZeroDivisionError):
        in_parts(100, 10, lambda first, last: 1 // 0)
