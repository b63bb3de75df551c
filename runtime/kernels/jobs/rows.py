"""A kernel on rows of operands that broadcast or lie apart in memory: see runtime/rows.py."""

from __future__ import annotations

from typing import NamedTuple

from ..frames import call_arrays, put_array, put_number
from ..words import load, load_half, native


class Rows(NamedTuple):
    """Distances of what is known of two layouts from the address of the words."""

    outer: int
    inner: int
    size: int  # elements of a row
    elements: int  # of the result
    repeated: int  # 0, or 1 + the number of the operand that gives one number a row
    steps: int  # from row to row, outer and inner, of the operands and of the result


B = Rows(*range(0, 8 * len(Rows._fields), 8))


@native
def put_operand(words, place, memory, size, is_repeated):
    """Put a row of an operand, or the number that it repeats, into the frame; gives the next place."""
    if is_repeated:
        put_number(words, 0, load_half(memory) if size == 4 else load(memory, 0))
        return place
    put_array(words, place, memory, size, 0)
    return place + 1


@native
def run_rows(kernel, rows, memories, words, first, last):
    """Call the kernel for a range of rows; `memories` are the addresses of the operands and of the result, and behind
    them are the sizes of their elements."""
    repeated, steps, inner = load(rows, B.repeated), rows + B.steps, load(rows, B.inner)
    q, r = first // inner, first % inner
    for _ in range(first, last):
        place = 0
        for k in range(3):
            size = load(memories, 8 * (3 + k))
            start = load(memories, 8 * k) + (q * load(steps, 16 * k) + r * load(steps, 16 * k + 8)) * size
            place = put_operand(words, place, start, size, repeated == k + 1)
        call_arrays(kernel, place, load(rows, B.size), words)
        r += 1
        if r == inner:
            q, r = q + 1, 0
