"""Elements chosen by a mask, put back where it is true, and where elements are not zero: counted first, then moved.

A mask is bytes, 0 or 1, or any numbers, of which those are true that are not 0, cut into blocks of `BLOCK` elements,
which threads share. Where a block's first true element goes is known from the counts of those before it, so blocks need
not wait for each other. Whether an element is true is added to a counter and never branched on; a block ends with its
last true element, so nothing is written behind what it has, and with the mask, should a thread have changed that since
it was counted. Elements are moved as words of their size. Counters are unsigned, so nobody asks whether they count from
the end. The last two arguments of a loop are the range of blocks.
"""

from collections.abc import Sequence

import numpy as np

from ...compiler.jit import READ, WRITTEN, jit
from ...device.threads.parallel_for import shared
from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import Array, Ints
from ...kernels.llvm.addresses import part_of

BLOCK = 4096


@jit(halves=READ)
def count_true(mask: Array, starts: Array, first: int, last: int) -> None:
    """starts[b + 1] = the number of true elements in block b; starts[0] = 0."""
    if first == 0:
        starts[0] = 0
    for b in range(first, last):
        row, count = part_of(mask, b * BLOCK, min(BLOCK, mask.size - b * BLOCK)), np.int32(0)
        for i in range(row.size):
            count += np.int32(row[i] != 0)
        starts[b + 1] = count


@jit
def sum_up(starts: Array) -> None:
    for b in range(1, starts.size):
        starts[b] += starts[b - 1]


@jit(halves=WRITTEN)
def compress(x: Array, mask: Array, starts: Array, out: Array, first: int, last: int) -> None:
    """The elements of x where the mask is true, those of block b from out[starts[b]] on."""
    for b in range(first, last):
        i, n, end = np.uint64(b * BLOCK), np.uint64(starts[b]), np.uint64(starts[b + 1])
        while n < end and i < np.uint64(mask.size):
            out[n] = x[i]
            n += np.uint64(mask[i])
            i += np.uint64(1)


@jit(halves=WRITTEN)
def compress_rows(x: Array, mask: Array, starts: Array, out: Array, width: int, first: int, last: int) -> None:
    """The rows of x, of `width` elements, where the mask is true, those of block b from row starts[b] on."""
    for b in range(first, last):
        i, n, end = np.int64(b * BLOCK), starts[b], starts[b + 1]
        while n < end and i < mask.size:
            if mask[i]:
                row, to = part_of(x, i * width, width), part_of(out, n * width, width)
                for k in range(width):
                    to[k] = row[k]
                n += 1
            i += 1


@jit(halves=WRITTEN)
def compress_lines(x: Array, mask: Array, starts: Array, out: Array, width: int, first: int, last: int) -> None:
    """In each of a range of lines the rows of x, of `width` elements, where the mask is true."""
    total = starts[starts.size - 1]
    for b in range(first, last):
        n = np.int64(0)
        for i in range(mask.size):
            if mask[i] and n < total:
                row, to = part_of(x, (b * mask.size + i) * width, width), part_of(out, (b * total + n) * width, width)
                for k in range(width):
                    to[k] = row[k]
                n += 1


@jit
def expand(x: Array, mask: Array, starts: Array, out: Array, first: int, last: int) -> None:
    """Words of x, one after the other, where the mask is true, and zeros elsewhere: the transpose of `compress`."""
    for b in range(first, last):
        i, n, end = np.uint64(b * BLOCK), np.uint64(starts[b]), np.uint64(starts[b + 1])
        while n < end and i < np.uint64(mask.size):
            out[i] = x[n] & (np.uint64(0) - np.uint64(mask[i]))  # all bits or none: a choice would become a branch
            n += np.uint64(mask[i])
            i += np.uint64(1)
        rest = np.int64(i)
        zeros = part_of(out, rest, max(min((b + 1) * BLOCK, mask.size) - rest, 0))
        for j in range(zeros.size):
            zeros[j] = 0


@jit(halves=READ)
def true_indices(mask: Array, starts: Array, out: Array, length: int, ndim: int, first: int, last: int) -> None:
    """Row n of `out` has the last coordinate of the n-th true element, and first the number of its row of `length`."""
    dims, row_length = np.uint64(ndim), np.uint64(length)
    for b in range(first, last):
        i, n, end = np.uint64(b * BLOCK), np.uint64(starts[b]) * dims, np.uint64(starts[b + 1]) * dims
        row, column = i // row_length, i % row_length
        while n < end and i < np.uint64(mask.size):
            out[n] = np.int64(row)
            out[n + dims - np.uint64(1)] = np.int64(column)  # of one dimension this is all that there is
            n += dims * np.uint64(mask[i] != 0)
            i += np.uint64(1)
            column += np.uint64(1)
            ended = column == row_length
            column = np.uint64(0) if ended else column
            row += np.uint64(ended)


@jit
def unravel_rows(sizes: Array, positions: Array, first: int, last: int) -> None:
    """Takes apart the numbers of rows that `true_indices` wrote; equal ones, which follow one another, once."""
    dims, seen = sizes.size, np.int64(-1)
    for n in range(first, last):
        to = part_of(positions, n * (dims + 1), dims)
        row = to[0]
        if row == seen:
            before = part_of(positions, (n - 1) * (dims + 1), dims)
            for d in range(dims):
                to[d] = before[d]
            continue
        seen = row
        for d in range(dims - 1, -1, -1):
            to[d] = row % sizes[d]
            row = row // sizes[d]


@jit
def unravel_all(positions: Array, sizes: Array) -> None:
    unravel_rows(sizes, positions, 0, positions.size // (sizes.size + 1))


@jit
def order_true(mask: Array, out: Array, size: int, available: int, first: int, last: int) -> None:
    """out[o, i] = how many are true before a true element, else 0; IndexError of more than `available`."""
    for o in range(first, last):
        row, to, count = part_of(mask, o * size, size), part_of(out, o * size, size), np.int64(0)
        for i in range(size):
            chosen = np.int64(row[i])
            to[i] = count * chosen
            count += chosen
        if count > available:
            raise IndexError


UINT_OF_SIZE = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def as_uints(a: Array) -> Array:
    """The memory of a contiguous array as a vector of unsigned integers; elements of 16 bytes as they are."""
    return a.reshape(-1).view(UINT_OF_SIZE.get(a.itemsize, a.dtype))


def full_mask(shape: Ints, indices: Sequence[Array | None]) -> Array | None:
    first = indices[0] if len(indices) == 1 else None
    return first if first is not None and first.dtype.kind == "b" and first.shape == shape != () else None


def counted(mask: Array) -> tuple[Array, Array]:
    line = as_uints(contiguous(mask))
    blocks = -(-line.size // BLOCK)
    starts = np.zeros(blocks + 1, np.int64)
    shared(count_true, (line, starts), blocks, line.size)
    return line, starts.cumsum()


def chosen_by_mask(a: Array, mask: Array) -> Array:
    line, starts = counted(mask)
    out = np.empty(starts[-1], a.dtype)
    shared(compress, (as_uints(contiguous(a)), line, starts, as_uints(out)), starts.size - 1, line.size)
    return out


def put_by_mask(values: Array, mask: Array) -> Array | None:
    """Values, one after the other, where a mask is true, and zeros elsewhere; None where they are not as many."""
    line, starts = counted(mask)
    if values.shape != (starts[-1],):
        return None
    if values.itemsize not in UINT_OF_SIZE:
        out = np.zeros(mask.shape, values.dtype)
        out[mask] = values
        return out
    out = np.empty(mask.shape, values.dtype)
    shared(expand, (as_uints(contiguous(values)), line, starts, as_uints(out)), starts.size - 1, line.size)
    return out


def nonzero(a: Array) -> Array:
    line, starts = counted(a if a.dtype.kind == "b" else a != 0)
    positions = np.empty((int(starts[-1]), a.ndim), np.int64)
    if positions.size:
        arguments = line, starts, positions.reshape(-1), a.shape[-1], a.ndim
        shared(true_indices, arguments, starts.size - 1, line.size * a.ndim)
    if a.ndim > 2:
        shared(unravel_rows, (np.array(a.shape[:-1]), positions.reshape(-1)), len(positions), positions.size)
    return positions


def without_masks(indices: Sequence[Array | None]) -> list[Array | None]:
    result: list[Array | None] = []
    for item in indices:
        if item is not None and item.dtype.kind == "b":
            result.extend(nonzero(item).T if item.ndim else ())
        else:
            result.append(item)
    return result
