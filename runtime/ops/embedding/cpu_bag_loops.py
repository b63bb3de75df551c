"""Loops of bags, as plans call them: rows of a table are added up where they lie."""

from ...compiler.jit import jit
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import empty_row, part_of
from ...kernels.llvm.gather import AHEAD, sum_of_rows
from ..indexing.cpu_put_loops import link


@jit
def add_bags(
    weight: Array, indices: Array, offsets: Array, out: Array, size: int, width: int, mean: int, ignored: int,
    first: int, last: int,
) -> None:  # fmt: skip
    (begin, _), (_, end) = bounds(offsets, first, indices.size), bounds(offsets, last - 1, indices.size)
    positions, ones = empty_row(0, max(end - begin, 0) + AHEAD), empty_row(out.dtype.type(0), max(end - begin, 0))
    ones[:] = 1
    ends = empty_row(0, last - first)
    positions[set_indices(indices, offsets, size, width, ignored, first, positions, ends) :] = 0
    for b in range(ends.size):
        row, start = part_of(out, (first + b) * width, width), ends[b - 1] if b else 0
        row[:] = 0
        sum_of_rows(weight, positions, ones, start, ends[b], row)
        divisor = out.dtype.type(ends[b] - start)
        for j in range(width if mean and divisor > 1 else 0):
            row[j] /= divisor


@jit
def set_indices(
    indices: Array, offsets: Array, size: int, width: int, ignored: int, first: int, positions: Array, ends: Array
) -> int:
    """Where rows begin that bags from `first` on name, but the ignored one; how many. ends[b]: up to bag b's end."""
    start, outside, count = bounds(offsets, first, indices.size)[0], 0, 0
    for b in range(ends.size):
        ends[b] = bounds(offsets, first + b, indices.size)[1] - start
    named = part_of(indices, start, ends[-1])
    for k in range(named.size):
        outside |= named[k] | (size - 1 - named[k])
        positions[k] = named[k] * width
    if outside < 0:
        raise IndexError
    if ignored < 0:
        return ends[-1]
    begin = 0
    for b in range(ends.size):
        for k in range(begin, ends[b]):
            positions[count] = positions[k]
            count += named[k] != ignored
        begin, ends[b] = ends[b], count
    return count


@jit
def bounds(offsets: Array, bag: int, count: int) -> tuple[int, int]:
    """The first index of a bag, and the place behind its last one: the last bag may have all that follow."""
    begin = offsets[bag]
    end = offsets[bag + 1] if bag + 1 < offsets.size else count
    if begin < 0 or end < begin or end > count or (bag == 0 and begin != 0):
        raise IndexError
    return begin, end


@jit
def scatter_bag_grads(
    grad: Array, indices: Array, offsets: Array, out: Array, size: int, width: int, bags: int, mean: int,
    ignored: int, first: int, last: int,
) -> None:  # fmt: skip
    begin, end = bounds(offsets, bags - 1, indices.size)
    named, owner, shares = part_of(indices, 0, end), empty_row(0, end), empty_row(out.dtype.type(0), bags)
    for bag in range(bags):
        begin, stop = bounds(offsets, bag, indices.size)
        count = 0
        for k in range(begin, stop):
            owner[k] = bag
            count += named[k] != ignored
        shares[bag] = 1 / out.dtype.type(count) if mean and count > 1 else out.dtype.type(1)
    heads, following = empty_row(0, last - first), empty_row(0, end)
    if not link(named, size, first, following, heads):
        raise IndexError
    for r in range(first, last):
        row, k = part_of(out, r * width, width), heads[r - first]
        for j in range(width):
            row[j] = 0
        while k >= 0 and r != ignored:
            value, share = part_of(grad, owner[k] * width, width), shares[owner[k]]
            for j in range(width):
                row[j] += value[j] * share
            k = following[k]
