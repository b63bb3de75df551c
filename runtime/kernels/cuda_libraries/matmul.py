"""Products of matrices on a device: by the library in whatever way operands lie, or by a kernel of our own, for
integers and where there is no library."""

from typing import NamedTuple

import numpy as np

from ...device.cuda.array import DeviceArray
from ...device.cuda.current import current_stream
from ..cuda.gemm import SIDE, TILE, dots, gemm_kernel
from ..cuda.storage import in_registers
from ..cuda_launch import arrays, per_element
from ..cuda_launch.arrays import over
from ..cuda_launch.launch import launch
from .libraries import multiplier
from .protocol import Gemm, Number

MAX_BLOCKS = 65535  # along y and z
SMALL, SHORT = 1 << 10, 1 << 8  # elements of a matrix that has no need of tiles, and of the sum behind each


def multiply_tiled(a: DeviceArray, b: DeviceArray, result: DeviceArray, alpha: Number, beta: Number) -> None:
    """result = alpha a b + beta result of batches of matrices, (batch, m, k) and (batch, k, n), in any layout."""
    computed = computed_dtype(a)
    batch, m, k = a.shape
    n = b.shape[2]
    numbers = computed.type(alpha), computed.type(beta)
    element_strides = [tuple([step // x.stored.itemsize for step in x.byte_strides]) for x in (a, b, result)]
    if m * n <= SMALL and k <= SHORT:
        per_element.run(dots, result.size, computed, a, b, result, (m, n, k), *element_strides, *numbers)
        return
    steps, sizes = [tuple(map(np.int64, each)) for each in element_strides], tuple(map(np.int64, (m, n, k)))
    for first in range(0, batch, MAX_BLOCKS):
        for down in range(0, m, MAX_BLOCKS * TILE):
            count, rows = min(batch - first, MAX_BLOCKS), min(m - down, MAX_BLOCKS * TILE)
            parts = [part(x, s, first, d) for x, s, d in zip((a, b, result), steps, (down, 0, down), strict=True)]
            blocks = -(-n // TILE), -(-rows // TILE), count
            launch(
                gemm_kernel(computed), blocks, (SIDE, SIDE, 1), *parts, (np.int64(rows), *sizes[1:]), *steps, *numbers
            )


def part(x: DeviceArray, steps: tuple[np.int64, ...], first: int, row: int) -> DeviceArray:
    offset = int(first * steps[0] + row * steps[1]) * x.stored.itemsize
    shape = (x.shape[0] - first, x.shape[1] - row, x.shape[2])
    return DeviceArray(x.address + offset, shape, x.dtype, x.block, x.device, x.byte_strides, x.stored)


def computed_dtype(a: DeviceArray) -> np.dtype:
    """The dtype of products and sums: of integers int64, whose last bits are those of any smaller one."""
    return np.dtype(np.int64) if a.dtype.kind in "iub" else in_registers(a.dtype)


MAX_LEADING_DIM = 2**31 - 1
HALVES = 2  # bytes of elements that are added up in float32


class Matrices(NamedTuple):
    """Matrices as a library takes them: rows `ld` elements apart, or columns, where they are `transposed`."""

    array: DeviceArray
    transposed: bool
    ld: int
    stride: int


def multiply(
    a: DeviceArray, b: DeviceArray, into: DeviceArray | None = None, alpha: Number = 1, beta: Number = 0
) -> DeviceArray:
    """alpha a b + beta into, for (m, k) by (k, n) matrices or batches of them, in any layout. `into` takes the result,
    and has rows without gaps; a new array where it is None. Its memory holds 16-bit floats where that of both operands
    does."""
    a, b = common(a, b)
    shape = (*a.shape[:-1], b.shape[-1])
    result = result_for(a, b, shape) if into is None else into
    if not result.size:
        return result
    if not a.shape[-1]:
        multiply_tiled(as_batch(a), as_batch(b), as_batch(result), alpha, beta)
        return result
    library = multiplier()
    if library is None or a.dtype.kind not in "fc":
        multiply_tiled(as_batch(a), as_batch(b), as_batch(result), alpha, beta)
        return result
    gemm, left, right = described_product(a, b, result, alpha, beta)
    library.gemm(
        gemm, left.array.address, right.array.address, result.address, current_stream(result.device.index or 0)
    )
    return result


def described_product(
    a: DeviceArray, b: DeviceArray, result: DeviceArray, alpha: Number, beta: Number
) -> tuple[Gemm, Matrices, Matrices]:
    left, right, out = matrices(as_batch(a)), matrices(as_batch(b)), matrices(as_batch(result))
    batch, m, k = left.array.shape
    n = right.array.shape[2]
    if out.array.address != result.address or out.transposed:
        raise ValueError(f"multiply(): expected a result with rows without gaps, but got steps {result.byte_strides}")
    gemm = Gemm(
        left.array.stored, out.array.stored, n, m, k, batch, right.transposed, left.transposed, right.ld, left.ld,
        out.ld, right.stride, left.stride, out.stride, alpha, beta,
    )  # fmt: skip
    return gemm, right, left


def multiply_with_bias(a: DeviceArray, b: DeviceArray, bias: DeviceArray) -> DeviceArray | None:
    """a b + bias of (m, k), (k, n) and (n,), computed at once; None where there is no library that does it."""
    library = multiplier()
    a, b = common(a, b)
    if library is None or a.dtype.kind != "f" or not a.shape[0] * a.shape[1] * b.shape[1]:
        return None
    result = result_for(a, b, (a.shape[0], b.shape[1]))
    if bias.stored != result.stored:
        return None
    extra = bias if bias.is_contiguous else arrays.moved(bias)
    gemm, left, right = described_product(a, b, result, 1, 0)
    args = left.array.address, right.array.address, extra.address, result.address
    return result if library.gemm_with_bias(gemm, *args, current_stream(result.device.index or 0)) else None


def common(a: DeviceArray, b: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
    """Both operands with one dtype in memory: 16-bit floats where both have them, else what they are read in."""
    if a.stored == b.stored and (a.stored == a.dtype or is_half(a)):
        return a, b
    return arrays.materialized(a), arrays.materialized(b)


def is_half(a: DeviceArray) -> bool:
    return a.stored.itemsize == HALVES and a.dtype == np.float32 and a.stored.kind in "fV"


def result_for(a: DeviceArray, b: DeviceArray, shape: tuple[int, ...]) -> DeviceArray:
    if a.stored == a.dtype:
        return arrays.empty(shape, a.dtype, a.device)
    return arrays.empty(shape, a.stored, a.device).as_read(a.dtype)


def as_batch(a: DeviceArray) -> DeviceArray:
    return a if a.ndim == 3 else over(a, (1, *a.shape), (0, *a.byte_strides))


def matrices(a: DeviceArray) -> Matrices:
    """How a batch of matrices lies; they are copied where neither rows nor columns are without gaps."""
    result = described(a)
    if result is None:
        result = described(arrays.moved(a))
    assert result is not None
    return result


def described(a: DeviceArray) -> Matrices | None:
    item = a.stored.itemsize
    batch, rows, columns = a.shape
    if any(step % item for step in a.byte_strides):
        return None
    stride, down, across = (step // item for step in a.byte_strides)
    stride = stride if batch > 1 else 0
    if (across == 1 or columns == 1) and (rows == 1 or columns <= down <= MAX_LEADING_DIM):
        return Matrices(a, False, down if rows > 1 else columns, stride)
    if (down == 1 or rows == 1) and (columns == 1 or rows <= across <= MAX_LEADING_DIM):
        return Matrices(a, True, across if columns > 1 else rows, stride)
    return None
