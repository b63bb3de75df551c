"""Launches of sorts along a dimension: short lines in shared memory, long ones by radix. Both are stable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.cuda.sorting import radix, short
from ...kernels.cuda.sorting.keys import key_bits, key_dtype
from ...kernels.cuda.sorting.ranks import PICKED
from ...kernels.cuda.storage import in_registers
from .. import memory
from ..array import DeviceArray
from .launch import launch
from .moving import numbers, over_elements
from .scans import scan

Shape = tuple[int, int, int]
INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)
SHORT = short.MAX_BLOCK_SLOTS  # elements of the longest lines that are sorted in shared memory
ITEMS = 16  # keys of a thread
MIN_BLOCK_THREADS = 32  # threads of a block


def keyed(a: DeviceArray) -> DeviceArray:
    """An array in row order whose elements, as they are stored, have keys; the array itself where that is so."""
    return a if a.strides is None and in_registers(a.stored) == a.dtype else memory.copied(a)


def sort_into(
    results: tuple[DeviceArray, ...], x: DeviceArray, shape: Shape, ranks: tuple[int, int], descending: bool
) -> None:
    """Fill results with elements and their places along lines, or with the places alone.

    Args:
        results: in (before, ranks, after), the places last.
        x: an array that is `keyed`.
        shape: (before, along, after).
        ranks: the first one and how many.
        descending: whether the greatest elements come first.
    """
    before, along, after = shape
    flat, lines = tuple([each.ravel() for each in results]), before * after
    if not flat[-1].size:
        return
    if along <= SHORT:
        in_blocks(flat, x.ravel(), lines, along, after, (*ranks, after), descending)
    else:
        order = by_radix(x.ravel(), lines, along, after, descending)
        over_elements(PICKED, flat[-1].size, x.ravel(), order, flat, *numbers(along, after, *ranks))


def order_of(x: DeviceArray, lines: int, along: int, after: int, order: DeviceArray | None = None) -> DeviceArray:
    """The places along each line in ascending order of the elements, one line after the other, as int32.

    Args:
        x: a flat array that is `keyed`, of whose lines the first ones are sorted.
        lines: how many.
        along: elements of a line, of which each lies `after` elements behind the one before.
        order: the places in the order in which equal elements stay; by default their own.
    """
    if along > SHORT:
        return by_radix(x, lines, along, after, False, order)
    result = memory.empty((lines * along,), INT32, x.device)
    if result.size:
        in_blocks((result,), x, lines, along, after, (0, along, 1), False, order)
    return result


def in_blocks(
    results: tuple[DeviceArray, ...],
    x: DeviceArray,
    lines: int,
    along: int,
    after: int,
    ranks: tuple[int, int, int],
    descending: bool,
    order: DeviceArray | None = None,
) -> None:
    """Sort short lines; `ranks` are the first one, how many, and the elements after them in the results."""
    width = 1 << max(along - 1, 1).bit_length()
    slots = short.SMALL_BLOCK_SLOTS if width <= short.SMALL_BLOCK_SLOTS else short.MAX_BLOCK_SLOTS
    rows = min(slots // width, lines)
    threads = min(
        max(rows * width // short.PER_THREAD // MIN_BLOCK_THREADS, 1) * MIN_BLOCK_THREADS, slots // short.PER_THREAD
    )
    args: Any = x, (() if order is None else order), results
    layout = numbers(along, after, lines), numbers(*ranks), *flips(x, descending), *numbers(width, rows)
    launch(short.SORTED[slots], -(-lines // rows), threads, *args, *layout)


def flips(x: DeviceArray, descending: bool) -> tuple[Any, Any]:
    """The bits of keys that are turned, and all bits."""
    kind = key_dtype(x.stored)
    every = kind.type(np.iinfo(kind).max)
    return every if descending else kind.type(0), every


def by_radix(
    x: DeviceArray, lines: int, along: int, after: int, descending: bool, order: DeviceArray | None = None
) -> DeviceArray:
    """The places along each line in order; see `order_of`."""
    keys = memory.empty((lines * along,), key_dtype(x.stored), x.device)
    value: Any = () if order is None else order
    over_elements(radix.KEYED, keys.size, x, value, keys, *numbers(along, after), flips(x, descending)[0])
    return keys_and_order(keys, along, key_bits(x.stored), order, stores_keys=False)[1]


def keys_and_order(
    keys: DeviceArray, along: int, bits: tuple[int, int], order: DeviceArray | None = None, stores_keys: bool = True
) -> tuple[DeviceArray, DeviceArray]:
    """Lines of keys, one after the other, in order of some of their bits, and the places that they had.

    Args:
        bits: the first one that counts, and the first one after it that does not.
        order: see `order_of`.
        kept: whether the keys are wanted too; else those that are given come back.
    """
    for shift in range(bits[0], bits[1], radix.BITS):
        last = shift + radix.BITS >= bits[1]
        keys, order = by_digit(keys, order, along, shift, stores_keys or not last)
    assert order is not None
    return keys, order


def by_digit(
    keys: DeviceArray, order: DeviceArray | None, along: int, shift: int, stores_keys: bool
) -> tuple[DeviceArray, DeviceArray]:
    """One pass: keys and places in order of one digit."""
    lines, device = keys.size // along, keys.device
    items = min(ITEMS, -(-along // radix.THREADS))
    parts = -(-along // (radix.THREADS * items))
    counts, ends = (memory.empty((lines * radix.DIGITS * parts,), INT32, device) for _ in range(2))
    layout = numbers(shift, along, parts, items)
    launch(radix.COUNTED, lines * parts, radix.THREADS, keys, counts, *layout)
    scan("sum", INT64, [counts], [ends], (lines, radix.DIGITS * parts, 1))
    new_keys = memory.empty((keys.size,), keys.dtype, device) if stores_keys else keys
    new_order = memory.empty((keys.size,), INT32, device)
    args: Any = (() if order is None else order), ends, (new_keys if stores_keys else ())
    launch(radix.PLACED, lines * parts, radix.THREADS, keys, *args, new_order, *layout)
    return new_keys, new_order
