"""Running a kernel of flat arrays row by row where one operand's rows are columns of a matrix in memory.

Some of its columns are turned into rows beside, where they stay in a cache until the kernel has read them: a copy of
all would be written to memory and read again.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .cpu.transpose import transpose_at
from .jit import jit
from .llvm.addresses import address, call_at, empty_row, item_size, part_of
from .rows import Loop, loop_for, row

Array = np.ndarray
BLOCK = 32  # columns that are turned at a time: two cache lines of each row


@jit
def over_strided_rows(
    kernel: int, operands: Any, steps: Any, size: int, strided_operand: Array, stride: int, first: int, last: int
) -> None:
    """Call a kernel on a range of rows; of `turned` row r are the elements from r on that are `stride` apart."""
    like = strided_operand.dtype.type(0)
    rows, bytes_of_one = empty_row(like, BLOCK * size), item_size(like)
    for start in range(first, last, BLOCK):
        count = min(BLOCK, last - start)
        source = address(strided_operand) + start * bytes_of_one
        transpose_at(like, source, stride * bytes_of_one, size, count, address(rows), size * bytes_of_one)
        for r in range(count):
            call_at(kernel, rows_beside(operands, steps, start + r, size, part_of(rows, r * size, size)))


def rows_beside(operands: Any, steps: Any, r: int, size: int, beside: Any) -> Any:
    """The kernel's arguments for row r, where `beside` stands for an operand that is None."""


def strided_loop(kernel: Any, operands: tuple[Any, ...], position: int, steps: Array) -> Loop:
    """The loop over the rows of such operands, of which that at a place is turned."""
    register_turned_rows()
    args = (*operands[:position], None, *operands[position + 1 :])
    return loop_for(kernel, operands, [args, steps, 0, operands[position], 0, 0, 0], over_strided_rows)


@functools.cache
def register_turned_rows() -> None:
    """Tell numba about the function above."""
    from numba.extending import overload

    overload(rows_beside, strict=False, jit_options={"forceinline": True})(_source)


def _source(operands: Any, steps: Any, r: Any, size: Any, beside: Any) -> Any:
    """One call of `row` for each operand of the tuple, but for the one that lies beside."""
    from numba import types

    positions = [k for k, operand in enumerate(operands) if not isinstance(operand, types.NoneType)]
    calls = [
        f"row(operands[{k}], steps[{k}, 1] * r, size)" if k in positions else "beside" for k in range(len(operands))
    ]
    namespace: dict[str, Any] = {"row": row}
    exec(f"def rows(operands, steps, r, size, beside):\n    return ({', '.join(calls)},)", namespace)
    return namespace["rows"]
