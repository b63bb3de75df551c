"""The loops of sorting, over contiguous rows of integer codes: of numbers themselves, or of the bits of floats.

The bits of a float, all but the sign inverted where it is negative, grow with it. As keys -0 is 0, nan is above all.
"""

from typing import Any

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_row
from ...kernels.cpu.plan import Array
from ...kernels.llvm.gather import take_into

_BITS = 11  # of a digit of radix sort
_BINS = 1 << _BITS


@jit
def key_of(code: int, floating: bool, inverted: bool, every: int, infinity: int, sign: int) -> int:
    """A signed integer that orders as the number does; the other way round where `inverted`. `every` has all bits but
    the sign's, `infinity` those of inf, `sign` is the number of the sign bit."""
    if floating:
        size = code & every
        code = code if size != 0 else size
        code = every if size > infinity else code ^ ((code >> sign) & every)
    return ~code if inverted else code


@jit
def single_key(code: int, floating: bool, inverted: bool) -> int:
    return key_of(code, floating, inverted, np.int32(0x7FFFFFFF), np.int32(0x7F800000), np.int32(31))


@jit
def double_key(code: int, floating: bool, inverted: bool) -> int:
    return key_of(code, floating, inverted, np.int64(0x7FFFFFFFFFFFFFFF), np.int64(0x7FF0000000000000), np.int64(63))


@jit
def keys_of(codes: Array, floating: bool, inverted: bool, keys: Array) -> None:
    if codes.itemsize == 4:
        for i in range(codes.size):
            keys[i] = single_key(np.int32(codes[i]), floating, inverted)
    else:
        for i in range(codes.size):
            keys[i] = double_key(np.int64(codes[i]), floating, inverted)


@jit
def pack(codes: Array, floating: bool, inverted: bool, packed: Array, first: int, last: int) -> None:
    """Each key of 32 bits in the high half of a uint64, its index in the low half."""
    for r in range(first, last):
        row, out = codes[r], packed[r]
        for i in range(row.size):
            key = single_key(np.int32(row[i]), floating, inverted)
            high = np.uint64(np.uint32(key) ^ np.uint32(0x80000000))
            out[i] = (high << np.uint64(32)) | np.uint64(i)


@jit
def sort_packed(packed: Array, first: int, last: int) -> None:
    """Sorts each row of what `pack` wrote by the keys, and equal ones by the index: as `radix_order` does it."""
    count = packed.shape[1]
    spare, counts = np.empty(count, np.uint64), np.empty((3, _BINS), np.int64)
    for r in range(first, last):
        row, moved = packed[r], False
        counts[:, :] = 0
        for i in range(count):
            for p in range(3):
                counts[p, _digit(_key(row[i]), p)] += 1
        for p in range(3):
            if counts[p, _digit(_key(row[0]), p)] == count:
                continue
            if moved:
                _distribute_packed(spare, p, counts[p], row)
            else:
                _distribute_packed(row, p, counts[p], spare)
            moved = not moved
        if moved:
            copy_row(spare, row)


@jit
def _key(packed: Any) -> Any:
    return packed >> np.uint64(32)


@jit
def _distribute_packed(packed: Array, p: int, counts: Array, to: Array) -> None:
    put_starts(counts)
    for i in range(packed.size):
        b = _digit(_key(packed[i]), p)
        at = counts[b]
        counts[b] = at + 1
        to[at] = packed[i]


@jit
def unpack(packed: Array, indices: Array, first: int, last: int) -> None:
    for r in range(first, last):
        row, out = packed[r], indices[r]
        for i in range(row.size):
            out[i] = np.int64(row[i] & np.uint64(0xFFFFFFFF))


@jit
def pick(rows: Array, indices: Array, values: Array, first: int, last: int) -> None:
    for r in range(first, last):
        take_into(rows[r], indices[r], values[r])


@jit
def kth_index(rows: Array, values: Array, ranks: Array, skips: bool, indices: Array, first: int, last: int) -> None:
    """Where the element of each row's rank is, of which the value is known: among its equals as many come before it as
    in a stable sort. The first nan where there is one, unless the op skips them."""
    for r in range(first, last):
        row, value, left, missing = rows[r], values[r, 0], ranks[r, 0], 0
        for i in range(row.size):
            left -= row[i] < value
            missing += row[i] != row[i]
        at = 0
        for i in range(row.size):
            result = row[i] == value
            if result if skips or missing == 0 else row[i] != row[i]:
                at = i
                if left <= 0 or missing and not skips:
                    break
                left -= 1
        indices[r, 0] = at


@jit
def radix_order(codes: Array, floating: bool, inverted: bool, indices: Array, first: int, last: int) -> None:
    """The indices of each row's elements in order: by digits of 11 bits, the lowest first, but those all alike."""
    signed = np.empty(codes.shape[1], np.int64)
    for r in range(first, last):
        keys_of(codes[r], floating, inverted, signed)
        order_keys(signed, indices[r])


@jit
def order_keys(signed: Array, indices: Array) -> None:
    count = signed.size
    keys, others = np.empty(count, np.uint64), np.empty(count, np.uint64)
    second, counts = np.empty(count, np.int64), np.empty((6, _BINS), np.int64)
    for i in range(count):
        keys[i] = np.uint64(signed[i]) ^ np.uint64(0x8000000000000000)
        indices[i] = i
    _count_digits(keys, counts)
    moved = False
    for p in range(6):
        if count and counts[p, _digit(keys[0], p)] == count:
            continue
        if moved:
            _distribute(others, second, p, counts[p], keys, indices)
        else:
            _distribute(keys, indices, p, counts[p], others, second)
        moved = not moved
    if moved:
        copy_row(second, indices)


@jit
def put_starts(counts: Array) -> None:
    """Where the keys of each digit begin, in place of how many there are."""
    total = 0
    for b in range(counts.size):
        total, counts[b] = total + counts[b], total


@jit
def _digit(key: Any, p: int) -> Any:
    return np.int64((key >> np.uint64(p * _BITS)) & np.uint64(_BINS - 1))


@jit
def _count_digits(keys: Array, counts: Array) -> None:
    counts[:, :] = 0
    for i in range(keys.size):
        for p in range(6):
            counts[p, _digit(keys[i], p)] += 1


@jit
def _distribute(keys: Array, order: Array, p: int, counts: Array, to_keys: Array, to_order: Array) -> None:
    """One pass: every key behind those before it that have the same or a smaller digit."""
    put_starts(counts)
    for i in range(keys.size):
        b = _digit(keys[i], p)
        to = counts[b]
        counts[b] = to + 1
        to_keys[to], to_order[to] = keys[i], order[i]
