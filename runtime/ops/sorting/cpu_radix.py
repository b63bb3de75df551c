"""Sorting a line by digits of its keys, the lowest first: for lines that are too long to compare each with every other.

Digits have eight bits, so that few counts have to be summed for a line of some hundreds.
"""

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_row
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import clear, empty_row, part_of

BITS = 8  # of a digit
BINS = 1 << BITS
UPPER_HALF = BINS // 2  # where the highest digits of negative keys lie


@jit
def order_by_digits(keys: Array, spare: Array, order: Array) -> None:
    """The indices of keys in order, of equal ones the first first; `keys`, and `spare`, are overwritten."""
    positions, counts = empty_row(0, order.size), empty_row(0, BINS * keys.itemsize)
    count_digits(keys, counts)
    for i in range(order.size):
        order[i] = i
    moved = False
    for p in range(keys.itemsize):
        flipped = UPPER_HALF if p == keys.itemsize - 1 else 0
        bins = part_of(counts, BINS * p, BINS)
        if bins[digit_of(keys[0], p)] == order.size:
            continue  # all have this digit
        put_bin_starts(bins, flipped)
        if moved:
            distribute(spare, positions, p, bins, keys, order)
        else:
            distribute(keys, order, p, bins, spare, positions)
        moved = not moved
    if moved:
        copy_row(positions, order)


@jit
def digit_of(key: int, p: int) -> int:
    return (key >> (BITS * p)) & (BINS - 1)


@jit
def count_digits(keys: Array, counts: Array) -> None:
    clear(counts)
    for i in range(keys.size):
        for p in range(keys.itemsize):
            counts[BINS * p + digit_of(keys[i], p)] += 1


@jit
def put_bin_starts(bins: Array, flipped: int) -> None:
    """Where the keys of each digit begin, in place of how many there are; bin b comes as number b ^ flipped."""
    total = 0
    for b in range(BINS):
        entry = bins[b ^ flipped]
        bins[b ^ flipped] = total
        total += entry


@jit
def distribute(keys: Array, order: Array, p: int, starts: Array, to_keys: Array, to_order: Array) -> None:
    for i in range(keys.size):
        b = digit_of(keys[i], p)
        to = starts[b]
        starts[b] = to + 1
        to_keys[to], to_order[to] = keys[i], order[i]
