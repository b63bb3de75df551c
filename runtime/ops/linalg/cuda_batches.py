"""Batches of matrices on a device as solvers take them: column after column, one after the other, with what failed."""

from collections.abc import Callable, Iterator
from functools import wraps
from math import prod
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...device.cuda.current import current_stream
from ...kernels.cuda_launch import arrays as memory
from ...kernels.cuda_launch import per_element
from ...kernels.cuda_launch.arrays import swapped
from ...kernels.cuda_launch.cpu_fallback import Fallback
from ...kernels.cuda_libraries.libraries import libraries
from ...kernels.cuda_libraries.protocol import Libraries, Matrices
from . import cuda_kernels as kernels
from .cpu_lapack import refuse

INT32 = np.dtype(np.int32)


def with_library(host: Any) -> Callable[[Any], Any]:
    """Decorator of what libraries compute: where there are none, the kernel of the host does."""

    def decorate(function: Any) -> Any:
        @wraps(function)
        def call(*args: Any) -> Any:
            return Fallback(host)(*args) if libraries() is None else function(*args)

        return call

    return decorate


def library() -> Libraries:
    """The libraries in use; whoever calls this has asked whether there are any."""
    result = libraries()
    assert result is not None
    return result


def stream_of(a: Array) -> int:
    return current_stream(a.device.index or 0)


def real_of(dtype: np.dtype) -> np.dtype:
    return np.zeros(0, dtype).real.dtype


def by_columns(a: Array) -> Array:
    return memory.copied(swapped(a))


def like(a: Array, *shape: int, dtype: np.dtype | None = None) -> Array:
    return memory.empty(shape, a.dtype if dtype is None else dtype, a.device)


def zeros(a: Array, *shape: int, dtype: np.dtype | None = None) -> Array:
    result = like(a, *shape, dtype=dtype)
    memory.fill(result, 0)
    return result


def each(batch: tuple[int, ...], *arrays: Array) -> Iterator[tuple[int, ...]]:
    """The addresses of the matrices, vectors or numbers of each item of a batch in arrays in row order."""
    count = prod(batch)
    steps = [array.nbytes // count for array in arrays] if count else []
    for number in range(count):
        yield tuple(array.address + number * step for array, step in zip(arrays, steps, strict=True))


def all_of(a: Array) -> Matrices:
    rows = a.shape[-1]
    return Matrices(a.address, rows, a.shape[-2] * rows * a.itemsize)


def checked(op: str, message: str, info: Array, check_errors: bool) -> None:
    """Raise the error of the first matrix that failed, if that is wanted: then the program waits."""
    if check_errors and (result := memory.to_host(info)).any():
        refuse(op, message, result)


def blank_failures(x: Array, info: Array) -> None:
    if x.size:
        blank = x.dtype.type(np.nan)
        per_element.run(kernels.blanked, x.size, x.dtype, x, info, x.size // info.size, blank)


def factored(a: Array) -> tuple[Array, Array, Array]:
    """L U of each matrix, column after column, the rows that were exchanged, and the first zero pivot or 0."""
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    packed = by_columns(a)
    pivots, info = like(a, *batch, min(m, n), dtype=INT32), zeros(a, *batch, dtype=INT32)
    if a.size and m == n:
        args = all_of(packed), pivots.address, info.address
        library().getrf_all(a.dtype, n, *args, info.size, stream_of(a))
    elif a.size:
        for matrix, exchanged, failed in each(batch, packed, pivots, info):
            library().getrf(a.dtype, m, n, matrix, m, exchanged, failed, stream_of(a))
    return packed, pivots, info


def solved(packed: Array, pivots: Array, b: Array) -> Array:
    """X of A X = B; both lie column after column, and X takes the place of B."""
    batch, n, k = b.shape[:-2], b.shape[-1], b.shape[-2]
    info = zeros(b, *batch, dtype=INT32)
    if b.size:
        args = all_of(packed), pivots.address, all_of(b), info.address
        library().getrs_all(b.dtype, n, k, *args, info.size, stream_of(b))
    return b


def triangle_of(packed: Array, rows: int, upper: bool) -> Array:
    *batch, columns, step = packed.shape
    result = like(packed, *batch, rows, columns)
    per_element.run(kernels.triangle, result.size, packed.dtype, packed, result, rows, columns, step, upper)
    return result


def identities(a: Array) -> Array:
    result = like(a, *a.shape)
    per_element.run(kernels.identities, result.size, a.dtype, result, a.shape[-1])
    return result


def on_host(result: Any) -> np.ndarray:
    return memory.to_host(result)
