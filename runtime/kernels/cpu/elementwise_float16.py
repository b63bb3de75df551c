"""Kernels of one 16-bit float, of which there are 65536: read from a table that the kernel fills once it has computed
as many elements; what a network computes has few exponents, so what is read lies in the nearest cache."""

import dis
import functools
from typing import Any

import numpy as np

from ...compiler.jit import callees
from ...compiler.passes.scalar_library import is_scalar, names_in
from ..llvm.addresses import address, empty_row
from ..llvm.result_table import array_at, gathered, set_state, state_at, table_slots

COUNT, HEAD = 1 << 16, 64  # numbers, and results of a table; bytes before it
FILLED = -1  # the state of a table that is; else how many elements have been computed
AT_ONCE = 4096  # numbers of which the results are computed at once
OPERATIONS = dis.opmap["BINARY_OP"], dis.opmap["CALL"]
TABLE_COST_THRESHOLD = 100  # operations, which take no longer than reading a table


def kernel(self: Any, result: Any) -> None:
    """The kernel without a table; `with_kernel` puts it here."""


def looked_up(self: Any, result: Any) -> None:
    slot_values = table_slots()
    state = state_at(slot_values)
    if state != FILLED and state + result.size >= COUNT:
        numbers = empty_row(np.uint16(0), AT_ONCE)
        for start in range(0, COUNT, AT_ONCE):
            for i in range(AT_ONCE):
                numbers[i] = np.uint16(start + i)
            value = array_at(self, address(numbers), AT_ONCE)
            kernel(value, array_at(result, slot_values + HEAD + 2 * start, AT_ONCE))
        set_state(slot_values, FILLED)
        state = FILLED
    if state == FILLED:
        gathered(address(self), slot_values + HEAD, address(result), result.size)
    else:
        set_state(slot_values, state + result.size)  # of several threads one may count for all: then it takes longer
        kernel(self, result)


def is_long(function: Any) -> bool:
    return steps_of(function) > TABLE_COST_THRESHOLD


@functools.cache
def steps_of(function: Any) -> int:
    instructions = function.__code__.co_code[::2]  # each of two bytes
    own = sum(instructions.count(each) for each in OPERATIONS)
    called = [function.__globals__.get(name) for name in names_in(function.__code__)]
    return own + sum(steps_of(one) for one in called if is_scalar(one) and one is not function)


def with_kernel(compiled: Any) -> dict[str, Any]:
    return {**callees(looked_up), "kernel": compiled}
