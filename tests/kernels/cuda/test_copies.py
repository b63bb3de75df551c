"""Copies and fills on a device: any dtypes and layouts, as on the CPU; simulated threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.device.device import device
from specgrad.runtime.kernels.cpu.casting import cast
from specgrad.runtime.kernels.cuda.elementwise import divisor
from specgrad.runtime.kernels.cuda_launch import arrays
from specgrad.runtime.kernels.cuda_launch.layouts import MAX_LAUNCH_ELEMENTS, Layout, merged, slices
from tests.device.cuda.simulator import simulated

TYPES = [np.dtype(t) for t in (np.bool_, np.uint8, np.int8, np.int16, np.int32, np.int64, np.float16)]
TYPES += [np.dtype(t) for t in (ml_dtypes.bfloat16, np.float32, np.float64, np.complex64, np.complex128)]
FLOAT8 = [np.dtype(ml_dtypes.float8_e4m3fn), np.dtype(ml_dtypes.float8_e5m2)]


@pytest.fixture
def target_device() -> Iterator[Any]:
    """A simulated device."""
    with simulated():
        yield device("cuda", 0)


def sampled(kind: np.dtype, size: int = 65) -> np.ndarray:
    """Numbers between -100 and 100, some of them zero and whole."""
    rng = np.random.default_rng(0)
    values: Any = rng.uniform(-100, 100, size)
    values[:4] = (0, 1, -0.5, 2.5)
    return cast(values + 1j * rng.uniform(-1, 1, size) if kind.kind == "c" else values, kind)


@pytest.mark.parametrize("kind", FLOAT8, ids=str)
def test_every_byte_is_read_as_ml_dtypes_reads_it(target_device: Any, kind: np.dtype) -> None:
    """All 256 floats of eight bits as float32, with the signs of zeros."""
    values = np.arange(256).astype(np.uint8).view(kind)
    result = arrays.empty(values.shape, np.dtype(np.float32), target_device)
    arrays.copy(result, arrays.from_host(values, target_device))
    found, right = arrays.to_host(result), values.astype(np.float32)
    np.testing.assert_array_equal(found, right)
    assert (np.signbit(found) == np.signbit(right))[~np.isnan(right)].all()


@pytest.mark.parametrize("kind", FLOAT8, ids=str)
def test_numbers_are_rounded_to_eight_bits_as_on_the_cpu(target_device: Any, kind: np.dtype) -> None:
    """All floats of the format, what lies between two of them, and a little beside that; what is too large; nan."""
    grid = np.arange(128).astype(np.uint8).view(kind).astype(np.float32)
    grid = np.sort(grid[np.isfinite(grid)])
    center = (grid[1:] + grid[:-1]) / 2
    beside = [np.nextafter(center, np.float32(np.inf)), np.nextafter(center, np.float32(0))]
    minmax = np.array([1e9, 3e38, np.inf, 460.0, 464.0, 465.0, 480.0, 61439, 61440, 57345, 1e-12, 1e-45], np.float32)
    values = np.concatenate([grid, center, *beside, minmax])
    values = np.concatenate([values, -values])
    result = arrays.empty(values.shape, kind, target_device)
    arrays.copy(result, arrays.from_host(values, target_device))
    assert arrays.to_host(result).tobytes() == cast(values, kind).tobytes()


def test_a_nan_stays_one_in_eight_bits(target_device: Any) -> None:
    """As both formats have them."""
    for kind in FLOAT8:
        result = arrays.empty((2,), kind, target_device)
        arrays.copy(result, arrays.from_host(np.array([np.nan, -np.nan], np.float32), target_device))
        assert np.isnan(arrays.to_host(result).astype(np.float32)).all()


@pytest.mark.parametrize("to", [*TYPES, *FLOAT8], ids=str)
@pytest.mark.parametrize("source", [*TYPES, *FLOAT8], ids=str)
def test_a_copy_converts_as_on_the_cpu(target_device: Any, source: np.dtype, to: np.dtype) -> None:
    """To the bit, for every pair of dtypes: floats are cut to integers, which wrap; imaginary parts are dropped."""
    values = sampled(source)
    if to.kind == "u":
        values = abs(values).astype(source)  # what a negative float becomes is the hardware's business
    result = arrays.empty(values.shape, to, target_device)
    arrays.copy(result, arrays.from_host(values, target_device))
    assert arrays.to_host(result).tobytes() == cast(values, to).tobytes()


@pytest.mark.parametrize("to", [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)], ids=str)
def test_halves_are_rounded_once(target_device: Any, to: np.dtype) -> None:
    """Also numbers between two halves, infinite ones, nan, subnormal ones, and float64 ones near the middle."""
    numbers = [1 + 2.0**-9, 1 + 3 * 2.0**-9, 1 + 2.0**-11, np.inf, -np.inf, np.nan, 6e-8, 3e38, 65519.9, 65520, -0.0]
    values = np.array([*numbers, 1 + 2.0**-11 + 2.0**-40])
    for kind in (np.float32, np.float64):
        given = values.astype(kind)
        result = arrays.empty(values.shape, to, target_device)
        arrays.copy(result, arrays.from_host(given, target_device))
        assert np.array_equal(arrays.to_host(result).astype(float), cast(given, to).astype(float), equal_nan=True)


def test_layouts_and_broadcasting(target_device: Any) -> None:
    """A row is copied to every other column of a matrix; what lies between stays."""
    into, row = np.arange(24.0).reshape(4, 6), np.array([7.0, 8.0, 9.0])
    target = arrays.from_host(into, target_device)
    view = target.ravel().strided((4, 3), into.dtype, 8, (48, 16))
    arrays.copy(view, arrays.from_host(row, target_device))
    into[:, 1::2] = row
    assert np.array_equal(arrays.to_host(target), into)


def test_memory_that_overlaps(target_device: Any) -> None:
    """What is read is what was there before the copy."""
    values = np.arange(2000.0)
    held = arrays.from_host(values, target_device)
    arrays.copy(held[1:], held[:-1])
    values[1:] = values[:-1].copy()
    assert np.array_equal(arrays.to_host(held), values)


def test_two_conversions_are_not_one(target_device: Any) -> None:
    """An array that is read in another dtype than memory holds has been rounded to it."""
    values = np.array([1.7, -2.9, 300.2])
    full = arrays.from_host(values, target_device).as_read(np.dtype(np.int32))
    result = arrays.empty((3,), np.dtype(np.float32), target_device)
    arrays.copy(result, full)
    assert arrays.to_host(result).tolist() == [1.0, -2.0, 300.0]
    tensor = sg.tensor([1.7, -2.9]).to("cuda")
    assert (tensor.to(sg.int32) + 0.5).cpu().tolist() == [1.5, -1.5]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_fill(target_device: Any, kind: np.dtype) -> None:
    """Every element of any layout is set, and no other."""
    into = np.zeros((5, 4), kind)
    target = arrays.from_host(into, target_device)
    arrays.fill(target.ravel().strided((5, 2), kind, kind.itemsize, (4 * kind.itemsize, 2 * kind.itemsize)), 3)
    into[:, 1::2] = 3
    assert np.array_equal(arrays.to_host(target), into)


def test_dims_are_merged() -> None:
    """Steps of rows that follow each other are those of one row; dims of one element are none."""
    assert merged((4, 1, 5, 6), ((30, 7, 6, 1), (30, 7, 6, 1))) == Layout((120, 1, 1), ((1, 0, 0), (1, 0, 0)))
    assert merged((4, 5, 6), ((30, 6, 1), (0, 0, 1))) == Layout((6, 20, 1), ((1, 6, 0), (1, 0, 0)))
    assert merged((2, 3, 4, 5), ((1, 2, 6, 24),)).sizes == (5, 4, 3, 2)


def test_large_layouts_are_launched_in_slices() -> None:
    """Each slice is one that 32-bit indices reach; together they are all elements, each once."""
    layout = Layout((1 << 20, 1 << 12, 3), ((1, 1 << 20, 1 << 32), (0, 1, 0)))
    parts = list(slices(layout))
    sizes = [int(np.prod(part.sizes)) for part, _ in parts]
    assert sum(sizes) == 3 << 32 and max(sizes) <= MAX_LAUNCH_ELEMENTS
    assert all(read_extent <= 1 << 32 for part, _ in parts for read_extent in part.reaches)
    assert len({starts for _, starts in parts}) == len(parts)


def test_division_by_multiplication() -> None:
    """Places below 2^30 are divided exactly."""
    rng = np.random.default_rng(1)
    for n in [1, 2, 3, 7, 641, 65537, 2**29 - 3, 2**29, 2**30, *rng.integers(1, 2**30, 200).tolist()]:
        _, factor, shift = divisor(n)
        positions = [0, n - 1, n, 2 * n - 1, 2**30 - 1, *rng.integers(0, 2**30, 20).tolist()]
        assert factor < 2**32
        assert all(((i * factor >> 32) + i) >> shift == i // n for i in positions if i < 2**30)
