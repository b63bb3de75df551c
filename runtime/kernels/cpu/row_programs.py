"""Row programs on NumPy arrays: what lies along dimensions is brought into rows, for a compiled loop and what it
calls."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...compiler.jit import jit
from ...device.threads.parallel_for import shared
from ..llvm.addresses import empty_row
from .allocate_and_fill import empty
from .contiguous_copy import contiguous
from .plan import Plan, Step, are_contiguous
from .reduce_layout import Folding
from .row_shapes import Dim, Output, RowInput, row_shape

Array = np.ndarray
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


class Loops(NamedTuple):
    """The loops of a program: over rows, and over rows that are columns of (along, after), side by side."""

    rows: Any
    columns: Any
    long: bool = False  # whether an element takes so long that it is worth a copy to have many of them side by side

    def are_columns(self, folding: Folding) -> bool:
        """Whether rows are read as columns: few of many elements are brought into rows."""
        _, along, after = folding.folded
        return after > 1 and (after >= NARROW or not self.long or along * folding.count <= MAX_NARROW_ELEMENTS)


NARROW = 16  # columns
MAX_NARROW_ELEMENTS = 1 << 10


def run(
    name: str, loops: Loops, args: Sequence[RowInput], numbers: Sequence[Any], outputs: Sequence[Output],
    dim: Dim, keepdim: bool,
) -> Any:  # fmt: skip
    """The outputs of a program; loops take arrays, outputs, numbers, the sizes of rows and a range of them."""
    result = row_shape(name, args, dim, keepdim)
    rows = next(each.array for each in args if each.kind == "row")
    if rows.dtype not in FLOATS:
        raise TypeError(f"{name}(): expected float32 or float64, but got {rows.dtype}")
    before, along, after = result.folded
    are_columns = loops.are_columns(result)
    moved = Columns(result) if are_columns else TransposedRows(result)
    arrays = [moved.rows(each.array) if each.kind == "row" else contiguous(each.array).reshape(-1) for each in args]
    results = [
        empty(result.count * (along if o.kind == "row" else 1), np.dtype(o.dtype or rows.dtype)) for o in outputs
    ]
    if are_columns:
        shared(loops.columns, (*arrays, *results, *numbers, along, after), result.count, rows.size, SHARE)
    else:
        shared(loops.rows, (*arrays, *results, *numbers, along), result.count, rows.size)
    made = [
        moved.back(r) if o.kind == "row" else r.reshape(result.result) for r, o in zip(results, outputs, strict=True)
    ]
    return made[0] if len(made) == 1 else tuple(made)


def plan_of(
    loops: Loops, args: Sequence[RowInput], positions: Sequence[int], numbers: Sequence[float], ints: Sequence[int],
    outputs: Sequence[Output], dim: Dim, keepdim: bool,
) -> Plan | None:  # fmt: skip
    """The plan of a call with arguments of these layouts; `positions` are those of the arrays among the arguments."""
    result = row_shape("plan", args, dim, keepdim)
    shape = next(each.array.shape for each in args if each.kind == "row")
    before, along, after = result.folded
    if result.order or not prod(shape) or not are_contiguous(*[each.array for each in args]):
        return None
    if after > 1 and not loops.are_columns(result):
        return None
    made = tuple([(k, shape if each.kind == "row" else result.result) for k, each in enumerate(outputs)])
    indices, masks = (tuple([k for k, o in enumerate(outputs) if o.dtype == kind]) for kind in ("int64", "bool"))
    loop, sizes, unit = (loops.rows, (along,), 1) if after == 1 else (loops.columns, (along, after), SHARE)
    rows = (result.count, unit)
    step = Step(loop, tuple(positions), made, tuple(numbers), (*map(int, ints), *sizes), rows, prod(shape))
    return (step._replace(indices=indices, masks=masks, row=along if after == 1 else 0),)


SHARE = 64  # columns of one thread, at least


class Columns:
    """An array seen as (before, along, after), flat."""

    def __init__(self, folding: Folding) -> None:
        self.folding = folding

    def rows(self, array: Array) -> Array:
        return self.folding.fold(array).reshape(-1)

    def back(self, rows: Array) -> Array:
        return self.folding.unfold(rows)


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
