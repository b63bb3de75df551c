"""Scans of contiguous tensors, as plans call them: lines along (before, along, after), in order of (before, after)."""

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import item_size, part_of
from .cpu_cumprod import recurrence
from .cpu_cumsum import running_chunks, running_lines_in_two, running_sums


@jit
def sums_along(x: Array, out: Array, along: int, after: int, reverse: int, first: int, last: int) -> None:
    in_two = item_size(x[0]) == 8
    if after == 1 and not reverse and in_two:
        running_lines_in_two(x, out, along, first, last)
    elif after == 1 and not reverse:
        running_chunks(x, out, np.zeros(last), along, first, last)
    else:
        running_sums(x, out, np.empty(0), in_two, along, after, reverse != 0, first, last)


@jit
def integer_sums_along(x: Array, out: Array, along: int, after: int, first: int, last: int) -> None:
    for line in range(first, last):
        start, total = line // after * along * after + line % after, 0
        for i in range(along):
            total += x[start + i * after]
            out[start + i * after] = total


@jit
def products_along(x: Array, out: Array, along: int, after: int, first: int, last: int) -> None:
    recurrence(part_of(x, 0, 0), x, out, np.empty(0), item_size(x[0]) == 8, along, after, False, first, last)


@jit
def recurrence_along(
    x: Array, factor: Array, out: Array, along: int, after: int, reverse: int, first: int, last: int
) -> None:
    recurrence(x, factor, out, np.empty(0), item_size(x[0]) == 8, along, after, reverse != 0, first, last)
