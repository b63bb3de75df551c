"""Running a kernel of flat arrays row by row, where operands broadcast or lie apart. An operand is an array, of which a
call gets one row; one in a tuple: a number for the whole row; or a number, which may be indexed here. The loop calls
the kernel at its address, so it is compiled once. Rows that are columns in memory are copied beside."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...compiler.jit import jit
from ...device.threads.call_record import address_of, compiled_for
from ..llvm.addresses import address, call_at, empty_row, item_size, part_of
from .matmul import transpose_at


class Loop(NamedTuple):
    kernel: int  # the address of its machine code
    run: Any  # what calls `over_rows` without asking for the types of its arguments


def loop_for(kernel: Any, operands: tuple[Any, ...], arguments: Sequence[Any], loop: Any) -> Loop:
    from numba import typeof

    register()
    address = address_of(kernel, tuple(value[0].dtype.type() if type(value) is tuple else value for value in operands))
    types = [typeof(argument) for argument in (address, *arguments)]
    return Loop(address, compiled_for(loop, types).entry_point)


def kind(operand: Any) -> Any:
    """Equal for operands of which a kernel gets rows, or numbers, of one type: memory is contiguous and of one
    dimension."""
    if type(operand) is np.ndarray:
        return operand.dtype.num
    # ~ tells an array of which calls get numbers from one of which they get rows.
    return ~operand[0].dtype.num if type(operand) is tuple else type(operand)


@jit
def over_rows(kernel: int, operands: Any, steps: Any, inner: int, size: int, first: int, last: int) -> None:
    q, r = first // inner, first % inner
    for _ in range(first, last):
        call_at(kernel, rows_of(operands, steps, q, r, size))
        r += 1  # counted on, as a division for each row costs more than a short row
        if r == inner:
            q, r = q + 1, 0


def rows_of(operands: Any, steps: Any, q: int, r: int, size: int) -> Any:
    """The kernel's arguments for row (q, r), one for each operand; compiled from `_rows_source`."""


def row(operand: Any, start: int, size: int) -> Any:
    """One operand's row, or number, that begins at `start`; compiled from `_row`."""


@functools.cache
def register() -> None:
    from numba import types
    from numba.extending import overload

    inlined = {"forceinline": True}
    overload(rows_of, strict=False, jit_options=inlined)(_rows_source)
    overload(row, strict=False, jit_options=inlined)(_row)
    _let_numbers_be_indexed(types)


def _rows_source(operands: Any, steps: Any, q: Any, r: Any, size: Any) -> Any:
    calls = [f"row(operands[{k}], steps[{k}, 0] * q + steps[{k}, 1] * r, size)" for k in range(len(operands))]
    namespace: dict[str, Any] = {"row": row}
    exec(f"def rows(operands, steps, q, r, size):\n    return ({', '.join(calls)},)", namespace)
    return namespace["rows"]


def _row(operand: Any, start: Any, size: Any) -> Any:
    from numba import types
    from numba.extending import intrinsic

    if isinstance(operand, types.Array):
        part = intrinsic(part_of)
        return lambda operand, start, size: part(operand, start, size)
    if isinstance(operand, types.BaseTuple):
        return lambda operand, start, size: operand[0][start]
    return lambda operand, start, size: operand


def _let_numbers_be_indexed(types: Any) -> None:
    """x[i] is x, and x.dtype what that of an array of such numbers is."""
    import operator

    from numba.core.typing.templates import AttributeTemplate
    from numba.extending import infer_getattr, lower_getattr, overload

    @overload(operator.getitem, strict=False)
    def getitem(x: Any, i: Any) -> Any:
        if isinstance(x, types.Number | types.Boolean) and isinstance(i, types.Integer):
            return lambda x, i: x
        return None

    for kind in (types.Number, types.Boolean):
        infer_getattr(type("NumberDtype", (AttributeTemplate,), {"key": kind, "resolve_dtype": _dtype_of}))
        lower_getattr(kind, "dtype")(lambda context, builder, number, value: context.get_dummy_value())


def _dtype_of(template: Any, number: Any) -> Any:
    from numba import types

    return types.DType(number)


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
    register_rows_beside()
    args = (*operands[:position], None, *operands[position + 1 :])
    return loop_for(kernel, operands, [args, steps, 0, operands[position], 0, 0, 0], over_strided_rows)


@functools.cache
def register_rows_beside() -> None:
    from numba.extending import overload

    overload(rows_beside, strict=False, jit_options={"forceinline": True})(_source)


def _source(operands: Any, steps: Any, r: Any, size: Any, beside: Any) -> Any:
    from numba import types

    positions = [k for k, operand in enumerate(operands) if not isinstance(operand, types.NoneType)]
    calls = [
        f"row(operands[{k}], steps[{k}, 1] * r, size)" if k in positions else "beside" for k in range(len(operands))
    ]
    namespace: dict[str, Any] = {"row": row}
    exec(f"def rows(operands, steps, r, size, beside):\n    return ({', '.join(calls)},)", namespace)
    return namespace["rows"]
