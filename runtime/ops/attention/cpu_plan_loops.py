"""Attention as plans call it: of flat memory, in which a table of whole numbers says where matrices lie.

The table has the sizes of the loops (see `attend`), whether attention is causal, and four numbers an operand: elements
before the first matrix, or -1 for an operand that is not there, and from one batch item, head and row to the next.
"""

from ...compiler.jit import jit
from ...kernels.cpu.plan import Array
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


@jit
def attend_at(
    query: Array, key: Array, value: Array, bias: Array, mask: Array, keep: Array, output: Array, logsumexp: Array,
    offsets: Array, scale: float, keep_scale: float, first: int, last: int,
) -> None:  # fmt: skip
    table = table_of(query, key, value, output, offsets)
    operand_at(table, BIAS, bias, offsets, 4)
    operand_at(table, MASK, mask, offsets, 5)
    operand_at(table, KEEP, keep, offsets, 6)
    sums = logsumexp.reshape((offsets[0], offsets[1], offsets[3]))
    attend(table, sizes_of(offsets), offsets[CAUSAL] != 0, scale, keep_scale, sums, first, last)


@jit
def attend_backward_at(
    query: Array, key: Array, value: Array, output: Array, grad: Array, bias: Array, mask: Array, keep: Array,
    logsumexp: Array, grad_query: Array, grad_key: Array, grad_value: Array, grad_bias: Array, offsets: Array,
    scale: float, keep_scale: float, first: int, last: int,
) -> None:  # fmt: skip
    """The gradients that the table has places for are added to what is there."""
    table = table_of(query, key, value, output, offsets)
    operand_at(table, GRAD, grad, offsets, 4)
    operand_at(table, GRAD_QUERY, grad_query, offsets, 5)
    operand_at(table, GRAD_KEY, grad_key, offsets, 6)
    operand_at(table, GRAD_VALUE, grad_value, offsets, 7)
    operand_at(table, BIAS, bias, offsets, 8)
    operand_at(table, MASK, mask, offsets, 9)
    operand_at(table, KEEP, keep, offsets, 10)
    operand_at(table, GRAD_BIAS, grad_bias, offsets, 11)
    sums = logsumexp.reshape((offsets[0], offsets[1], offsets[3]))
    attend_backward(table, sizes_of(offsets), offsets[CAUSAL] != 0, scale, keep_scale, sums, first, last)


@jit
def sizes_of(offsets: Array) -> tuple[int, ...]:
    return offsets[0], offsets[1], offsets[2], offsets[3], offsets[4], offsets[5], offsets[6]


@jit
def table_of(query: Array, key: Array, value: Array, output: Array, offsets: Array) -> Array:
    table = empty_matrix(0, GRAD_BIAS + 1, 4)
    table[:] = 0
    operand_at(table, QUERY, query, offsets, 0)
    operand_at(table, KEY, key, offsets, 1)
    operand_at(table, VALUE, value, offsets, 2)
    operand_at(table, OUTPUT, output, offsets, 3)
    return table


@jit
def operand_at(table: Array, number: int, memory: Array, offsets: Array, operand: int) -> None:
    here = part_of(offsets, OPERANDS + 4 * operand, 4)
    if here[0] >= 0:
        table[number, 0] = address(memory) + here[0] * memory.itemsize
        for k in range(1, 4):
            table[number, k] = here[k] * memory.itemsize
