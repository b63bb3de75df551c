"""Kernels whose work several threads share where there is much of it; results do not depend on how it is cut."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...threads import get_num_threads
from . import layout
from .calls import address_of, sliced_arrays, words_of
from .layout import ADDRESS, HAVE, INTEGERS, MOST_SLICED, NUMBERS, RANGE, RUN, SLICE, SLICED, SLICES, words
from .workers import describe, in_parts, manage

CALL = 4  # times as large as what native code shares: Python needs some 10 us to describe a call
LARGE_FOR_PYTHON = 1 << 18  # elements; a worker that must run Python begins some 50 us later


def shared(loop: Any, arguments: tuple[Any, ...], count: int, work: int, unit: int = 1) -> None:
    """loop(*arguments, first, last) over range(count), by several threads where `work`, in elements, is large.

    The loop is a compiled kernel. Ranges begin at multiples of `unit`.
    """
    if work < CALL * layout.LARGE or count <= unit or get_num_threads() == 1:
        loop(*arguments, 0, count)
        return
    if not _compiled(RANGE, loop, arguments, (0, 0), [], count, unit):
        in_parts(count, unit, lambda first, last: loop(*arguments, first, last))


def by_slices(kernel: Any, arguments: tuple[Any, ...], size: int) -> None:
    """kernel(*arguments) of a compiled kernel of flat arrays and numbers that has to do with one place of the arrays
    at a time; by several threads where their size is large."""
    if size < CALL * layout.LARGE or get_num_threads() == 1:
        kernel(*arguments)
        return
    if _compiled(SLICES, kernel, arguments, (), sliced_arrays(arguments, size), size, SLICE):
        return

    def run_slice(i: int, j: int) -> None:
        kernel(*[value[i:j] if isinstance(value, np.ndarray) else value for value in arguments])

    in_parts(size, SLICE, run_slice)


def _compiled(
    kind: int, kernel: Any, arguments: tuple[Any, ...], more: tuple[int, ...], sliced: list[int], count: int, unit: int
) -> bool:
    """Run a job without the interpreter; False where that cannot be, or another thread has the workers."""
    found = words_of(arguments)
    if found is None or len(sliced) > MOST_SLICED:
        return False
    address = address_of(kernel, (*arguments, *more))
    if not manage(HAVE):
        return False
    integers, numbers = found
    words[INTEGERS : INTEGERS + len(integers)] = integers
    words[NUMBERS : NUMBERS + len(numbers)].view(float)[:] = numbers
    words[SLICED : SLICED + len(sliced)] = sliced
    memory = ADDRESS + 8 * INTEGERS, ADDRESS + 8 * NUMBERS, len(integers)
    describe(kind, address, len(sliced), count, unit, memory)
    if manage(RUN):
        raise RuntimeError(f"{kernel.__name__}(): a thread failed")
    return True


def is_long(work: int) -> bool:
    """Whether work, in elements, is so large that threads share it even where they need the interpreter for it."""
    return work >= LARGE_FOR_PYTHON and get_num_threads() > 1
