"""Sorts of lines that a block holds in shared memory: a bitonic network over keys, places where keys are equal.

So equal elements keep their order. A block has as many lines as there is room for, each in a power of two of slots.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..indexed import with_helpers
from ..kernel import Kernel, Signature, Target
from ..vocabulary import cuda, uint16, uint32
from .keys import key_dtype, reader
from .ranks import writer

FEW, MOST = 1024, 4096  # slots of a block
PER_THREAD = 4

# Texts name these; a kernel has its own in their place.
SLOTS: Any = None
KEY: Any = None
read_key: Any = None
write: Any = None


def exchanged(keys: Any, places: Any, low: Any, high: Any, ascends: Any) -> None:
    """Bring two slots into order."""
    a, b = keys[low], keys[high]
    p, q = places[low], places[high]
    if (a > b or (a == b and p > q)) == ascends:
        keys[low], keys[high] = b, a
        places[low], places[high] = q, p


def merged(keys: Any, places: Any, width: Any, run: Any, used: Any) -> None:
    """One step of the network: runs of `run` slots come in order, forward and backward by turns."""
    t, threads = uint32(cuda.threadIdx.x), uint32(cuda.blockDim.x)
    distance = uint32(run >> uint32(1))
    while distance > uint32(0):
        pair = t
        while uint32(pair << uint32(1)) < used:
            within = uint32(pair & uint32(distance - uint32(1)))
            low = uint32(uint32(uint32(pair - within) << uint32(1)) + within)
            ascends = uint32(uint32(low & uint32(width - uint32(1))) & run) == uint32(0)
            exchanged(keys, places, low, uint32(low + distance), ascends)
            pair = uint32(pair + threads)
        cuda.syncthreads()
        distance = uint32(distance >> uint32(1))


def filled(
    x: Any, keys: Any, places: Any, layout: Any, first: Any, width: Any, used: Any, flip: Any, last: Any
) -> None:
    """The keys of lines from `first` on; slots without an element take the greatest one, and places behind all."""
    along, after, lines = layout
    slot = uint32(cuda.threadIdx.x)
    while slot < used:
        row = uint32(slot // width)
        place = uint32(slot - uint32(row * width))
        line = uint32(first + row)
        key = last
        if place < along and line < lines:
            b = uint32(line // after)
            at = uint32(uint32(uint32(uint32(b * along) + place) * after) + uint32(line - uint32(b * after)))
            key = read_key(x, at) ^ flip
        keys[slot] = key
        places[slot] = place
        slot = uint32(slot + uint32(cuda.blockDim.x))
    cuda.syncthreads()


def emptied(x: Any, results: Any, places: Any, layout: Any, ranks: Any, first: Any, width: Any, used: Any) -> None:
    """Write the elements of `ranks`, (the first one, how many, the elements after them in results)."""
    along, after, lines = layout
    slot = uint32(cuda.threadIdx.x)
    while slot < used:
        row = uint32(slot // width)
        rank = uint32(uint32(slot - uint32(row * width)) - ranks[0])
        line = uint32(first + row)
        if rank < ranks[1] and line < lines:
            place = uint32(places[slot])
            b, c = uint32(line // after), uint32(line // ranks[2])
            source = uint32(uint32(uint32(uint32(b * along) + place) * after) + uint32(line - uint32(b * after)))
            to = uint32(uint32(uint32(uint32(c * ranks[1]) + rank) * ranks[2]) + uint32(line - uint32(c * ranks[2])))
            write(x, results, source, to, place)
        slot = uint32(slot + uint32(cuda.blockDim.x))


def sorted_in_block(x: Any, results: Any, layout: Any, ranks: Any, flip: Any, last: Any, width: Any, rows: Any) -> None:
    """Elements and places of some ranks of `rows` lines a block, which have `width` slots each.

    `layout`: (elements of a line, elements after, lines); `flip`: the bits of keys that are turned; `last`: all bits.
    """
    keys, places = cuda.shared.array(SLOTS, KEY), cuda.shared.array(SLOTS, uint16)
    first = uint32(uint32(cuda.blockIdx.x) * rows)
    used = uint32(rows * width)
    filled(x, keys, places, layout, first, width, used, flip, last)
    run = uint32(2)
    while run <= width:
        merged(keys, places, width, run, used)
        run = uint32(run << uint32(1))
    emptied(x, results, places, layout, ranks, first, width, used)


def _sorting(slots: int) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        x, results = signature[:2]
        stored: np.dtype = x.dtype
        names = {"SLOTS": slots, "KEY": key_dtype(stored).type}
        names |= {"read_key": reader(target, x), "write": writer(target, x, results)}
        return target.kernel(sorted_in_block, **with_helpers(target, sorted_in_block, names, False))

    return Kernel(f"lines sorted in {slots} slots", make)


SORTED = {slots: _sorting(slots) for slots in (FEW, MOST)}
