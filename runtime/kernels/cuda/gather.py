"""Kernels that read by index; an index out of bounds is noted, and gives zero."""

from functools import cache
from typing import Any

import numpy as np

from .elementwise import PER_THREAD, multi_index_of, offset_of
from .kernel import Array, Kernel, Signature, Target
from .language import T, cuda, get, int32, int64, multi_index, offset, put, uint32
from .per_element import generated_kernel
from .storage import getter, putter

INT64 = np.dtype(np.int64)
BAD = -1  # of a row that is none

# Texts name these; a kernel has its own in their place.
get_index: Any = None
counted: Any = None
inside: Any = None
reduced_count: Any = None


def front(k: Any, limit: Any) -> Any:
    return k


def either_end(k: Any, limit: Any) -> Any:
    return int64(k + limit) if k < 0 else k


def inside_or_noted(k: Any, value: Any, limit: Any, word: Any, ticket: Any) -> Any:
    """Whether an index is one; the first that is none is noted, as it was given."""
    if 0 <= k < limit:
        return True
    if cuda.atomic.cas(word, 0, int64(0), ticket) == int64(0):
        word[1] = value
        word[2] = limit
    return False


def gathered(
    table: Any, index: Any, out: Any, word: Any, ticket: Any, limit: Any, step: Any, steps: Any, sizes: Any, size: Any,
) -> None:  # fmt: skip
    """out_p = table[index_p]; `steps` are the table's and the index's. A thread has four elements, `apart`, and reads
    all their indices, then all elements, before it writes one."""
    stride = uint32(cuda.blockDim.x)
    first = uint32(uint32(uint32(cuda.blockIdx.x) * uint32(PER_THREAD)) * stride + uint32(cuda.threadIdx.x))
    indices = cuda.local.array(PER_THREAD, int64)
    values = cuda.local.array(PER_THREAD, T)
    i, n = first, uint32(0)
    while n < PER_THREAD and i < size:
        indices[n] = get_index(index, offset(steps[1], multi_index(sizes, i)))
        i = uint32(i + stride)
        n = uint32(n + uint32(1))
    i, n = first, uint32(0)
    while n < PER_THREAD and i < size:
        k = counted(indices[n], limit)
        if inside(k, indices[n], limit, word, ticket):
            values[n] = get(table, uint32(uint32(uint32(k) * step) + offset(steps[0], multi_index(sizes, i))))
        else:
            values[n] = T(0)
        i = uint32(i + stride)
        n = uint32(n + uint32(1))
    i, n = first, uint32(0)
    while n < PER_THREAD and i < size:
        put(out, i, values[n])
        i = uint32(i + stride)
        n = uint32(n + uint32(1))


@cache
def taking(computed: np.dtype, wraps: bool) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        table, index, out, *_, steps, _, _ = signature
        names = {"get": getter(target, table.dtype, computed), "put": putter(target, out.dtype), "T": computed.type}
        names["PER_THREAD"] = PER_THREAD
        return target.kernel(gathered, **names, **checks(target, index.dtype, wraps), **layout(target, len(steps[0])))

    return Kernel(f"taken by {computed.name}", make)


def rows(
    index: Any, before: Any, out: Any, word: Any, ticket: Any, limit: Any, steps: Any, sizes: Any, size: Any
) -> None:
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        value = get_index(index, offset(steps, multi_index(sizes, i)))
        k = counted(value, limit)
        if inside(k, value, limit, word, ticket):
            put(out, i, reduced_count(before, i, k, limit))
        else:
            put(out, i, int64(-1))


def alone(before: Any, i: Any, k: Any, limit: Any) -> Any:
    return k


def after_others(before: Any, i: Any, k: Any, limit: Any) -> Any:
    row = int64(before[i])
    return int64(int64(row * limit) + k) if row >= 0 else row


@cache
def row_numbers(wraps: bool) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        index, before, out, _, _, _, steps, _, _ = signature
        names = {"put": putter(target, out.dtype)}
        names["reduced_count"] = target.device(after_others if isinstance(before, Array) else alone)
        return target.kernel(rows, **names, **checks(target, index.dtype, wraps), **layout(target, len(steps)))

    return Kernel("rows of indices", make)


def checks(target: Target, stored: np.dtype, wraps: bool) -> dict[str, Any]:
    return {
        "get_index": getter(target, stored, INT64),
        "counted": target.device(either_end if wraps else front),
        "inside": target.device(inside_or_noted),
    }


def layout(target: Target, dims: int) -> dict[str, Any]:
    return {"multi_index": multi_index_of(target, dims), "offset": offset_of(target, dims)}


def flattened(rows: Any, out: Any, along: Any, after: Any, count: Any, size: Any) -> None:
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        q = uint32(i // after)
        b = uint32(q // count)
        row = int32(rows[i])
        if row >= 0:
            line = uint32(uint32(uint32(b * along) + uint32(row)) * after)
            row = int32(uint32(line + uint32(i - uint32(q * after))))
        out[i] = row


FLATTENED = generated_kernel("places of rows", flattened)
