"""Distinct elements, runs, and counts in parts of a range, against NumPy: as plans find them, and as NumPy does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.ops.sorting.plans import MAX_SERIAL_COUNTED, MAX_SLICES

rng = np.random.default_rng(0)
DTYPES = [sg.float32, sg.float64, sg.float16, sg.bfloat16, sg.int64, sg.int32, sg.bool]
SIZES = [1, 2, 64, 128, 129, 3000]


def agree(found: Any, expected: Any) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.double().numpy(), np.asarray(other, float))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("expanded", [2, 50, 2**40])
def test_distinct(dtype: Any, expanded: int) -> None:
    """Close together, where they are counted in a table, and far apart, where they are sorted."""
    for size in SIZES:
        x = sg.tensor(rng.integers(-expanded, expanded, size) if dtype is sg.int64 else rng.integers(-9, 9, size)).to(
            dtype
        )
        expected = np.unique(x.double().numpy(), return_inverse=True, return_counts=True)
        for _ in range(3):
            found = sg.unique(x, return_inverse=True, return_counts=True)
            assert [each.dtype for each in found] == [dtype, sg.int64, sg.int64]
            agree(found, expected)
            agree([sg.unique(x)], expected[:1])
            assert sg.unique(x.reshape((1, size)), return_inverse=True)[1].tolist() == [expected[1].tolist()]


@pytest.mark.parametrize("size", [5, 129, 2000, MAX_SERIAL_COUNTED + 1])
def test_each_nan_is_distinct(size: int) -> None:
    """nan equals nothing, and both zeros are one."""
    a = rng.integers(0, 3, size) * rng.choice([1.0, -1.0], size)
    a[rng.random(size) < 0.1] = np.nan
    missing = int(np.isnan(a).sum())
    for _ in range(2):
        values, inverse, counts = sg.unique(sg.tensor(a), return_inverse=True, return_counts=True)
        known = values[: values.numel() - missing]
        assert known.tolist() == np.unique(a[a == a]).tolist() and values[known.numel() :].isnan().all()
        np.testing.assert_array_equal(values.numpy()[inverse.numpy()], a)
        np.testing.assert_array_equal(np.bincount(inverse.numpy()), counts.numpy())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_runs(dtype: Any) -> None:
    """One of each run, also of a tensor that is transposed."""
    for shape in ((1,), (7,), (40, 30)):
        x = sg.tensor(rng.integers(0, 2, shape)).to(dtype)
        for each in (x, x.t() if len(shape) > 1 else x):
            line = each.double().numpy().reshape(-1)
            starts = np.flatnonzero(np.append(True, line[1:] != line[:-1]))
            positions = np.repeat(np.arange(starts.size), np.diff(np.append(starts, line.size)))
            for _ in range(3):
                found = sg.unique_consecutive(each, return_inverse=True, return_counts=True)
                agree(found, (line[starts], positions.reshape(each.shape), np.diff(np.append(starts, line.size))))


def test_bins_of_numbers_far_apart() -> None:
    """A number that takes more bins than there are numbers is counted all the same; what is too great is refused."""
    for _ in range(3):
        found = sg.bincount(sg.tensor([3, 100_000, 3]))
        assert found.numel() == 100_001 and found[3].item() == 2 and found.sum().item() == 3
        with pytest.raises(RuntimeError, match="integers that are not negative, but got -4611686018427387904"):
            sg.bincount(sg.tensor([0, -(2**62)]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bounds", [(0, 0), (-1, 1), (-0.5, 2.25), (2.5, 2.5)])
def test_parts_of_a_range(dtype: Any, bounds: tuple[float, float]) -> None:
    """Each call finds the range of its own elements where none is given."""
    for scale in (1, 1, 5, 5):
        a = (rng.normal(size=300) * scale).astype(dtype)
        low, high = bounds if bounds[0] < bounds[1] else (a.min(), a.max())
        inside = a[(a >= dtype(low)) & (a <= dtype(high))]
        positions = ((inside - dtype(low)) * dtype(12) / dtype(high - low)).astype(int)
        expected = np.bincount(np.minimum(positions, 11), minlength=12)
        np.testing.assert_array_equal(sg.histc(sg.tensor(a), 12, *bounds).numpy(), expected)


def test_a_range_without_bounds() -> None:
    """Elements that are not finite have no range; where one is given they are outside, but for one that overflows."""
    for _ in range(3):
        with pytest.raises(RuntimeError, match=r"histc\(\): expected a finite range, but got \[1.0, inf\]"):
            sg.histc(sg.tensor([1.0, sg.inf]), 3)
        assert sg.histc(sg.tensor([1.0, sg.inf, sg.nan]), 2, 0, 4).tolist() == [1.0, 0.0]
        assert sg.histc(sg.tensor([3e38, -3e38]), 4).sum().item() == 2


def slices_of(a: np.ndarray, dim: int, runs: bool) -> tuple[Any, ...]:
    """Distinct slices in order, or one of each run, which of them each is, and how often; nan equals nothing."""
    rows = [tuple(row) for row in np.moveaxis(a, dim, 0).reshape(a.shape[dim], -1)]
    keys = [tuple((np.isnan(x), 0 if np.isnan(x) else x) for x in row) for row in rows]
    order = list(range(len(rows))) if runs else sorted(range(len(rows)), key=keys.__getitem__)
    chosen, which, counts = list[int](), [0] * len(rows), list[int]()
    for k, i in enumerate(order):
        if k == 0 or rows[i] != rows[order[k - 1]] or any(x != x for x in rows[i]):
            chosen.append(i)
            counts.append(0)
        which[i] = len(chosen) - 1
        counts[-1] += 1
    return a.take(chosen, dim), which, counts


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(5,), (9, 2), (2, 9), (3, 8, 2), (300, 2), (40, 3, 1), (1, 4)])
def test_slices(shape: tuple[int, ...], dtype: Any) -> None:
    """Along each dimension, of tensors in rows and others, by plans where there are few; NumPy, which is asked for
    many, leaves it open in which order those with a nan are."""
    for missing in (False, True) if dtype.is_floating_point and max(shape) <= MAX_SLICES else (False,):
        a = rng.integers(0, 2, shape).astype(float)
        a[rng.random(shape) < 0.1 * missing] = np.nan
        for x in (sg.tensor(a).to(dtype), sg.tensor(a.T.copy()).to(dtype).permute(*range(a.ndim)[::-1])):
            for dim in range(-1, len(shape)):
                expected = slices_of(a, dim, False)
                for _ in range(2):
                    agree(sg.unique(x, return_inverse=True, return_counts=True, dim=dim), expected)
                    agree([sg.unique(x, dim=dim)], expected[:1])
                    found = sg.unique_consecutive(x, return_inverse=True, return_counts=True, dim=dim)
                    agree(found, slices_of(a, dim, True))
                    assert found[0].dtype is dtype and found[1].dtype is sg.int64
