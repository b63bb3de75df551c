"""Row programs on NumPy arrays: what lies along dimensions is brought into rows, which a compiled loop computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...pool.parallel_for import shared
from ...tensor.row_shapes import Output, RowInput, row_shape
from .aligned import empty
from .folding import Folding
from .movement.copies import contiguous

Array = np.ndarray
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def run(
    name: str,
    loop: Any,
    args: Sequence[RowInput],
    numbers: Sequence[Any],
    outputs: Sequence[Output],
    dim: int | Sequence[int],
    keepdim: bool,
) -> Any:
    """The outputs of a program: an array, or a tuple of several.

    Args:
        loop: the program's, of arrays, outputs, numbers, the count of elements and a range of rows.
        dim: the dimension that a row lies along, or several.
    """
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


class TransposedRows:
    """An array seen as (before, along, after) with what lies along as its last dimension."""

    def __init__(self, result: Folding) -> None:
        self.found = result
        self.before, self.along, self.after = result.folded

    def rows(self, array: Array) -> Array:
        folded = self.found.fold(array)
        return contiguous(folded.transpose(0, 2, 1)).reshape(-1)

    def back(self, rows: Array) -> Array:
        transposed = contiguous(rows.reshape(self.before, self.after, self.along).transpose(0, 2, 1))
        return self.found.unfold(transposed)


def flat(each: RowInput, moved: TransposedRows) -> Array:
    return moved.rows(each.array) if each.kind == "row" else contiguous(each.array).reshape(-1)
