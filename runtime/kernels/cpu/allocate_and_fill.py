"""New arrays that begin at a cache line, as vectors across two cost twice as much; and those of one value or a
range."""

from math import prod
from typing import Any

import numpy as np

from ...compiler.jit import jit
from ...compiler.passes.loading import is_loaded
from ...device.threads.call_record import memory_of
from ...device.threads.parallel_for import by_slices, is_shared
from ..llvm.addresses import part_of

LINE = 64  # bytes
LARGE = 1 << 16  # bytes; to find the line in a smaller array takes longer than it saves
Array = np.ndarray


def empty(shape: int | tuple[int, ...], kind: np.dtype) -> Array:
    """As `np.empty`, in row order; a large one is part of a longer array."""
    count = shape if isinstance(shape, int) else prod(shape)
    if count * kind.itemsize < LARGE or LINE % kind.itemsize:
        return np.empty(shape, kind)
    longer = np.empty(count + LINE // kind.itemsize, kind)
    first = -memory_of(longer) % LINE // kind.itemsize
    return longer[first : first + count].reshape(shape)


def copied(array: Array) -> Array:
    if array.nbytes < LARGE:
        return array.copy()
    made = empty(array.shape, array.dtype)
    np.copyto(made, array)
    return made


LAZY = 32 << 20  # bytes from which zeros come from the operating system, a page when it is first touched
_INT_OF_SIZE = {4: np.int32, 8: np.int64}


def zeros(count: int, kind: np.dtype) -> Array:
    if count * kind.itemsize > LAZY or not _is_shared(count, kind):
        return np.zeros(count, kind)
    return filled(empty(count, kind), 0)


def filled(flat: Array, value: Any) -> Array:
    if flat.dtype.names:  # a complex number of two float16
        value = value.real, value.imag
    flat[:1] = value
    if not flat.size or flat.itemsize not in _INT_OF_SIZE:
        flat.fill(value)
        return flat
    packed_view, octets = flat.view(_INT_OF_SIZE[flat.itemsize]), flat.view(np.uint8)
    if not _is_shared(flat.size, flat.dtype) and len({*octets[: flat.itemsize].tobytes()}) == 1:
        octets.fill(octets[0])  # of bytes NumPy writes twice as many in a second as of anything else
    elif is_loaded():
        by_slices(_fill, (packed_view, int(packed_view[0])), flat.size)
    else:
        flat.fill(value)
    return flat


def _is_shared(count: int, kind: np.dtype) -> bool:
    """Whether threads share the work; to begin a program with loading the compiler would cost far more."""
    return kind.itemsize in _INT_OF_SIZE and is_loaded() and is_shared(count)


@jit
def _fill(packed_view: Array, value: int) -> None:
    for i in range(packed_view.size):
        packed_view[i] = value


@jit
def fill(out: Array, value: float) -> None:
    for i in range(out.size):
        out[i] = value


FILL_ELEMENTS_THRESHOLD = 1 << 15  # numbers for which these loops are worth being called


@jit
def steps_from(out: Array, start: float, step: float, first: int, last: int) -> None:
    to = part_of(out, first, last - first)
    for i in range(to.size):
        to[i] = start + step * (first + i)


@jit
def steps_to(out: Array, end: float, step: float, first: int, last: int) -> None:
    to, before = part_of(out, first, last - first), out.size - 1 - first
    for i in range(to.size):
        to[i] = end - step * (before - i)


@jit
def integer_steps(out: Array, start: int, step: int, first: int, last: int) -> None:
    to = part_of(out, first, last - first)
    for i in range(to.size):
        to[i] = start + step * (first + i)
