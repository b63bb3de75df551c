"""The loops that find the few greatest of many.

The greatest of several groups of keys tell how great a key has to be, at least: k of them are no less than the k-th
greatest of them. So most keys are looked at in vectors alone.
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.addresses import empty_row, part_of
from ...kernels.llvm.lane_bits import LANES, lowest_bit, not_below, number_of_bits
from ...kernels.llvm.order_keys import order_key
from .cpu_loops import double_key, keys_of, single_key
from .cpu_ranks import TOGETHER, put_in_order, put_keys, room_for_keys

Array = np.ndarray
BLOCK = 128  # elements
EVERY = np.uint64(0xFFFFFFFFFFFFFFFF)  # all lanes
GROUPS = 64  # whose greatest keys are compared with each other; at least so many
PIVOTS = 16  # of these
MOST = 256  # keys that are put in order by comparing each with every other one


@jit
def block_tops(codes: Array, floating: bool, inverted: bool, tops: Array, first: int, last: int) -> None:
    """The greatest key of each block of a row, for a range of blocks."""
    for b in range(first, last):
        block = part_of(codes, b * BLOCK, min(BLOCK, codes.size - b * BLOCK))
        if codes.itemsize == 4:
            top = single_key(np.int32(block[0]), floating, inverted)
            for i in range(block.size):
                top = max(top, single_key(np.int32(block[i]), floating, inverted))
            tops[b] = top
        else:
            highest = double_key(np.int64(block[0]), floating, inverted)
            for i in range(block.size):
                highest = max(highest, double_key(np.int64(block[i]), floating, inverted))
            tops[b] = highest


@jit
def collect_greatest(
    codes: Array, floating: bool, inverted: bool, tops: Array, least: int, wanted: int, keys: Array, indices: Array
) -> int:
    """How many keys are above `least`, or are among the first `wanted` that equal it: them, and where they are."""
    found, equal, block_keys = 0, 0, np.empty(BLOCK, keys.dtype)
    for b in range(tops.size):
        if tops[b] < least or (tops[b] == least and equal == wanted):
            continue
        block = part_of(codes, b * BLOCK, min(BLOCK, codes.size - b * BLOCK))
        keys_of(block, floating, inverted, block_keys)
        for i in range(block.size):
            key = block_keys[i]
            if key > least or (key == least and equal < wanted):
                keys[found], indices[found] = key, b * BLOCK + i
                found += 1
                equal += key == least
    return found


@jit
def greatest_few(
    codes: Array, like: float, floating: bool, inverted: bool, indices: Array, first: int, last: int
) -> None:
    """The indices of the greatest keys of each row, the greatest first, of equal ones the first first.

    `like` is a float of as many bits as a key has.
    """
    wanted, count = indices.shape[1], codes.shape[1]
    keys, room = empty_row(codes[0, 0], whole_lanes(count)), room_for_greatest(like, wanted)
    for r in range(first, last):
        keys_of(codes[r], floating, inverted, keys)
        put_greatest(keys, count, room, indices[r])


@jit
def greatest_in_order(
    x: Array,
    values: Array,
    places: Array,
    inverted: int,
    skip: int,
    k: int,
    along: int,
    after: int,
    first: int,
    last: int,
) -> None:
    """k elements of each line in order, behind the first `skip`, and where they were: few of a long line.

    Lines are seen as (before, along, after); the greatest come first if `inverted`.
    """
    keys, room = empty_row(order_key(x[0]), whole_lanes(along)), room_for_greatest(x[0], skip + k)
    order = empty_row(0, skip + k)
    for line in range(first, last):
        start, to = line // after * along * after + line % after, line // after * k * after + line % after
        put_keys(x, start, after, inverted == 0, part_of(keys, 0, along))
        put_greatest(keys, along, room, order)
        for i in range(k):
            at = order[i + skip]
            values[to + i * after], places[to + i * after] = x[start + at * after], at


@jit
def whole_lanes(count: int) -> int:
    """As many keys as are looked at, for so many."""
    return (count + LANES - 1) // LANES * LANES


@jit
def room_for_greatest(like: float, wanted: int) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Rows for the greatest keys of a line: of groups, in order, or few enough to be ranked."""
    few, ranks = room_for_keys(like, MOST + 1)
    tops, best = empty_row(few[0], number_of_groups(wanted)), empty_row(few[0], wanted)
    return tops, best, few, ranks, empty_row(0, MOST), empty_row(0, MOST)


@jit
def put_greatest(
    keys: Array, count: int, room: tuple[Array, Array, Array, Array, Array, Array], indices: Array
) -> None:
    """The indices of the greatest of so many keys, the greatest first, of equal ones the first first."""
    tops, best, few, ranks, places, order = room
    wanted, found = indices.size, MOST + 1
    for i in range(count, keys.size):
        keys[i] = keys[count - 1]  # all lanes are looked at
    if group_tops(keys, count, tops):
        found = collect_few(keys, count, least_of_greatest(tops, wanted), wanted, few, places)
    if found > MOST:
        keep_greatest(keys, count, best, indices)
        return
    put_in_order(part_of(few, 0, whole_vectors(few, found)), ranks, part_of(order, 0, found))
    for i in range(wanted):
        indices[i] = places[order[i]]


@jit
def whole_vectors(few: Array, found: int) -> int:
    """As many keys as are compared at once, for those that were found; behind them the greatest one."""
    size = (found + TOGETHER - 1) // TOGETHER * TOGETHER
    for i in range(found, size):
        few[i] = few[few.size - 1]
    return size


@jit
def collect_few(keys: Array, count: int, least: int, wanted: int, few: Array, places: Array) -> int:
    """Keys above `least`, and the first ones that equal it, inverted, and where they are; how many there are."""
    found, equal = 0, 0
    for start in range(0, count, LANES):
        bits = not_below(keys, start, least)
        while bits != 0 and found < MOST:
            i = start + lowest_bit(bits)
            bits &= bits - np.uint64(1)
            same = keys[i] == least
            if i < count and not (same and equal >= wanted):
                few[found], places[found] = ~keys[i], i
                found += 1
                equal += same
        if bits != 0:
            return MOST + 1
    return found


@jit
def keep_greatest(keys: Array, count: int, best: Array, to: Array) -> None:
    """Each key goes before those that it beats; of many at once those are looked at that may beat the last one."""
    wanted, found = best.size, 0
    for start in range(0, count if wanted else 0, LANES):
        bits = not_below(keys, start, best[wanted - 1]) if found == wanted else EVERY
        while bits != 0:
            i = start + lowest_bit(bits)
            bits &= bits - np.uint64(1)
            if i >= count or (found == wanted and keys[i] <= best[wanted - 1]):
                continue
            at = min(found, wanted - 1)
            while at > 0 and best[at - 1] < keys[i]:
                best[at], to[at] = best[at - 1], to[at - 1]
                at -= 1
            best[at], to[at] = keys[i], i
            found = min(found + 1, wanted)


@jit
def number_of_groups(wanted: int) -> int:
    """Twice as many as keys are wanted, or a few more."""
    size = GROUPS
    while size < 2 * wanted:
        size *= 2
    return size


@jit
def group_tops(keys: Array, count: int, tops: Array) -> bool:
    """The greatest of every 64th (or 128th ...) key, from each of the first ones on; False where there are too few."""
    size = tops.size
    if count < 2 * size:
        return False
    for j in range(size):
        tops[j] = keys[j]
    for start in range(size, count - size + 1, GROUPS):
        some, beside = part_of(tops, start % size, GROUPS), part_of(keys, start, GROUPS)
        for j in range(GROUPS):
            some[j] = max(some[j], beside[j])
    return True


@jit
def least_of_greatest(tops: Array, wanted: int) -> int:
    """A number that as many as are wanted are not below: of some the greatest one."""
    least = tops[0]
    for j in range(tops.size):
        least = min(least, tops[j])
    for j in range(0, tops.size, tops.size // PIVOTS):
        above = 0
        for start in range(0, tops.size, LANES):
            above += number_of_bits(not_below(tops, start, tops[j]))
        if above >= wanted:
            least = max(least, tops[j])
    return least
