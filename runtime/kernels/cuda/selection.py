"""Kernels that give each line of an array its elements of some ranks, where an order of the line is known. Arrays are
seen as (before, along, after), their lines one after the other by the first and the last; `order` has the places along
each line, in order, line by line."""

from typing import Any

from .kernel import Array, Signature, Target
from .language import cuda, get, put, uint32, write
from .per_element import generated_kernel, reads, writes
from .storage import getter, in_registers, putter

# Texts name these; a kernel has its own in their place.
set_position: Any = None


def write_both(x: Any, results: Any, source: Any, at: Any, position: Any) -> None:
    put(results[0], at, get(x, source))
    set_position(results[1], at, position)


def write_position(x: Any, results: Any, source: Any, at: Any, position: Any) -> None:
    set_position(results[0], at, position)


def writer(target: Target, x: Array, results: Signature) -> Any:
    positions = putter(target, results[-1].dtype)
    if len(results) == 1:
        return target.device(write_position, set_position=positions)
    read = getter(target, x.dtype, in_registers(x.dtype))
    return target.device(write_both, get=read, put=putter(target, results[0].dtype), set_position=positions)


def picked(
    x: Any, order: Any, results: Any, along: Any, after: Any, first: Any, remaining_count: Any, size: Any
) -> None:
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        q = uint32(i // after)
        a = uint32(i - uint32(q * after))
        b = uint32(q // remaining_count)
        rank = uint32(uint32(q - uint32(b * remaining_count)) + first)
        line = uint32(uint32(b * after) + a)
        position = uint32(order[uint32(uint32(line * along) + rank)])
        source = uint32(uint32(uint32(uint32(b * along) + position) * after) + a)
        write(x, results, source, i, position)


def picked_at(x: Any, order: Any, ranks: Any, results: Any, along: Any, after: Any, size: Any) -> None:
    line = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if line < size:
        b = uint32(line // after)
        a = uint32(line - uint32(b * after))
        position = uint32(order[uint32(uint32(line * along) + uint32(ranks[line]))])
        source = uint32(uint32(uint32(uint32(b * along) + position) * after) + a)
        write(x, results, source, line, position)


def median_ranks(x: Any, order: Any, ranks: Any, along: Any, after: Any, skips: Any, size: Any) -> None:
    """The rank of the middle of each line: of the first nan where there is one, or of those that are not nan."""
    line = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if line < size:
        b = uint32(line // after)
        start = uint32(uint32(uint32(b * along) * after) + uint32(line - uint32(b * after)))
        low = uint32(0)
        high = along  # numbers come before what is none
        while low < high:
            midpoint = uint32(uint32(low + high) >> uint32(1))
            value = get(x, uint32(start + uint32(uint32(order[uint32(uint32(line * along) + midpoint)]) * after)))
            if value == value:
                low = uint32(midpoint + uint32(1))
            else:
                high = midpoint
        rank = low
        if skips or low == along:
            rank = uint32(uint32(low - uint32(1)) >> uint32(1)) if low > uint32(0) else uint32(0)
        ranks[line] = rank


def put_back(grad: Any, positions: Any, out: Any, along: Any, after: Any, remaining_count: Any, size: Any) -> None:
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        q = uint32(i // after)
        a = uint32(i - uint32(q * after))
        line = uint32(uint32(q // remaining_count) * along)
        put(out, uint32(uint32(uint32(line + uint32(positions[i])) * after) + a), get(grad, i))


PICKED = generated_kernel("elements of ranks", picked, write=lambda target, parts: writer(target, parts[0], parts[2]))
PICKED_AT = generated_kernel(
    "elements of a rank each", picked_at, write=lambda target, parts: writer(target, parts[0], parts[3])
)
MEDIAN_RANKS = generated_kernel("ranks of medians", median_ranks, get=reads(0))
PUT_BACK = generated_kernel(
    "elements put back",
    put_back,
    get=lambda target, parts: getter(target, parts[0].dtype, in_registers(parts[2].dtype)),
    put=writes(2),
)
