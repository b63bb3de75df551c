"""Launches of scans and of stable sorts along a dimension: short lines in shared memory, long ones by radix."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray
from ..cuda import bitonic_sort, radix_sort
from ..cuda.scans import MAX_THREADS, PER_THREAD, by_block, by_part, by_thread, scanning, types_of
from ..cuda.selection import PICKED
from ..cuda.sort_keys import key_bits, key_dtype
from ..cuda.storage import in_registers
from . import arrays
from .launch import launch
from .per_element import numbers, over_elements

SHORT_LINE = 8  # elements of the longest lines of which each thread has one
LINES_THRESHOLD = 2048  # lines side by side, from which on each thread has one
MIN_BLOCK_THREADS = 32  # threads of a block
BLOCKS = 512  # that keep a device busy
PART = 1 << 12  # elements of a part of a line, at least, where several blocks have one


def scan(
    name: str, computed: np.dtype, sources: Sequence[DeviceArray], results: Sequence[DeviceArray],
    shape: tuple[int, int, int], reverse: bool = False,
) -> None:  # fmt: skip
    """Fill results with scans, joined as STATES of kernels/cuda/scans.py says by name. Sources and results are in row
    order, `shape` is (before, along, after); `reverse`: lines go from the end to the start."""
    before, along, after = shape
    lines = before * after
    args: Any = tuple([a.ravel() for a in sources]), tuple([a.ravel() for a in results])
    if not lines * along:
        return
    if along <= SHORT_LINE or (after > 1 and lines >= LINES_THRESHOLD):
        over_elements(scanning(by_thread, name, computed), lines, *args, *numbers(along, after, reverse))
        return
    layout = numbers(along, after, reverse)
    parts = min(BLOCKS // lines, along // PART)
    if parts < 2:
        launch(scanning(by_block, name, computed), lines, threads_of(along), *args, (), *layout, *numbers(1, along))
        return
    totals, states = (states_of(name, computed, lines * parts, results[0].device) for _ in range(2))
    rest = (*layout, *numbers(parts, -(-along // parts)))
    launch(scanning(by_part, name, computed), lines * parts, MAX_THREADS, args[0], totals, *rest)
    between = scanning(by_block, name, computed, "between")
    launch(between, lines, threads_of(parts), totals, states, (), *numbers(parts, 1, 0, 1, parts))
    after_others = scanning(by_block, name, computed, "after")
    launch(after_others, lines * parts, MAX_THREADS, *args, states, *rest)


def states_of(name: str, computed: np.dtype, count: int, device: Any) -> tuple[DeviceArray, ...]:
    return tuple([arrays.empty((count,), np.dtype(kind), device) for kind in types_of(name, computed)])


def threads_of(along: int) -> int:
    """Threads for a line: a power of two, so that all have elements where there are enough."""
    return min(max(1 << (-(-along // PER_THREAD) - 1).bit_length(), MIN_BLOCK_THREADS), MAX_THREADS)


def seen(shape: Sequence[int], dim: int) -> tuple[int, int, int]:
    return prod(shape[:dim]), shape[dim], prod(shape[dim + 1 :])


Shape = tuple[int, int, int]
INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)
SHORT = bitonic_sort.MAX_BLOCK_SLOTS  # elements of the longest lines that are sorted in shared memory
ITEMS = 16  # keys of a thread


def keyed(a: DeviceArray) -> DeviceArray:
    return a if a.strides is None and in_registers(a.stored) == a.dtype else arrays.copied(a)


def sort_into(
    results: tuple[DeviceArray, ...], x: DeviceArray, shape: Shape, ranks: tuple[int, int], descending: bool
) -> None:
    """Fill results, (before, ranks, after), with elements of `keyed` x and places, or with places alone, which come
    last; `ranks`: the first one and how many."""
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
    """The places along each of the first lines of a flat `keyed` array in ascending order of the elements, one line
    after the other, as int32. `order`: the places in the order in which equal elements stay; by default their own."""
    if along > SHORT:
        return by_radix(x, lines, along, after, False, order)
    result = arrays.empty((lines * along,), INT32, x.device)
    if result.size:
        in_blocks((result,), x, lines, along, after, (0, along, 1), False, order)
    return result


def in_blocks(
    results: tuple[DeviceArray, ...], x: DeviceArray, lines: int, along: int, after: int, ranks: tuple[int, int, int],
    descending: bool, order: DeviceArray | None = None,
) -> None:  # fmt: skip
    width = 1 << max(along - 1, 1).bit_length()
    slots = bitonic_sort.SMALL_BLOCK_SLOTS if width <= bitonic_sort.SMALL_BLOCK_SLOTS else bitonic_sort.MAX_BLOCK_SLOTS
    rows = min(slots // width, lines)
    threads = min(
        max(rows * width // bitonic_sort.PER_THREAD // MIN_BLOCK_THREADS, 1) * MIN_BLOCK_THREADS,
        slots // bitonic_sort.PER_THREAD,
    )
    args: Any = x, (() if order is None else order), results
    layout = numbers(along, after, lines), numbers(*ranks), *flips(x, descending), *numbers(width, rows)
    launch(bitonic_sort.SORTED[slots], -(-lines // rows), threads, *args, *layout)


def flips(x: DeviceArray, descending: bool) -> tuple[Any, Any]:
    kind = key_dtype(x.stored)
    every = kind.type(np.iinfo(kind).max)
    return every if descending else kind.type(0), every


def by_radix(
    x: DeviceArray, lines: int, along: int, after: int, descending: bool, order: DeviceArray | None = None
) -> DeviceArray:
    keys = arrays.empty((lines * along,), key_dtype(x.stored), x.device)
    value: Any = () if order is None else order
    over_elements(radix_sort.KEYED, keys.size, x, value, keys, *numbers(along, after), flips(x, descending)[0])
    return keys_and_order(keys, along, key_bits(x.stored), order, stores_keys=False)[1]


def keys_and_order(
    keys: DeviceArray, along: int, bits: tuple[int, int], order: DeviceArray | None = None, stores_keys: bool = True
) -> tuple[DeviceArray, DeviceArray]:
    """Lines of keys, one after the other, in order of some of their bits (the first that counts, and the first after it
    that does not), and the places that they had. Without `stores_keys` the keys that are given come back."""
    for shift in range(bits[0], bits[1], radix_sort.BITS):
        last = shift + radix_sort.BITS >= bits[1]
        keys, order = by_digit(keys, order, along, shift, stores_keys or not last)
    assert order is not None
    return keys, order


def by_digit(
    keys: DeviceArray, order: DeviceArray | None, along: int, shift: int, stores_keys: bool
) -> tuple[DeviceArray, DeviceArray]:
    lines, device = keys.size // along, keys.device
    items = min(ITEMS, -(-along // radix_sort.THREADS))
    parts = -(-along // (radix_sort.THREADS * items))
    counts, ends = (arrays.empty((lines * radix_sort.DIGITS * parts,), INT32, device) for _ in range(2))
    layout = numbers(shift, along, parts, items)
    launch(radix_sort.COUNTED, lines * parts, radix_sort.THREADS, keys, counts, *layout)
    scan("sum", INT64, [counts], [ends], (lines, radix_sort.DIGITS * parts, 1))
    new_keys = arrays.empty((keys.size,), keys.dtype, device) if stores_keys else keys
    new_order = arrays.empty((keys.size,), INT32, device)
    args: Any = (() if order is None else order), ends, (new_keys if stores_keys else ())
    launch(radix_sort.PLACED, lines * parts, radix_sort.THREADS, keys, *args, new_order, *layout)
    return new_keys, new_order
