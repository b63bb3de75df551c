"""Products on a simulated device: how operands lie as the library is told, and our own kernel; against NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from specgrad.runtime.device.cuda.array import DeviceArray
from specgrad.runtime.device.device import device
from specgrad.runtime.errors import AcceleratorError
from specgrad.runtime.extensions.simulator.libraries import SimulatedLibraries
from specgrad.runtime.kernels.cuda_launch import arrays
from specgrad.runtime.kernels.cuda_launch.arrays import over, permuted
from specgrad.runtime.kernels.cuda_libraries import matmul
from specgrad.runtime.kernels.cuda_libraries.matmul import as_batch, multiply
from specgrad.runtime.kernels.cuda_libraries.protocol import Gemm
from tests.device.cuda.simulator import simulated
from tests.kernels.cuda_libraries.fake_cublaslt import FakeCublasLt
from tests.kernels.cuda_libraries.fake_nvmath import installed

F32, F64, F16 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16)
BFLOAT16, C64 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.complex64)
KINDS = [F32, F64, F16, BFLOAT16, C64]
OWN = [F32, BFLOAT16, C64, np.dtype(np.int8)]


@pytest.fixture(params=["simulated", "real"])
def target_device(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A simulated device, with its own library or over the bindings of the real one."""
    with simulated() as found, installed(found, FakeCublasLt) if request.param == "real" else nullcontext():
        yield device("cuda", 0)


def with_layout(rng: np.random.Generator, values: np.ndarray, target_device: Any) -> DeviceArray:
    """An array on the device in a random layout: dims in any order, with gaps between elements or rows of them."""
    order = rng.permutation(values.ndim)
    gaps = [*rng.integers(0, 3, values.ndim - 1), rng.integers(0, 2)]
    expanded = np.zeros(
        [n * (1 + gap) for n, gap in zip(values.transpose(order).shape, gaps, strict=True)], values.dtype
    )
    inside = expanded[tuple(slice(None, None, 1 + gap) for gap in gaps)]
    inside[...] = values.transpose(order)
    entire = arrays.from_host(expanded, target_device)
    return permuted(over(entire, inside.shape, inside.strides), *np.argsort(order))


def as_read(array: DeviceArray) -> DeviceArray:
    """16-bit floats are read as float32, as ops do."""
    return array.as_read(F32) if array.stored.itemsize == 2 and array.stored.kind in "fV" else array


def sampled(rng: np.random.Generator, shape: tuple[int, ...], kind: np.dtype) -> np.ndarray:
    """Small multiples of 1/4: products and sums are exact in every dtype."""
    real = rng.integers(-8, 9, shape) / (4 if kind.kind not in "iu" else 1)
    return (real + 1j * rng.integers(-8, 9, shape) / 4 if kind.kind == "c" else real).astype(kind)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("seed", range(12))
def test_operands_in_any_layout(target_device: Any, kind: np.dtype, seed: int) -> None:
    """Transposes, gaps, strides of a batch and sizes of 1 change where elements are read, not the product."""
    rng = np.random.default_rng(seed)
    m, n, k = rng.integers(1, 7, 3)
    batch = () if seed % 3 == 0 else (int(rng.integers(1, 4)),)
    x, y = sampled(rng, (*batch, m, k), kind), sampled(rng, (*batch, k, n), kind)
    found = arrays.to_host(multiply(*(as_read(with_layout(rng, each, target_device)) for each in (x, y))))
    wide = np.complex128 if kind.kind == "c" else F64
    assert found.dtype == (F32 if kind.itemsize == 2 else kind)
    expected = np.matmul(x.astype(wide), y.astype(wide))
    assert np.array_equal(found, expected if kind.itemsize > 2 else expected.astype(kind).astype(F32))


@pytest.mark.parametrize("target_device", ["simulated"], indirect=True)  # no library has to do with it
@pytest.mark.parametrize("kind", OWN, ids=str)
@pytest.mark.parametrize("sizes", [(3, 5, 2), (65, 20, 17)], ids=str)
def test_own_kernel(target_device: Any, kind: np.dtype, sizes: tuple[int, int, int]) -> None:
    """Small matrices, tiles with remainders, steps of any kind, alpha and beta."""
    rng = np.random.default_rng(sum(sizes))
    m, n, k = sizes
    x, y, z = (sampled(rng, shape, kind) for shape in ((2, m, k), (2, k, n), (2, m, n)))
    left, right = (as_read(with_layout(rng, each, target_device)) for each in (x, y))
    result = as_read(arrays.from_host(z, target_device))
    matmul.multiply_tiled(left, right, result, 2, 3)
    wide = {"c": np.complex128, "f": F64, "V": F64}.get(kind.kind, np.int64)
    expected = 2 * np.matmul(x.astype(wide), y.astype(wide)) + 3 * z.astype(wide)
    assert np.array_equal(arrays.to_host(result), expected.astype(kind).astype(result.dtype))


def test_integers_need_no_library(target_device: Any) -> None:
    """Integers wrap around as those of the CPU do."""
    x = np.array([[100, 27], [-128, 3]], np.int8)
    given = arrays.from_host(x, target_device)
    assert np.array_equal(arrays.to_host(multiply(given, given)), x @ x)


def test_products_of_nothing(target_device: Any) -> None:
    """A sum of no products is 0, or what was there."""
    x, y = (arrays.empty(shape, F32, target_device) for shape in ((3, 0), (0, 2)))
    assert np.array_equal(arrays.to_host(multiply(x, y)), np.zeros((3, 2)))
    into = arrays.from_host(np.ones((3, 2), F32), target_device)
    assert np.array_equal(arrays.to_host(multiply(x, y, into, 1, 0.5)), np.full((3, 2), 0.5))


def test_into_memory_with_gaps_between_rows(target_device: Any) -> None:
    """A part of a greater matrix takes a product, and what lies beside it stays."""
    rng = np.random.default_rng(3)
    x, y, z = (rng.integers(-4, 5, shape).astype(F64) for shape in ((3, 4), (4, 2), (3, 5)))
    entire = arrays.from_host(z, target_device)
    multiply(*(arrays.from_host(each, target_device) for each in (x, y)), over(entire, (3, 2), (40, 8), 16), 2, -1)
    z[:, 2:4] = 2 * (x @ y) - z[:, 2:4]
    assert np.array_equal(arrays.to_host(entire), z)


def product(target_device: Any, **changes: Any) -> None:
    """A product of 3 by 2 and 2 by 4 matrices, with something changed."""
    a, b, c = (arrays.from_host(np.ones(size, F32), target_device) for size in (6, 8, 12))
    gemm = Gemm(F32, F32, 3, 4, 2, 1, False, False, 3, 2, 3, 0, 0, 0)._replace(**changes)
    from specgrad.runtime.device.cuda.driver import driver

    found: Any = driver()
    SimulatedLibraries(found).gemm(gemm, a.address, b.address, c.address, 0)
    found.synchronize(0)


def test_what_the_library_would_refuse(target_device: Any) -> None:
    """Leading dimensions below the length of a column, results over each other and memory beyond a block are errors."""
    product(target_device)
    with pytest.raises(AcceleratorError, match="INVALID_VALUE: lda is 2 of 3 rows"):
        product(target_device, lda=2)
    with pytest.raises(AcceleratorError, match="matrices of the result overlap"):
        product(target_device, batch=2, stride_c=1)
    with pytest.raises(AcceleratorError, match="illegal memory access"):
        product(target_device, ldb=3)


def test_memory_that_nobody_has_written(target_device: Any) -> None:
    """A product of it is an error, unless beta is 0 and it is that of the result."""
    x, y = arrays.from_host(np.ones((2, 2), F32), target_device), arrays.empty((2, 2), F32, target_device)
    arrays.to_host(multiply(x, x, arrays.empty((2, 2), F32, target_device)))
    with pytest.raises(AcceleratorError, match="nobody has written"):
        arrays.to_host(multiply(x, y))


def test_a_batch_of_one_matrix() -> None:
    """A matrix is a batch of one."""
    assert as_batch(DeviceArray(0, (2, 3), F32, None, None)).shape == (1, 2, 3)
