"""Attention as plans call it: of flat memory, in which a table of whole numbers says where matrices lie.

The table has the sizes of the loops (see `attend`), whether attention is causal, and four numbers an operand: elements
before the first matrix, or -1 for an operand that is not there, and from one batch item, head and row to the next.
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.addresses import address, empty_matrix, part_of
from .cpu_loops import (
    BIAS,
    GRAD,
    GRAD_BIAS,
    GRAD_KEY,
    GRAD_QUERY,
    GRAD_VALUE,
    KEEP,
    KEY,
    MASK,
    OUTPUT,
    QUERY,
    VALUE,
    attend,
    attend_backward,
)

SIZES = 7
CAUSAL, OPERANDS = SIZES, SIZES + 1  # where they stand in the table

Array = np.ndarray


@jit
def attend_at(
    query: Array,
    key: Array,
    value: Array,
    bias: Array,
    mask: Array,
    keep: Array,
    output: Array,
    logsumexp: Array,
    places: Array,
    scale: float,
    keep_scale: float,
    first: int,
    last: int,
) -> None:
    """Forward, for a range of pairs of a batch item and a head of keys."""
    table = empty_matrix(0, GRAD_BIAS + 1, 4)
    table[:] = 0
    place(table, QUERY, query, places, 0)
    place(table, KEY, key, places, 1)
    place(table, VALUE, value, places, 2)
    place(table, OUTPUT, output, places, 3)
    place(table, BIAS, bias, places, 4)
    place(table, MASK, mask, places, 5)
    place(table, KEEP, keep, places, 6)
    sums = logsumexp.reshape((places[0], places[1], places[3]))
    attend(table, sizes_of(places), places[CAUSAL] != 0, scale, keep_scale, sums, first, last)


@jit
def attend_backward_at(
    query: Array,
    key: Array,
    value: Array,
    output: Array,
    grad: Array,
    bias: Array,
    mask: Array,
    keep: Array,
    logsumexp: Array,
    grad_query: Array,
    grad_key: Array,
    grad_value: Array,
    grad_bias: Array,
    places: Array,
    scale: float,
    keep_scale: float,
    first: int,
    last: int,
) -> None:
    """The gradients that the table has places for are added to what is there."""
    table = empty_matrix(0, GRAD_BIAS + 1, 4)
    table[:] = 0
    place(table, QUERY, query, places, 0)
    place(table, KEY, key, places, 1)
    place(table, VALUE, value, places, 2)
    place(table, OUTPUT, output, places, 3)
    place(table, GRAD, grad, places, 4)
    place(table, GRAD_QUERY, grad_query, places, 5)
    place(table, GRAD_KEY, grad_key, places, 6)
    place(table, GRAD_VALUE, grad_value, places, 7)
    place(table, BIAS, bias, places, 8)
    place(table, MASK, mask, places, 9)
    place(table, KEEP, keep, places, 10)
    place(table, GRAD_BIAS, grad_bias, places, 11)
    sums = logsumexp.reshape((places[0], places[1], places[3]))
    attend_backward(table, sizes_of(places), places[CAUSAL] != 0, scale, keep_scale, sums, first, last)


@jit
def sizes_of(places: Array) -> tuple[int, ...]:
    """The sizes of the loops."""
    return places[0], places[1], places[2], places[3], places[4], places[5], places[6]


@jit
def place(table: Array, number: int, memory: Array, places: Array, operand: int) -> None:
    """Write where an operand's matrices lie into a row of the table of `attend`."""
    here = part_of(places, OPERANDS + 4 * operand, 4)
    if here[0] >= 0:
        table[number, 0] = address(memory) + here[0] * memory.itemsize
        for k in range(1, 4):
            table[number, k] = here[k] * memory.itemsize
