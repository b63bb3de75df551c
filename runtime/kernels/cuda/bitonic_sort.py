"""Sorts of lines that a block holds in shared memory: a bitonic network over keys, and over slots where keys are equal.
So equal elements keep their order. A block has as many lines as there is room for, each in a power of two of slots."""

from typing import Any

import numpy as np

from .kernel import Kernel, Signature, Target
from .language import cuda, position_at, read_key, uint16, uint32, write
from .per_element import with_helpers
from .radix_sort import position_functions as offsets_of
from .selection import writer
from .sort_keys import key_dtype, reader

SMALL_BLOCK_SLOTS, MAX_BLOCK_SLOTS = 1024, 4096  # slots of a block
PER_THREAD = 4

# Texts name these; a kernel has its own in their place.
SLOTS: Any = None
KEY: Any = None


def exchanged(keys: Any, slots: Any, low: Any, high: Any, ascends: Any) -> None:
    a, b = keys[low], keys[high]
    p, q = slots[low], slots[high]
    if (a > b or (a == b and p > q)) == ascends:
        keys[low], keys[high] = b, a
        slots[low], slots[high] = q, p


def merged(keys: Any, slots: Any, width: Any, run: Any, used: Any) -> None:
    t, threads = uint32(cuda.threadIdx.x), uint32(cuda.blockDim.x)
    distance = uint32(run >> uint32(1))
    while distance > uint32(0):
        pair = t
        while uint32(pair << uint32(1)) < used:
            within = uint32(pair & uint32(distance - uint32(1)))
            low = uint32(uint32(uint32(pair - within) << uint32(1)) + within)
            ascends = uint32(uint32(low & uint32(width - uint32(1))) & run) == uint32(0)
            exchanged(keys, slots, low, uint32(low + distance), ascends)
            pair = uint32(pair + threads)
        cuda.syncthreads()
        distance = uint32(distance >> uint32(1))


def source_of(order: Any, layout: Any, line: Any, slot: Any) -> Any:
    along, after, _ = layout
    position = uint32(position_at(order, uint32(uint32(line * along) + slot), slot))
    b = uint32(line // after)
    at = uint32(uint32(uint32(uint32(b * along) + position) * after) + uint32(line - uint32(b * after)))
    return position, at


def filled(
    x: Any, order: Any, keys: Any, slots: Any, layout: Any, first: Any, width: Any, used: Any, flip: Any, last: Any
) -> None:
    """The keys of lines from `first` on; slots without an element take the greatest one, and are behind all others."""
    i = uint32(cuda.threadIdx.x)
    while i < used:
        row = uint32(i // width)
        slot = uint32(i - uint32(row * width))
        line = uint32(first + row)
        key = last
        if slot < layout[0] and line < layout[2]:
            _, at = source_of(order, layout, line, slot)
            key = read_key(x, at) ^ flip
        keys[i] = key
        slots[i] = slot
        i = uint32(i + uint32(cuda.blockDim.x))
    cuda.syncthreads()


def emptied(
    x: Any, order: Any, results: Any, slots: Any, layout: Any, ranks: Any, first: Any, width: Any, used: Any
) -> None:
    i = uint32(cuda.threadIdx.x)
    while i < used:
        row = uint32(i // width)
        rank = uint32(uint32(i - uint32(row * width)) - ranks[0])
        line = uint32(first + row)
        if rank < ranks[1] and line < layout[2]:
            position, at = source_of(order, layout, line, uint32(slots[i]))
            b = uint32(line // ranks[2])
            to = uint32(uint32(uint32(uint32(b * ranks[1]) + rank) * ranks[2]) + uint32(line - uint32(b * ranks[2])))
            write(x, results, at, to, position)
        i = uint32(i + uint32(cuda.blockDim.x))


def sorted_in_block(
    x: Any, order: Any, results: Any, layout: Any, ranks: Any, flip: Any, last: Any, width: Any, rows: Any
) -> None:
    """Ranks of `rows` lines a block, of `width` slots. `order`: places of equal elements; `layout`: (elements of a
    line, elements after, lines); `flip`: the bits of keys that are turned; `last`: all bits."""
    keys, slots = cuda.shared.array(SLOTS, KEY), cuda.shared.array(SLOTS, uint16)
    first = uint32(uint32(cuda.blockIdx.x) * rows)
    used = uint32(rows * width)
    filled(x, order, keys, slots, layout, first, width, used, flip, last)
    run = uint32(2)
    while run <= width:
        merged(keys, slots, width, run, used)
        run = uint32(run << uint32(1))
    emptied(x, order, results, slots, layout, ranks, first, width, used)


def _sorting(capacity: int) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        x, order, results = signature[:3]
        stored: np.dtype = x.dtype
        names = {"SLOTS": capacity, "KEY": key_dtype(stored).type}
        names |= {"read_key": reader(target, x), "write": writer(target, x, results)}
        names["position_at"] = offsets_of(target, order)
        return target.kernel(sorted_in_block, **with_helpers(target, sorted_in_block, names, False))

    return Kernel(f"lines sorted in {capacity} slots", make)


SORTED = {capacity: _sorting(capacity) for capacity in (SMALL_BLOCK_SLOTS, MAX_BLOCK_SLOTS)}
