"""Searching in ordered rows against NumPy: rows around the sizes of blocks, and of tables above them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg

rng = np.random.default_rng(0)
LENGTHS = [0, 1, 2, 15, 16, 17, 32, 33, 255, 256, 257, 272, 4095, 4096, 4097, 5000]
FLOATS = [np.float32, np.float64]
INTEGRAL = [np.int64, np.int32, np.uint8, np.uint64]


def numbers(count: int, expanded: int, dtype: Any) -> np.ndarray:
    """Some of which are equal."""
    return rng.integers(0, min(expanded, 200) + 2, count).astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS + INTEGRAL)
@pytest.mark.parametrize("right", [False, True])
def test_places(dtype: Any, right: bool) -> None:
    """As NumPy finds them, by native code and without, for few values and many, nan behind all."""
    for length in LENGTHS:
        row = np.sort(numbers(length, length, dtype))
        values = [numbers(count, length, dtype) for count in (1, 3, 1000)]
        if dtype in FLOATS:
            values.append(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], dtype))
        for each in values:
            expected = np.searchsorted(row, each, "right" if right else "left")
            for _ in range(2):
                found = sg.searchsorted(sg.from_numpy(row), sg.from_numpy(each), right=right)
                assert found.dtype is sg.int64
                np.testing.assert_array_equal(found.numpy(), expected)
            np.testing.assert_array_equal(sg.bucketize(sg.from_numpy(each), sg.from_numpy(row), right=right), expected)


@pytest.mark.parametrize("shape", [(3, 2), (4, 40), (2, 3, 300)], ids=str)
def test_rows_of_their_own(shape: tuple[int, ...]) -> None:
    """Each row of values is sought in its own row, also where the tensors are transposed, or 16-bit floats."""
    rows, values = np.sort(rng.normal(size=shape), -1).astype("f"), rng.normal(size=(*shape[:-1], 7)).astype("f")
    pairs = zip(rows.reshape(-1, shape[-1]), values.reshape(-1, 7), strict=True)
    expected = np.array([np.searchsorted(*pair) for pair in pairs]).reshape(values.shape)
    for _ in range(2):
        np.testing.assert_array_equal(sg.searchsorted(sg.tensor(rows), sg.tensor(values)), expected)
        contiguous = sg.tensor(np.swapaxes(rows, 0, -1).copy()).transpose(0, -1)
        np.testing.assert_array_equal(sg.searchsorted(contiguous, sg.tensor(values)), expected)
        halves = [sg.tensor(each).bfloat16() for each in (rows, values)]
        wide = [each.float() for each in halves]
        np.testing.assert_array_equal(sg.searchsorted(*halves), sg.searchsorted(*wide))


@pytest.mark.parametrize("threads", [1, 2])
def test_many_values(threads: int) -> None:
    """Threads share them, and each makes tables of its own."""
    before = sg.get_num_threads()
    sg.set_num_threads(threads)
    try:
        for length, count in ((10, 100_000), (100_000, 50_000), (100_000, 20)):
            row, values = np.sort(rng.normal(size=length)), rng.normal(size=count)
            found = sg.bucketize(sg.tensor(values), sg.tensor(row))
            np.testing.assert_array_equal(found, np.searchsorted(row, values))
    finally:
        sg.set_num_threads(before)


def test_nan_in_the_row() -> None:
    """Nothing is greater than nan, and what is behind all numbers is behind nan too."""
    row = sg.tensor([1.0, 2.0, 3.0, sg.nan])
    assert sg.searchsorted(row, sg.tensor([sg.nan, 0.0])).tolist() == [4, 0]


def test_a_sorter_is_looked_at_where_it_is_given() -> None:
    """Its indices are checked by every call, whatever was found for such layouts before."""
    row, values = sg.tensor([3.0, 1.0, 2.0]), sg.tensor([2.5])
    for _ in range(3):
        assert sg.searchsorted(row, values, sorter=sg.tensor([1, 2, 0])).tolist() == [2]
    with pytest.raises(RuntimeError, match="hold indices into rows of 3"):
        sg.searchsorted(row, values, sorter=sg.tensor([1, 2, 3]))


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.float16, sg.int64, sg.int32])
@pytest.mark.parametrize(("rows", "values"), [((9,), (3, 4)), ((9,), ()), ((3, 9), (3, 5)), ((2, 3, 20), (2, 3, 4))])
def test_rows_in_another_order(rows: tuple[int, ...], values: tuple[int, ...], dtype: sg.dtype) -> None:
    """Each call twice, of which the second is native code's; the order may lie in any layout."""
    a, requested = rng.integers(-9, 9, rows), rng.integers(-10, 10, values)
    order = np.argsort(a, -1)
    lines = np.take_along_axis(a, order, -1).reshape(-1, rows[-1])
    found = requested.reshape(len(lines), -1)
    for right in (False, True):
        side = "right" if right else "left"
        expected = np.stack([np.searchsorted(row, x, side) for row, x in zip(lines, found, strict=True)]).reshape(
            values
        )
        for sorter in (sg.tensor(order), sg.tensor(np.repeat(order, 2, -1))[..., ::2]):
            for _ in range(2):
                given = sg.tensor(a).to(dtype), sg.tensor(requested).to(dtype)
                positions = sg.searchsorted(*given, right=right, sorter=sorter)
                np.testing.assert_array_equal(positions.numpy(), expected)


def test_a_number_is_not_rounded() -> None:
    """Beside float64 it is one, too: 0.1 of float32 is greater."""
    row = sg.tensor([0.1, 0.2], dtype=sg.float64)
    assert sg.searchsorted(row, 0.1).item() == 0
    assert sg.bucketize(0.1, row, right=True).item() == 1
