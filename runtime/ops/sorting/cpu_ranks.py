"""Sorting lines, short ones by comparing each element with every other one, in vectors and without a branch.

How many elements are less than one, or equal and before it, is its place in the order. Lines are seen as (before,
along, after); the last two arguments of a loop are the range of lines. Longer lines are sorted by digits.
"""

import numpy as np

from ...compiler.jit import WRITTEN, jit
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import empty_row, part_of
from ...kernels.llvm.sort_keys import max_key, order_key, put_ranks
from .cpu_loops import keys_of
from .cpu_radix import order_by_digits

SHORT = 128  # elements of a line that are compared; of longer ones the place of one is found sooner
TILE_KEYS = 16  # keys that are ranked at once: whole vectors
BLOCK = 16  # keys of which the least decides whether one of them can be among the least few


@jit
def put_keys(x: Array, start: int, after: int, inverted: bool, keys: Array) -> None:
    if after == 1:
        row = part_of(x, start, keys.size)
        for i in range(row.size):
            keys[i] = order_key(row[i])
    else:
        for i in range(keys.size):
            keys[i] = order_key(x[start + i * after])
    if inverted:
        for i in range(keys.size):
            keys[i] = ~keys[i]


@jit
def key_buffers(like: float, count: int) -> tuple[Array, Array]:
    """A row for keys, filled up with the greatest one to whole vectors, and one for their ranks. They lie side by side,
    as loads wait for a store before them whose address has the same last 12 bits."""
    size = (count + TILE_KEYS - 1) // TILE_KEYS * TILE_KEYS
    buffer = empty_row(order_key(like), 2 * size)
    for i in range(count, size):
        buffer[i] = max_key(like)
    return buffer[:size], buffer[size:]


@jit
def put_in_order(keys: Array, ranks: Array, to: Array) -> None:
    put_ranks(keys, to.size, ranks)
    for i in range(to.size):
        to[np.uint64(ranks[i])] = i


@jit
def short_order(codes: Array, like: float, floating: bool, inverted: bool, out: Array, first: int, last: int) -> None:
    """The indices of each row's elements in order; of integer codes, which have as many bits as `like`."""
    keys, ranks = key_buffers(like, codes.shape[1])
    for r in range(first, last):
        keys_of(codes[r], floating, inverted, keys)
        put_in_order(keys, ranks, out[r])


@jit
def line_order(x: Array, start: int, after: int, inverted: bool, keys: Array, ranks: Array, order: Array) -> None:
    own = part_of(keys, 0, order.size)
    put_keys(x, start, after, inverted, own)
    if order.size > SHORT:
        order_by_digits(own, part_of(ranks, 0, order.size), order)
    else:
        put_in_order(keys, ranks, order)


@jit
def argsorted(x: Array, out: Array, inverted: int, along: int, after: int, first: int, last: int) -> None:
    (keys, ranks), order = key_buffers(x[0], along), empty_row(0, along)
    for line in range(first, last):
        start = line // after * along * after + line % after
        line_order(x, start, after, inverted != 0, keys, ranks, order)
        for i in range(along):
            out[start + i * after] = order[i]


@jit
def some_in_order(
    x: Array, values: Array, positions: Array, inverted: int, skip: int, k: int, along: int, after: int, first: int,
    last: int,
) -> None:  # fmt: skip
    (keys, ranks), order = key_buffers(x[0], along), empty_row(0, along)
    for line in range(first, last):
        start, to = line // after * along * after + line % after, line // after * k * after + line % after
        if k == 1 and along > SHORT:
            put_keys(x, start, after, inverted != 0, part_of(keys, 0, along))
            order[skip] = index_of_rank(part_of(keys, 0, along), skip)
        else:
            line_order(x, start, after, inverted != 0, keys, ranks, order)
        for i in range(k):
            at = order[i + skip]
            values[to + i * after], positions[to + i * after] = x[start + at * after], at


@jit
def topk_sorted_small(
    x: Array, values: Array, positions: Array, inverted: int, skip: int, k: int, along: int, after: int, first: int,
    last: int,
) -> None:  # fmt: skip
    """k elements of each line in order, behind the first `skip`, and where they were: few in all."""
    selected_count = skip + k
    keys, best = empty_row(order_key(x[0]), along), empty_row(order_key(x[0]), selected_count)
    order = empty_row(0, selected_count)
    for line in range(first, last):
        start, to = line // after * along * after + line % after, line // after * k * after + line % after
        put_keys(x, start, after, inverted != 0, keys)
        sort_small(keys, best, order)
        for i in range(k):
            at = order[i + skip]
            values[to + i * after], positions[to + i * after] = x[start + at * after], at


@jit
def sort_small(keys: Array, best: Array, order: Array) -> None:
    """The least keys in order and their indices: each key goes before those that it beats, and of a block in which
    none beats the last one nothing does."""
    last = best.size - 1
    for begin in range(0, keys.size, BLOCK):
        block = part_of(keys, begin, min(BLOCK, keys.size - begin))
        if begin > last:
            lowest = block[0]
            for i in range(block.size):
                lowest = min(lowest, block[i])
            if lowest >= best[last]:
                continue
        for i in range(block.size):
            at = min(begin + i, last)
            if begin + i > last and block[i] >= best[last]:
                continue
            while at > 0 and best[at - 1] > block[i]:
                best[at], order[at] = best[at - 1], order[at - 1]
                at -= 1
            best[at], order[at] = block[i], begin + i


@jit
def middles(
    x: Array, values: Array, positions: Array, skips: int, along: int, after: int, first: int, last: int
) -> None:
    """The median of each line, the lower one of two, and where it is: without nan if `skips`, else the first nan."""
    (keys, ranks), order = key_buffers(x[0], along), empty_row(0, along)
    for line in range(first, last):
        start, own, known = line // after * along * after + line % after, part_of(keys, 0, along), 0
        put_keys(x, start, after, False, own)
        for i in range(along):
            known += x[start + i * after] == x[start + i * after]
        rank = max(known - 1, 0) // 2 if skips or known == along else known
        if along > SHORT:
            at = index_of_rank(own, rank)
        else:
            put_in_order(keys, ranks, order)
            at = order[rank]
        values[line], positions[line] = x[start + at * after], at


@jit
def mode_values(x: Array, values: Array, positions: Array, along: int, after: int, first: int, last: int) -> None:
    (keys, ranks), order = key_buffers(x[0], along), empty_row(0, along)
    for line in range(first, last):
        start = line // after * along * after + line % after
        line_order(x, start, after, False, keys, ranks, order)
        run, longest, at, before = 0, 0, 0, x[start]
        for i in range(along):
            entry = x[start + order[i] * after]
            run, before = run + 1 if entry == before and i else 1, entry
            if run > longest:
                longest, at = run, order[i]
        values[line], positions[line] = x[start + at * after], at


@jit
def key_of_rank(keys: Array, rank: int) -> int:
    """The key that has so many before it in order: between the least and the greatest one by quarters."""
    low, high = keys[0], keys[0]
    for i in range(keys.size):
        low, high = min(low, keys[i]), max(high, keys[i])
    while low < high:
        half, selected_count, some, max_bin = mean_of(low, high), np.int32(0), np.int32(0), np.int32(0)
        quarter, rest = mean_of(low, half), mean_of(half, high)
        for i in range(keys.size):
            selected_count += np.int32(keys[i] <= quarter)
            some += np.int32(keys[i] <= half)
            max_bin += np.int32(keys[i] <= rest)
        high = quarter if selected_count > rank else half if some > rank else rest if max_bin > rank else high
        low = quarter + 1 if selected_count <= rank else low
        low = rest + 1 if max_bin <= rank else half + 1 if some <= rank else low
    return low


@jit(forceinline=True)
def mean_of(low: int, high: int) -> int:
    """The mean of two keys, rounded down, without their sum."""
    return (low & high) + ((low ^ high) >> 1)


@jit
def index_of_rank(keys: Array, rank: int) -> int:
    """Where the key is that has so many before it in order, equal ones in theirs."""
    key, rest, at = key_of_rank(keys, rank), rank, 0
    for i in range(keys.size):
        rest -= keys[i] < key
    while keys[at] != key or rest > 0:
        rest -= keys[at] == key
        at += 1
    return at


@jit(halves=WRITTEN)
def median_of_all(x: Array, out: Array, skips: int) -> None:
    """The median of numbers, the lower one of two: of those that are not nan if `skips`, else nan where one is."""
    keys, missing = empty_row(order_key(x[0]), x.size), 0
    for i in range(x.size):
        keys[i] = order_key(x[i])
        missing += x[i] != x[i]
    rank = (x.size - 1 - missing) // 2 if skips else x.size - 1 if missing else (x.size - 1) // 2
    out[0] = x[index_of_rank(keys, max(rank, 0))]
