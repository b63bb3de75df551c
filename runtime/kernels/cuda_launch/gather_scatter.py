"""Reading and writing by index on a CUDA device, of (before, along, after). A bad index is noted and skipped."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray
from ...device.cuda.index_errors import raise_at_once, ticket, word_for
from ..cuda.elementwise import PER_THREAD, divisor
from ..cuda.gather import FLATTENED, row_numbers, taking
from ..cuda.scatter import collecting, found, looking
from . import arrays
from .elementwise import between
from .layouts import merged, steps_in
from .per_element import UINT32, numbers, over_elements, summed_in
from .sort_and_scan import keys_and_order

Ints = tuple[int, ...]
INT32 = np.dtype(np.int32)
LOOKING = 1 << 22  # elements times indices: where these are more, the indices are sorted first


def broadcast(a: DeviceArray, shape: Ints) -> DeviceArray:
    missing = len(shape) - a.ndim
    steps = [0 if n == 1 else step for n, step in zip(a.shape, a.byte_strides, strict=True)]
    return a if a.shape == shape else a.viewed(shape, 0, (*[0] * missing, *steps))


def transposed(a: DeviceArray, order: Sequence[int]) -> DeviceArray:
    by = a.byte_strides
    return a.viewed(tuple(a.shape[d] for d in order), 0, tuple(by[d] for d in order))


def inner_sizes(sizes: Ints) -> tuple[Any, ...]:
    return tuple([numbers(*divisor(n)) for n in sizes[:-1]])


def rows_at(
    op: str, index: DeviceArray, dim: int, size: int, wraps: bool, before: DeviceArray | None = None,
    dtype: np.dtype = INT32,
) -> DeviceArray:  # fmt: skip
    result = arrays.empty(index.shape, dtype, index.device)
    if result.size:
        layout = merged(index.shape, (steps_in(index, index.shape),))
        note = word_for(index.device), ticket(op, dim), np.int64(size)
        rest = (numbers(*layout.steps[0]), inner_sizes(layout.sizes))
        over_elements(row_numbers(wraps), result.size, index, before or (), result, *note, *rest)
        raise_at_once(index.device)
    return result


def gathered(
    op: str, table: DeviceArray, index: DeviceArray, shape: Ints, table_steps: Ints, index_steps: Ints, step: int,
    dim: int, size: int, wraps: bool,
) -> DeviceArray:  # fmt: skip
    """table[index]. `table_steps`, `index_steps`: their elements from one place of the result to the next; `step`:
    elements of the table from one index to the next, of which there are `size`."""
    result = arrays.result(table, shape)
    if result.size:
        layout = merged(shape, (table_steps, index_steps))
        note = word_for(table.device), ticket(op, dim), np.int64(size)
        steps = tuple([numbers(*each) for each in layout.steps])
        kernel = taking(between(table.stored, result.dtype), wraps)
        rest = (UINT32(step), steps, inner_sizes(layout.sizes))
        over_elements(kernel, result.size, table, index, result, *note, *rest, of_thread=PER_THREAD)
        raise_at_once(table.device)
    return result


def rows_gathered(op: str, a: DeviceArray, dim: int, index: DeviceArray, wraps: bool) -> DeviceArray:
    steps, by = steps_in(a, a.shape), steps_in(index, index.shape)
    shape = (*a.shape[:dim], *index.shape, *a.shape[dim + 1 :])
    table_steps = (*steps[:dim], *[0] * index.ndim, *steps[dim + 1 :])
    index_steps = (*[0] * dim, *by, *[0] * (a.ndim - dim - 1))
    step = elements(a, dim)
    return gathered(op, a, index, shape, table_steps, index_steps, step, dim, a.shape[dim], wraps)


def elements(a: DeviceArray, dim: int) -> int:
    return a.byte_strides[dim] // a.itemsize


def collected(
    start: DeviceArray, rows: DeviceArray, values: DeviceArray, sizes: tuple[int, int, int, int], row_steps: Ints,
    value_steps: Ints, name: str, alpha: Any = 1, included: bool = True,
) -> DeviceArray:  # fmt: skip
    """A new array: `start` with values joined at rows. `sizes`: of `start` as (before, along, after), and the indices
    of a line; `row_steps`, `value_steps`: along (before, indices, after); `alpha`: factor where `name` is "scaled";
    `included`: elements of `start` count where something is joined."""
    computed = summed_in(start.dtype)
    before, along, after, count = sizes
    if before * along * after * count > LOOKING:
        if any(row_steps[::2]):  # lines have rows of their own: one line of all elements
            rows, count = flattened(rows, along, after, count), rows.size
            before, along, after = 1, before * along * after, 1
            value_steps = (0, int(any(value_steps)), 0)
        value: tuple[DeviceArray, ...] = sorted_by_key(rows, along)
        steps: tuple[Any, ...] = numbers(*value_steps)
        kernel = collecting(found, name, computed)
    else:
        value = (rows,)
        steps = numbers(*row_steps), numbers(*value_steps)
        kernel = collecting(looking, name, computed)
    result = arrays.result(start, start.shape)
    flat = [each.ravel() for each in (start, *value, values, result)]
    rest = numbers(along, after, count), steps, computed.type(alpha), UINT32(included)
    over_elements(kernel, result.size, *flat, *rest)
    return result


def added_to_rows(
    table: DeviceArray, rows: DeviceArray, values: DeviceArray, name: str = "sum", alpha: Any = 1, included: bool = True
) -> DeviceArray:
    along = table.shape[0]
    width = prod(table.shape[1:])
    steps = (0, 1, 0), (0, width, 1)
    return collected(table, rows, values, (1, along, width, rows.size), *steps, name, alpha, included)


def sorted_by_key(keys: DeviceArray, limit: int) -> tuple[DeviceArray, DeviceArray]:
    """Keys below `limit`, and -1, which comes last, in order, and the places that they had; equal ones keep theirs."""
    bits = 0, limit.bit_length()  # so that no key but -1 has all of them
    sorted_keys, order = keys_and_order(keys.ravel().view(np.uint32), keys.size, bits)
    return sorted_keys.view(INT32), order


def flattened(rows: DeviceArray, along: int, after: int, count: int) -> DeviceArray:
    result = arrays.empty((rows.size,), INT32, rows.device)
    over_elements(FLATTENED, rows.size, rows.ravel(), result, *numbers(along, after, count))
    return result
