"""A kernel on rows of operands that broadcast or lie apart in memory: see runtime/rows.py."""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.compile.argument_buffer import put_array, put_number
from ..kernels.llvm.memory import call_kernel, load, load_half, native, store


class Rows(NamedTuple):
    """Distances of what is known of two layouts from the address of the words."""

    outer: int
    inner: int
    size: int  # elements of a row
    elements: int  # of the result
    repeated: int  # 0, or 1 + the number of the operand that gives one number a row
    reach: int  # elements from the first to the last that is read of either operand, plus one
    reach_of_second: int
    steps: int  # from row to row, outer and inner, of the operands and of the result


B = Rows(*range(0, 8 * len(Rows._fields), 8))


@native
def number_at(memory, size):
    """The number at an address, as a word."""
    return load_half(memory) if size == 4 else load(memory, 0)


@native
def step_of(rows, memories, k, which):
    """Bytes from row to row of an operand or of the result: 0 outer, 1 inner."""
    return load(rows, B.steps + 16 * k + 8 * which) * load(memories, 8 * (3 + k))


@native
def run_rows(kernel, rows, memories, words, first, last):
    """Call the kernel for a range of rows; `memories` are the addresses of the operands and of the result, and behind
    them are the sizes of their elements."""
    repeated, inner, size = load(rows, B.repeated), load(rows, B.inner), load(rows, B.size)
    q, r, itemsize = first // inner, first % inner, load(memories, 24)
    outer0, outer1, outer2 = step_of(rows, memories, 0, 0), step_of(rows, memories, 1, 0), step_of(rows, memories, 2, 0)
    inner0, inner1, inner2 = step_of(rows, memories, 0, 1), step_of(rows, memories, 1, 1), step_of(rows, memories, 2, 1)
    second, result = 0 if repeated == 1 else 1, 1 if repeated else 2
    put_array(words, 0, 0, itemsize)
    put_array(words, second, 0, load(memories, 32))
    put_array(words, result, 0, load(memories, 40))
    for _ in range(first, last):
        one = load(memories, 0) + q * outer0 + r * inner0
        two = load(memories, 8) + q * outer1 + r * inner1
        store(words, 8 * result, load(memories, 16) + q * outer2 + r * inner2)
        if repeated == 0:
            store(words, 0, one)
            store(words, 8, two)
            call_kernel(kernel, 3, size, words)
        else:
            store(words, 0, two if repeated == 1 else one)
            put_number(words, 0, number_at(one if repeated == 1 else two, itemsize))
            call_kernel(kernel, 2, size, words)
        r += 1
        if r == inner:
            q, r = q + 1, 0
