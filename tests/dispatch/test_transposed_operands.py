"""Element-wise ops on large matrices of which one lies column by column: no copy is made, and results are exact."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.dispatch.elementwise.strided import MAX_TRANSPOSED_ROW, MUCH, permuted_rows

SHAPES = ((300, 700), (1000, 70), (70, 1000), (513, 257), (64, MUCH // 64))


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """The number of threads is as before."""
    before = sg.get_num_threads()
    yield
    sg.set_num_threads(before)


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_results(shape: tuple[int, int], dtype: type, count: int) -> None:
    """Sums, comparisons, choices, numbers and rows beside a transposed operand, as NumPy has them."""
    sg.set_num_threads(count)
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal(shape).astype(dtype), rng.standard_normal(shape[::-1]).astype(dtype)
    x, y = sg.tensor(a), sg.tensor(b)
    assert np.array_equal((x + y.t()).numpy(), a + b.T)
    assert np.array_equal((y.t() - x).numpy(), b.T - a)
    assert np.array_equal((y.t() > x).numpy(), a < b.T)
    assert np.array_equal((y.t() * sg.tensor(a[:, :1])).numpy(), b.T * a[:, :1])
    assert np.array_equal((sg.tensor(a[0]) * y.t()).numpy(), a[0] * b.T)
    assert np.array_equal(sg.where(x > 0, y.t(), x).numpy(), np.where(a > 0, b.T, a))
    assert np.array_equal(sg.sqrt(y.t().abs()).numpy(), np.sqrt(abs(b.T)))


def test_part_of_a_matrix() -> None:
    """Columns of a larger matrix have gaps between them."""
    a, b = (np.random.default_rng(k).standard_normal((400, 400)).astype(np.float32) for k in range(2))
    x, y = sg.tensor(a), sg.tensor(b)
    assert np.array_equal((x[:, 1:301] + y[50:350].t()).numpy(), a[:, 1:301] + b[50:350].T)


def test_which_operands_are_turned() -> None:
    """One operand of a large matrix, whose columns are contiguous; others are copied, or need not be."""
    shape, plain, across = (300, 700), ((300, 700), None), ((300, 700), (1, 300))
    found = permuted_rows(shape, (plain, across), 0, 1)
    assert found is not None and found[1:] == (1, 300)
    assert permuted_rows(shape, (plain, plain), 0, 1) is None
    assert permuted_rows(shape, (across, across), 0, 1) is None
    assert permuted_rows(shape, (plain, ((300, 700), (2, 600))), 0, 1) is None
    assert permuted_rows((30, 70), (((30, 70), None), ((30, 70), (1, 30))), 0, 1) is None
    long = (64, 2 * MAX_TRANSPOSED_ROW)
    assert permuted_rows(long, ((long, None), (long, (1, 64))), 0, 1) is None
