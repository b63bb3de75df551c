"""Row programs on NumPy arrays: what lies along dimensions is brought into rows, for a compiled loop and what it
calls."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...compiler.jit import jit
from ...device.threads.parallel_for import shared
from .allocate_and_fill import empty
from .contiguous_copy import contiguous
from .plan import Plan, Step, are_contiguous
from .reduce_layout import Folding
from .row_shapes import Output, RowInput, row_shape, wrapped

Array = np.ndarray
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def run(
    name: str, loop: Any, args: Sequence[RowInput], numbers: Sequence[Any], outputs: Sequence[Output],
    dim: int | Sequence[int], keepdim: bool,
) -> Any:  # fmt: skip
    """The outputs of a program; `loop` takes arrays, outputs, numbers, the count of elements and a range of rows."""
    result = row_shape(name, args, dim, keepdim)
    rows = next(each.array for each in args if each.kind == "row")
    if rows.dtype not in FLOATS:
        raise TypeError(f"{name}(): expected float32 or float64, but got {rows.dtype}")
    moved = TransposedRows(result)
    arrays = [flat(each, moved) for each in args]
    results = [
        empty(result.count * (moved.along if o.kind == "row" else 1), np.dtype(o.dtype or rows.dtype)) for o in outputs
    ]
    shared(loop, (*arrays, *results, *numbers, moved.along), result.count, rows.size)
    made = [
        moved.back(r) if o.kind == "row" else r.reshape(result.result) for r, o in zip(results, outputs, strict=True)
    ]
    return made[0] if len(made) == 1 else tuple(made)


def plan_of(
    loop: Any, args: Sequence[RowInput], positions: Sequence[int], numbers: Sequence[float], ints: Sequence[int],
    outputs: Sequence[Output], dim: int | Sequence[int], keepdim: bool,
) -> Plan | None:  # fmt: skip
    """The plan of a call with arguments of these layouts; `positions` are those of the arrays among the arguments."""
    result = row_shape("plan", args, dim, keepdim)
    shape = next(each.array.shape for each in args if each.kind == "row")
    dims = wrapped("plan", dim, len(shape))
    is_last = dims == tuple(range(len(shape) - len(dims), len(shape)))
    if not is_last or not prod(shape) or not are_contiguous(*[each.array for each in args]):
        return None
    made = tuple([(k, shape if each.kind == "row" else result.result) for k, each in enumerate(outputs)])
    indices, masks = (tuple([k for k, o in enumerate(outputs) if o.dtype == kind]) for kind in ("int64", "bool"))
    along = prod(shape) // result.count
    step = Step(loop, tuple(positions), made, tuple(numbers), (*map(int, ints), along), (result.count, 1), prod(shape))
    return (step._replace(indices=indices, masks=masks),)


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


def flat(each: RowInput, moved: TransposedRows) -> Array:
    return moved.rows(each.array) if each.kind == "row" else contiguous(each.array).reshape(-1)


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
