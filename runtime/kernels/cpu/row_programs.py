"""Row programs on NumPy arrays: what lies along dimensions is brought into rows, for a compiled loop and what it
calls."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...compiler.jit import WRITTEN, jit
from ...device.threads.parallel_for import shared
from ..llvm.addresses import empty_row, part_of, zero_row
from ..llvm.float16_rows import buffer_for
from .allocate_and_fill import empty, fill
from .contiguous_copy import contiguous
from .loops import copy_row
from .plan import Plan, Step, are_contiguous
from .reduce_layout import Folding, in_order, moved_dims, order_in_memory, strides_of_result, with_shape
from .row_shapes import Dim, Output, RowInput, is_missing, output_shapes, row_shape, rows_of, with_all_rows

Array = np.ndarray
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


class Loops(NamedTuple):
    """The loops of a program: over rows, and over rows that are columns of (along, after), side by side. One that sums
    over rows has none of these, but loops without the sums."""

    rows: Any
    columns: Any = None
    alone: Any = None  # Loops

    def are_columns(self, folding: Folding) -> bool:
        return folding.folded[2] > 1 and self.columns is not None


def run(
    name: str, loops: Loops, args: Sequence[RowInput], numbers: Sequence[Any], outputs: Sequence[Output],
    dim: Dim, keepdim: bool, output_mask: Sequence[bool] = (),
) -> Any:  # fmt: skip
    """The outputs of a program; loops take arrays, outputs, numbers, the sizes of rows and a range of them."""
    if loops.alone is not None and (own := without_sums(outputs, output_mask)) is not None:
        some = [outputs[k] for k in own], dim, keepdim, [output_mask[k] for k in own]
        made = run(name, loops.alone, args, numbers, *some)
        return tuple([made[own.index(k)] if k in own else None for k in range(len(outputs))])
    args = with_all_rows(args)
    result = row_shape(name, args, dim, keepdim)
    rows = rows_of(args).array
    steps = tuple([step // rows.itemsize for step in rows.strides])
    if _gives_one_number(args, outputs) and (order := order_in_memory(rows.shape, steps, result.dims)):
        transposed = [args[0]._replace(array=rows.transpose(order))]
        made = run(name, loops, transposed, numbers, outputs, moved_dims(order, result.dims), True)
        return contiguous(made.transpose(np.argsort(order))).reshape(result.result)
    if rows.dtype not in FLOATS:
        raise TypeError(f"{name}(): expected float32 or float64, but got {rows.dtype}")
    before, along, after = result.folded
    are_columns = loops.are_columns(result)
    moved = Columns(result) if are_columns or result.pieces > 1 else TransposedRows(result)
    arrays = [moved.rows(each.array) if each.kind == "row" else _flat(each, rows.dtype, result) for each in args]
    sizes = {"row": rows.size, "each": result.count, "shared": along * -(-result.count // SUMMED)}
    results = [empty(sizes[o.kind], np.dtype(o.dtype or rows.dtype)) for o in outputs]
    if are_columns:
        shared(loops.columns, (*arrays, *results, *numbers, along, after), result.count, rows.size, SHARE)
    else:
        unit = SUMMED if any(o.kind == "shared" for o in outputs) else 1
        shared(
            loops.rows,
            (*arrays, *results, *numbers, along, result.pieces, result.beside),
            result.count,
            rows.size,
            unit,
        )
    shapes = output_shapes(result, outputs, dim)
    made = [
        moved.back(r) if o.kind == "row" else _total(r, along, shape) if o.kind == "shared" else r.reshape(shape)
        for r, o, shape in zip(results, outputs, shapes, strict=True)
    ]
    if output_mask:
        return tuple([each if yes else None for each, yes in zip(made, output_mask, strict=True)])
    return made[0] if len(made) == 1 else tuple(made)


def _gives_one_number(args: Sequence[RowInput], outputs: Sequence[Output]) -> bool:
    """Whether a program gives one number for each row of one array, however that lies in memory."""
    return len(args) == len(outputs) == 1 and outputs[0].kind == "each"


def without_sums(outputs: Sequence[Output], output_mask: Sequence[bool]) -> list[int] | None:
    """The numbers of the outputs that are no sums over rows, where none of these is wanted."""
    requested = zip(outputs, output_mask or [True] * len(outputs), strict=True)
    if any(yes and output.kind == "shared" for output, yes in requested):
        return None
    return [k for k, output in enumerate(outputs) if output.kind != "shared"]


def _flat(each: RowInput, kind: np.dtype, result: Folding) -> Array:
    if each.array is None:
        return np.full(result.folded[1] if each.kind == "shared" else result.count, each.default or 0, kind)
    return contiguous(each.array).reshape(-1)


def _total(sums: Array, along: int, shape: tuple[int, ...]) -> Array:
    result = empty(along, sums.dtype)
    add_blocks(sums, result)
    return result.reshape(shape)


def plan_of(
    loops: Loops, args: Sequence[RowInput], positions: Sequence[int], numbers: Sequence[float], ints: Sequence[int],
    outputs: Sequence[Output], dim: Dim, keepdim: bool, output_mask: Sequence[bool] = (),
) -> Plan | None:  # fmt: skip
    """The plan of a call with arguments of these layouts; `positions` are those of the arrays among the arguments."""
    if loops.alone is not None and (own := without_sums(outputs, output_mask)) is not None:
        some = [outputs[k] for k in own], dim, keepdim, [output_mask[k] for k in own]
        plan = plan_of(loops.alone, args, positions, numbers, ints, *some)
        number = dict(enumerate(own))
        return plan and tuple([step.renumbered(lambda k: number.get(k, k + len(outputs))) for step in plan])
    first = next(at for at, each in zip(positions, args, strict=True) if each.array is rows_of(args).array)
    positions = [first if is_missing(each) else at for at, each in zip(positions, args, strict=True)]
    args = with_all_rows(args)
    result = row_shape("plan", args, dim, keepdim)
    _, along, after = result.folded
    if not are_contiguous(*[each.array for each in args]):
        x = args[0].array
        order = order_in_memory(x.shape, x.strides, result.dims) if _gives_one_number(args, outputs) else ()
        if not order:
            return None
        transposed = [args[0]._replace(array=x._replace(shape=tuple([x.shape[d] for d in order]), strides=None))]
        dims, strides = moved_dims(order, result.dims), strides_of_result(x, result.keepdim_shape, result.dims, keepdim)
        plan = plan_of(loops, transposed, positions, numbers, ints, outputs, dims, True)
        return plan and in_order(with_shape(plan, result.result), replace(result, made=strides))
    if not result.in_place or not prod(result.shape):
        return None
    if after > 1 and not loops.are_columns(result):
        return None
    count, totals = len(outputs), [k for k, output in enumerate(outputs) if output.kind == "shared"]
    own = [k if yes else count + k for k, yes in enumerate(output_mask or [True] * count)]  # not wanted: behind all
    made = list(zip(own, output_shapes(result, outputs, dim), strict=True))
    sums = {k: (2 * count + k, (-(-result.count // SUMMED) * along,)) for k in totals}
    fills, operands = _defaults(args, positions, 3 * count, (along, result.count))
    results = tuple([sums.get(k, each) for k, each in enumerate(made)])
    step = _step_of(loops, result, SUMMED if totals else 1)._replace(operands=operands, results=results)
    indices, masks = (tuple([own[k] for k, o in enumerate(outputs) if o.dtype == d]) for d in ("int64", "bool"))
    step = step._replace(numbers=tuple(numbers), ints=(*map(int, ints), *step.ints), indices=indices, masks=masks)
    return (*fills, step, *[Step(add_blocks, (), (sums[k], made[k])) for k in totals if own[k] < count])


def _step_of(loops: Loops, result: Folding, unit: int) -> Step:
    """The call of the loops for rows as they lie."""
    _, along, after = result.folded
    if after > 1:
        rows = (result.count, SHARE)
        return Step(loops.columns, (), (), ints=(along, after), rows=rows, work=prod(result.shape))
    ints = (along, result.pieces, result.beside)
    return Step(loops.rows, (), (), ints=ints, rows=(result.count, unit), work=prod(result.shape), row=along)


def _defaults(
    args: Sequence[RowInput], positions: Sequence[int], free: int, sizes: tuple[int, int]
) -> tuple[Plan, tuple[int, ...]]:
    """What fills arrays that stand for those which are None, as outputs from `free` on; and the operands."""
    fills, operands = [], []
    for number, (each, position) in enumerate(zip(args, positions, strict=True), free):
        if each.array is None:
            size = sizes[0] if each.kind == "shared" else sizes[1]
            fills.append(Step(fill, (), ((number, (size,)),), (each.default or 0.0,)))
        operands.append(position if each.array is not None else ~number)
    return tuple(fills), tuple(operands)


SHARE = 64  # columns of one thread, at least


class Columns:
    """An array as it lies, flat."""

    def __init__(self, folding: Folding) -> None:
        self.folding = folding

    def rows(self, array: Array) -> Array:
        return contiguous(array).reshape(-1)

    def back(self, rows: Array) -> Array:
        return rows.reshape(self.folding.shape)


class TransposedRows:
    """An array seen as (before, along, after) with what lies along as its last dimension."""

    def __init__(self, folding: Folding) -> None:
        self.folding = folding
        self.before, self.along, self.after = folding.folded

    def rows(self, array: Array) -> Array:
        folded = self.folding.fold(array)
        return contiguous(folded.transpose(0, 2, 1)).reshape(-1)

    def back(self, rows: Array) -> Array:
        transposed = contiguous(rows.reshape(self.before, self.after, self.along).transpose(0, 2, 1))
        return self.folding.unfold(transposed)


BLOCK = 1024  # elements of a row that are added in its own dtype, in vector lanes
REORDER = {"reassoc", "contract", "nsz"}


@jit(halves=WRITTEN)
def row_buffer(array: Array, n: int, pieces: int) -> Array:
    """A row for what is read or written in another dtype, or brought together: an empty one where neither is."""
    return buffer_for(array, n) if pieces == 1 else empty_row(array.dtype.type(0), n)


@jit
def first_index(row: Array, value: float) -> int:
    """The first place of a value that a row has, which may be nan; 0 of no elements."""
    for i in range(row.size):
        if row[i] == value or (value != value and row[i] != row[i]):
            return i
    return 0


@jit
def element_at(row: Array, position: int) -> float:
    return float(row[position]) if 0 <= position < row.size else np.nan


_CALLED, _CALLED_OF = 16, 2048  # rows whose numbers are computed at a time: so many, of so many elements


@jit
def rows_side_by_side(n: int) -> int:
    return max(1, min(_CALLED, _CALLED_OF // max(n, 1)))


COLUMNS = 1024  # that a loop has side by side
COLLECTED = 128  # elements of columns that are added in their own dtype
_CACHED = 1 << 18  # numbers that are kept of some columns


@jit
def columns_for(n: int) -> int:
    """How many columns of `n` elements lie side by side where something of each element is kept."""
    return max(16, min(COLUMNS, _CACHED // max(n, 1)))


WIDE = 256  # elements of lines of few columns that are read as one
LINES = 8  # of those, at least: what each column has of them is put together at the end


@jit
def merged_lines(n: int, size: int, after: int) -> tuple[int, int]:
    """How many lines a loop reads, and of how many elements: several of (n, after) are one where they are short."""
    merged = max(min(WIDE // after, n // LINES), 1) if size == after and 2 * after <= WIDE else 1
    return (n + merged - 1) // merged, size * merged


@jit
def repeat(row: Array, size: int, wide: int) -> None:
    for k in range(size, wide):
        row[k] = row[k - size]


@jit
def repeated(row: Array, buffer: Array, wide: int) -> Array:
    """The row itself, or in the buffer so often that it has `wide` elements."""
    if wide == row.size:
        return row
    for k in range(row.size):
        buffer[k] = row[k]
    repeat(buffer, row.size, wide)
    return buffer


@jit
def filled(value: float, size: int) -> Array:
    row = empty_row(value, size)
    for k in range(size):
        row[k] = value
    return row


@jit
def has_true(tests: Array) -> bool:
    result = False
    for k in range(tests.size):
        result |= tests[k]
    return result


@jit
def round_to(numbers: Array, row: Array) -> None:
    for k in range(row.size):
        row[k] = numbers[k]


@jit
def collect(parts: Array, totals: Array) -> None:
    """Add what was summed up to the totals, in double precision, and begin anew."""
    for k in range(totals.size):
        totals[k] += parts[k]
        parts[k] = 0


SUMMED = 64  # rows whose sums are in the dtype of the elements


@jit(halves=WRITTEN)
def add_blocks(sums: Array, result: Array) -> None:
    """The sum of rows, in double precision."""
    totals = zero_row(0.0, result.size)
    for begin in range(0, sums.size, max(result.size, 1)):
        row = part_of(sums, begin, result.size)
        for k in range(row.size):
            totals[k] += row[k]
    copy_row(totals, result)
