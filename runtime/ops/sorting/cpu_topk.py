"""The few greatest, or least, elements of long rows, without sorting the rows.

The greatest of several groups of keys tell how great a key has to be, at least: k of them are no less than the k-th
greatest of them. So most keys are looked at in vectors alone.
"""

import numpy as np

from ...compiler.jit import jit
from ...device.threads.parallel_for import shared
from ...kernels.llvm.addresses import empty_row, part_of
from ...kernels.llvm.reduce import LANES, lowest_bit, not_below, number_of_bits
from ...kernels.llvm.sort_keys import order_key
from .cpu_loops import double_key, keys_of, single_key
from .cpu_ranks import TILE_KEYS, key_buffers, put_in_order, put_keys

Array = np.ndarray
BLOCK = 128  # elements
EVERY = np.uint64(0xFFFFFFFFFFFFFFFF)  # all lanes
GROUPS = 64  # whose greatest keys are compared with each other; at least so many
PIVOTS = 16  # of these
MAX_COMPARED_KEYS = 256  # keys that are put in order by comparing each with every other one


@jit
def block_tops(codes: Array, floating: bool, inverted: bool, tops: Array, first: int, last: int) -> None:
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
def collect_topk(
    codes: Array, floating: bool, inverted: bool, tops: Array, threshold_key: int, requested: int, keys: Array,
    indices: Array,
) -> int:  # fmt: skip
    """How many keys are above threshold_key, or among the first `requested` equal to it; and these, with indices."""
    result, equal, block_keys = 0, 0, np.empty(BLOCK, keys.dtype)
    for b in range(tops.size):
        if tops[b] < threshold_key or (tops[b] == threshold_key and equal == requested):
            continue
        block = part_of(codes, b * BLOCK, min(BLOCK, codes.size - b * BLOCK))
        keys_of(block, floating, inverted, block_keys)
        for i in range(block.size):
            key = block_keys[i]
            if key > threshold_key or (key == threshold_key and equal < requested):
                keys[result], indices[result] = key, b * BLOCK + i
                result += 1
                equal += key == threshold_key
    return result


@jit
def topk_small_k(
    codes: Array, like: float, floating: bool, inverted: bool, indices: Array, first: int, last: int
) -> None:
    """The greatest key first, of equal ones the first first. `like` is a float of as many bits as a key has."""
    requested, count = indices.shape[1], codes.shape[1]
    keys, buffer = empty_row(codes[0, 0], full_lanes(count)), topk_buffers(like, requested)
    for r in range(first, last):
        keys_of(codes[r], floating, inverted, keys)
        write_topk(keys, count, buffer, indices[r])


@jit
def topk_sorted(
    x: Array, values: Array, positions: Array, inverted: int, skip: int, k: int, along: int, after: int, first: int,
    last: int,
) -> None:  # fmt: skip
    """As `topk_sorted_small`, for few of a long line; the greatest come first if `inverted`."""
    keys, buffer = empty_row(order_key(x[0]), full_lanes(along)), topk_buffers(x[0], skip + k)
    order = empty_row(0, skip + k)
    for line in range(first, last):
        start, to = line // after * along * after + line % after, line // after * k * after + line % after
        put_keys(x, start, after, inverted == 0, part_of(keys, 0, along))
        write_topk(keys, along, buffer, order)
        for i in range(k):
            at = order[i + skip]
            values[to + i * after], positions[to + i * after] = x[start + at * after], at


@jit
def full_lanes(count: int) -> int:
    return (count + LANES - 1) // LANES * LANES


@jit
def topk_buffers(like: float, requested: int) -> tuple[Array, Array, Array, Array, Array, Array]:
    candidates, ranks = key_buffers(like, MAX_COMPARED_KEYS + 1)
    tops, best = empty_row(candidates[0], number_of_groups(requested)), empty_row(candidates[0], requested)
    return tops, best, candidates, ranks, empty_row(0, MAX_COMPARED_KEYS), empty_row(0, MAX_COMPARED_KEYS)


@jit
def write_topk(
    keys: Array, count: int, buffer: tuple[Array, Array, Array, Array, Array, Array], indices: Array
) -> None:
    tops, best, candidates, ranks, positions, order = buffer
    requested, result = indices.size, MAX_COMPARED_KEYS + 1
    for i in range(count, keys.size):
        keys[i] = keys[count - 1]  # all lanes are looked at
    if group_tops(keys, count, tops):
        result = collect_small_k(keys, count, topk_threshold(tops, requested), requested, candidates, positions)
    if result > MAX_COMPARED_KEYS:
        keep_best(keys, count, best, indices)
        return
    put_in_order(part_of(candidates, 0, full_vectors(candidates, result)), ranks, part_of(order, 0, result))
    for i in range(requested):
        indices[i] = positions[order[i]]


@jit
def full_vectors(candidates: Array, result: int) -> int:
    """As many keys as are compared at once, for those that were found; behind them the greatest one."""
    size = (result + TILE_KEYS - 1) // TILE_KEYS * TILE_KEYS
    for i in range(result, size):
        candidates[i] = candidates[candidates.size - 1]
    return size


@jit
def collect_small_k(
    keys: Array, count: int, threshold_key: int, requested: int, candidates: Array, positions: Array
) -> int:
    """As `collect_topk`, with keys inverted; MAX_COMPARED_KEYS + 1 where there are too many."""
    result, equal = 0, 0
    for start in range(0, count, LANES):
        bits = not_below(keys, start, threshold_key)
        while bits != 0 and result < MAX_COMPARED_KEYS:
            i = start + lowest_bit(bits)
            bits &= bits - np.uint64(1)
            same = keys[i] == threshold_key
            if i < count and not (same and equal >= requested):
                candidates[result], positions[result] = ~keys[i], i
                result += 1
                equal += same
        if bits != 0:
            return MAX_COMPARED_KEYS + 1
    return result


@jit
def keep_best(keys: Array, count: int, best: Array, to: Array) -> None:
    """Each key goes before those that it beats; of many at once those are looked at that may beat the last one."""
    requested, result = best.size, 0
    for start in range(0, count if requested else 0, LANES):
        bits = not_below(keys, start, best[requested - 1]) if result == requested else EVERY
        while bits != 0:
            i = start + lowest_bit(bits)
            bits &= bits - np.uint64(1)
            if i >= count or (result == requested and keys[i] <= best[requested - 1]):
                continue
            at = min(result, requested - 1)
            while at > 0 and best[at - 1] < keys[i]:
                best[at], to[at] = best[at - 1], to[at - 1]
                at -= 1
            best[at], to[at] = keys[i], i
            result = min(result + 1, requested)


@jit
def number_of_groups(requested: int) -> int:
    size = GROUPS
    while size < 2 * requested:
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
def topk_threshold(tops: Array, requested: int) -> int:
    """A number that as many as are wanted are not below: of some the greatest one."""
    threshold_key = tops[0]
    for j in range(tops.size):
        threshold_key = min(threshold_key, tops[j])
    for j in range(0, tops.size, tops.size // PIVOTS):
        above = 0
        for start in range(0, tops.size, LANES):
            above += number_of_bits(not_below(tops, start, tops[j]))
        if above >= requested:
            threshold_key = max(threshold_key, tops[j])
    return threshold_key


TOPK_THRESHOLD = 64  # so many greatest elements are found in one pass over a row
LONG = 16384  # elements of a row whose blocks are worth looking at


def is_small_k(k: int, length: int) -> bool:
    return k <= TOPK_THRESHOLD or is_single_pass(k, length)


def is_single_pass(k: int, length: int) -> bool:
    return length >= LONG and 4 * k * BLOCK <= length


def topk_small(codes: Array, floating: bool, inverted: bool, k: int) -> Array:
    indices = np.empty((len(codes), k), np.int64)
    if k and is_single_pass(k, codes.shape[1]):
        for row, result in zip(codes, indices, strict=True):
            result[:] = of_long_row(row, floating, inverted, k)
    else:
        like = np.float32(0) if codes.itemsize == 4 else 0.0
        shared(topk_small_k, (codes, like, floating, inverted, indices), len(codes), codes.size)
    return indices


def of_long_row(codes: Array, floating: bool, inverted: bool, k: int) -> Array:
    """The indices of the k greatest keys of a row. k blocks have an element that is at least as great as the k-th
    greatest of their greatest ones; so what is less is not among the k greatest, and what is greater lies in less than
    k blocks."""
    tops = np.empty(-(-codes.size // BLOCK), codes.dtype)
    shared(block_tops, (codes, floating, inverted, tops), tops.size, codes.size)
    threshold_key = int(np.partition(tops, tops.size - k)[tops.size - k])
    buffer = int((tops > threshold_key).sum()) * BLOCK + k
    keys, indices = np.empty(buffer, codes.dtype), np.empty(buffer, np.int64)
    result = collect_topk(codes, floating, inverted, tops, threshold_key, k, keys, indices)
    return indices[:result][np.argsort(~keys[:result], kind="stable")[:k]]
