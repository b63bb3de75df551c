"""Kernels that find places: of the elements that are not zero, and of values in ordered rows, by bisection."""

from functools import cache
from typing import Any

import numpy as np

from .elementwise import by_dims, multi_index_of
from .kernel import Kernel, Signature, Target
from .language import cuda, get, int64, multi_index, rest, uint32, write
from .per_element import generated_kernel, reads
from .storage import getter

# Texts name these; a kernel has its own in their place.
get_row: Any = None


def chosen(counts: Any, out: Any, sizes: Any, dims: Any, size: Any) -> None:
    """The indices of each element whose count is greater than that of the one before, as a row of `out`."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        count = int64(counts[i])
        before = int64(counts[uint32(i - uint32(1))]) if i > uint32(0) else int64(0)
        if count != before:
            write(out, uint32(uint32(count) * dims), multi_index(sizes, i))


def write_first(out: Any, end: Any, p: Any) -> None:
    out[uint32(end - uint32(1))] = int64(p[0])


def write_others(out: Any, end: Any, p: Any) -> None:
    out[uint32(end - uint32(1))] = int64(p[0])
    rest(out, uint32(end - uint32(1)), p[1:])


CHOSEN = generated_kernel(
    "indices of elements that are not zero",
    chosen,
    multi_index=lambda target, parts: multi_index_of(target, len(parts[2]) + 1),
    write=lambda target, parts: by_dims(target, len(parts[2]) + 1, write_first, write_others),
)


def ordered(mask: Any, counts: Any, out: Any, size: Any) -> None:
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        out[i] = int64(int64(counts[i]) - int64(1)) if get(mask, i) else int64(0)


ORDER = generated_kernel("order of true elements", ordered, get=reads(0, np.bool_))


def bisected(
    rows: Any, values: Any, order: Any, out: Any, length: Any, width: Any, right: Any, shared: Any, size: Any
) -> None:
    """How many elements of its row, of `length`, are before each of `width` values; `shared`: 0 for the one row."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        value = get(values, i)
        start = uint32(uint32(uint32(i // width) * length) * shared)
        low = uint32(0)
        high = length
        while low < high:
            midpoint = uint32(uint32(low + high) >> uint32(1))
            result = get_row(rows, order, start, midpoint)
            if result > value or (result >= value and right == uint32(0)):
                high = midpoint
            else:
                low = uint32(midpoint + uint32(1))
        out[i] = int64(low)


def in_order(rows: Any, order: Any, start: Any, i: Any) -> Any:
    return get(rows, uint32(start + i))


def by_order(rows: Any, order: Any, start: Any, i: Any) -> Any:
    return get(rows, uint32(start + uint32(order[uint32(start + i)])))


@cache
def bisecting(computed: np.dtype, by_another: bool) -> Kernel:
    """The kernel of bisection, which compares in a dtype; `by_another`: another array has the order of the rows."""

    def make(target: Target, signature: Signature) -> Any:
        rows, values = signature[:2]
        own = target.device(by_order if by_another else in_order, get=getter(target, rows.dtype, computed))
        return target.kernel(bisected, get=getter(target, values.dtype, computed), get_row=own)

    return Kernel(f"bisected by {computed.name}", make)


def matched(x: Any, others: Any, out: Any, count: Any, inverted: Any, size: Any) -> None:
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        value = get(x, i)
        k = uint32(0)
        while k < count and get_row(others, k) != value:
            k = uint32(k + uint32(1))
        out[i] = (k < count) != inverted


@cache
def matching(computed: np.dtype) -> Kernel:
    return generated_kernel(f"matched by {computed.name}", matched, get=reads(0, computed), get_row=reads(1, computed))
