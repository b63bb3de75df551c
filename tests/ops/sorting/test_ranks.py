"""Lines sorted in plans, by ranks and by digits: stable, along each dimension, nan last, as NumPy's stable sort."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.ops import sorting
from specgrad.runtime.ops.sorting import plans
from specgrad.runtime.ops.sorting.cpu_ranks import SHORT

SHAPES = [(16, 16), (3,), (5, 1), (4, 33, 3), (2, SHORT), (2, SHORT + 1), (3, 700), (2, 300, 2)]
LONG = [(plans.MAX_SERIAL_SORT,), (plans.MAX_SERIAL_SORT + 1,)]
INTEGRAL = ["int64", "int32", "int16", "int8", "uint8", "bool"]


def numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Some of which are equal, with both zeros, infinities and nan of both signs among them."""
    a = np.rint(np.random.default_rng(0).normal(size=shape) * 3)
    odd = [-0.0, 0.0, np.inf, -np.inf, np.nan, -np.nan]
    a.flat[: min(a.size, len(odd))] = odd[: a.size]
    return a.astype(dtype)


def order(a: np.ndarray, dim: int, descending: bool) -> np.ndarray:
    """Where elements in order are: nan is the greatest."""
    wide = a.astype(np.float64)
    keys = np.where(np.isnan(wide), 1e300, np.clip(wide, -1e299, 1e299))
    return np.argsort(-keys if descending else keys, dim, kind="stable")


def reserved(a: np.ndarray, positions: np.ndarray, dim: int) -> np.ndarray:
    return np.take_along_axis(a, positions, dim)


def agree(results: Any, values: np.ndarray, positions: np.ndarray) -> None:
    np.testing.assert_array_equal(results[0].numpy(), values)
    np.testing.assert_array_equal(results[1].numpy(), positions)


def random_integers(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Some of which are equal, with the least and the greatest that there are among them."""
    kind = np.dtype(dtype)
    low, high = (0, 1) if kind.kind == "b" else (np.iinfo(kind).min, np.iinfo(kind).max)
    rng = np.random.default_rng(1)
    a = np.where(rng.random(shape) < 0.5, rng.integers(low, high, shape, endpoint=True, dtype=np.int64), low // 3 + 1)
    a.flat[: min(a.size, 4)] = [high, low, high, low][: a.size]
    return a.astype(kind)


@pytest.mark.parametrize("dtype", INTEGRAL)
@pytest.mark.parametrize("shape", [*SHAPES, *LONG])
def test_whole_numbers_in_order(shape: tuple[int, ...], dtype: str) -> None:
    a = random_integers(shape, dtype)
    x = sg.tensor(a)
    for dim in range(a.ndim):
        ascending = np.argsort(a, dim, kind="stable")
        # Bits inverted, not negated: the least whole number has no negative.
        descending = np.argsort(~a, dim, kind="stable")
        for positions, down in ((ascending, False), (descending, True)):
            for _ in range(2):
                agree(x.sort(dim, down), reserved(a, positions, dim), positions)
                np.testing.assert_array_equal(x.argsort(dim, down).numpy(), positions)
        if dtype == "bool":
            continue
        for k in counts_of(a.shape[dim]):
            max_value, min_value = (np.take(each, range(k), dim) for each in (descending, ascending))
            for _ in range(2):
                agree(x.topk(k, dim), reserved(a, max_value, dim), max_value)
                agree(x.topk(k, dim, largest=False), reserved(a, min_value, dim), min_value)
                last = np.take(min_value, [k - 1], dim)
                agree(x.kthvalue(k, dim, keepdim=True), reserved(a, last, dim), last)
        center = np.take(ascending, [(a.shape[dim] - 1) // 2], dim)
        for _ in range(2):
            agree(x.median(dim, keepdim=True), reserved(a, center, dim), center)
            assert x.median().item() == np.sort(a, None)[(a.size - 1) // 2]


def counts_of(length: int) -> set[int]:
    """How many of a line are chosen: few, as many as are found above groups at most, half, and all."""
    return {
        k
        for k in (1, 5, 20, plans.GROUPED_TOPK_COUNT, plans.GROUPED_TOPK_COUNT + 1, (length + 1) // 2, length)
        if k <= length
    }


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [*SHAPES, *LONG])
def test_lines_in_order(shape: tuple[int, ...], dtype: str) -> None:
    """Twice, as native code runs a plan from the second call on."""
    a = numbers(shape, dtype)
    x = sg.tensor(a)
    for dim in range(a.ndim):
        for descending in (False, True):
            positions = order(a, dim, descending)
            for _ in range(2):
                agree(x.sort(dim, descending), reserved(a, positions, dim), positions)
                np.testing.assert_array_equal(x.argsort(dim, descending).numpy(), positions)
        for k in counts_of(a.shape[dim]):
            max_value, min_value = (np.take(order(a, dim, down), range(k), dim) for down in (True, False))
            last = np.take(min_value, [k - 1], dim)
            for _ in range(2):
                agree(x.topk(k, dim), reserved(a, max_value, dim), max_value)
                agree(x.kthvalue(k, dim, keepdim=True), reserved(a, last, dim), last)


@pytest.mark.parametrize("shape", SHAPES)
def test_medians(shape: tuple[int, ...]) -> None:
    """The lower one of two; the first nan where there is one, unless these are skipped."""
    a = numbers(shape, "float64")
    x = sg.tensor(a)
    for dim in range(a.ndim):
        known = np.sum(~np.isnan(a), dim, keepdims=True)
        for skips, ranks in ((True, np.maximum(known - 1, 0) // 2), (False, (known - 1) // 2)):
            if not skips:
                ranks = np.where(known < a.shape[dim], known, ranks)
            positions = reserved(order(a, dim, False), ranks, dim)
            found = (x.nanmedian if skips else x.median)(dim, keepdim=True)
            agree(found, reserved(a, positions, dim), positions)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("size", [1, 2, 7, 256, 1001, plans.MAX_MEDIAN_ELEMENTS, plans.MAX_MEDIAN_ELEMENTS + 1])
def test_medians_of_all(size: int, dtype: str) -> None:
    """Of few elements, found by halves, and of more: with and without nan, infinities and both zeros."""
    for a in (
        numbers((size,), dtype),
        np.random.default_rng(size).normal(size=size).astype(dtype),
        np.zeros(size, dtype),
    ):
        x = sg.tensor(a)
        known = np.sort(a[~np.isnan(a)])
        for _ in range(2):
            if known.size:
                assert x.nanmedian().item() == known[(known.size - 1) // 2]
            if known.size == size:
                assert x.median().item() == known[(size - 1) // 2]
            else:
                assert x.median().isnan()


def test_lines_have_plans_and_long_ones_have_none() -> None:
    for count, short in ((plans.MAX_SERIAL_SORT, True), (plans.MAX_SERIAL_SORT + 1, False)):
        sorting.SORT.cached.clear()
        sg.randn(2, count).sort()
        assert any(plan is not None for plan in sorting.SORT.cached.values()) is short


def mode_values(line: np.ndarray) -> tuple[Any, int]:
    """The least of the elements that occur most often, and where it occurs last; nan equals nothing, and is last."""
    counts = [int((line == value).sum()) or 1 for value in line]
    known = [(-count, np.isnan(value), value) for count, value in zip(counts, line, strict=True)]
    found = min(range(len(line)), key=lambda i: known[i][:2] + ((0,) if known[i][1] else (known[i][2],)))
    return line[found], found if np.isnan(line[found]) else int(np.flatnonzero(line == line[found])[-1])


@pytest.mark.parametrize("dtype", ["float32", "float64", *INTEGRAL])
@pytest.mark.parametrize("shape", [(16, 16), (3,), (5, 1), (4, 33, 3), (3, 700), (plans.MAX_SERIAL_SORT + 1,)])
def test_modes(shape: tuple[int, ...], dtype: str) -> None:
    """By a plan where lines are short, along each dimension, in rows and in other layouts."""
    a = random_integers(shape, dtype) if dtype in INTEGRAL else numbers(shape, dtype)
    for x in (sg.tensor(a), sg.tensor(a.T.copy()).permute(*range(a.ndim)[::-1])):
        for dim in range(a.ndim):
            lines = np.moveaxis(a.astype(np.float64) if a.dtype.kind == "f" else a, dim, -1)
            found = [mode_values(line) for line in lines.reshape(-1, shape[dim])]
            values, positions = (np.reshape(part, lines.shape[:-1]) for part in zip(*found, strict=True))
            for _ in range(2):
                agree(x.mode(dim), values.astype(dtype), positions)
