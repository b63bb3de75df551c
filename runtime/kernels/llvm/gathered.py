"""Intrinsic of the inner loop of convolutions whose vectors lie along channels: a register tile over gathered rows."""

from __future__ import annotations

from typing import Any

from ..compile.machine import vector_registers
from . import for_numba
from .vector_loops import Flat, VectorLoops, array_intrinsic

ROWS = 6  # of a tile of the widest rows
AHEAD = 8  # steps of the depth: so many before it is used, a row of the panel is asked for


@for_numba
def gathered_tile(context: Any, vectors: Any, x: Any, starts: Any, steps: Any, panel: Any, first: Any, out: Any) -> Any:
    """gathered_tile(vectors, x, starts, steps, panel, first, out) for literally 1, 2 or 4 vectors:

    out[r, j] = first[j] + sum over p of x[starts[r] + steps[p]] panel[p, j], for as many rows r as a tile of `vectors`
    has (`tile_rows`), and the elements j of so many vectors. All arrays are flat, rows of `panel` and `out` lie side by
    side.
    """
    return array_intrinsic(_write_tile, vectors.literal_value, vectors, x, starts, steps, panel, first, out)


def _write_tile(v: VectorLoops, x: Flat, starts: Flat, steps: Flat, panel: Flat, first: Flat, out: Flat) -> None:
    count = v.lines  # vectors of a row
    rows = tile_rows(count)
    lefts = [v.at(x.start, v.offset_at(starts, v.number(r))) for r in range(rows)]
    unmasked = [None] * count
    start = v.load_all(first.start, unmasked)
    row_bytes = count * v.bytes

    def add(p: Any, *sums: Any) -> list[Any]:
        step = v.times(v.offset_at(steps, p), v.size)
        right = v.plus(panel.start, v.times(p, row_bytes))
        v.prefetch_all(v.plus(right, AHEAD * row_bytes), count)
        values = v.load_all(right, unmasked)
        return v.add_products([v.splat(v.scalar(v.plus(left, step))) for left in lefts], values, sums)

    sums = v.loop(steps.size, 1, start * rows, add)
    for r in range(rows):
        v.store_all(sums[r * count : (r + 1) * count], v.plus(out.start, r * row_bytes), unmasked)


def tile_rows(vectors: int) -> int:
    """The rows of a tile of so many vectors: sums leave room in the registers for the operands of a step."""
    return ROWS * vector_registers()[1] // vectors
