"""Intrinsic of sums of rows that are picked from a table: they stay in registers while all rows are read."""

from __future__ import annotations

from typing import Any

from . import for_numba
from .vector_loops import Flat, Masks, VectorLoops, array_intrinsic

AHEAD = 12  # rows: so many before it is added, one is asked for
LINES = 4  # of the sizes of tiles: see `VectorLoops`


@for_numba
def sum_of_rows(context: Any, table: Any, offsets: Any, factors: Any, first: Any, last: Any, out: Any) -> Any:
    """sum_of_rows(table, places, factors, first, last, out): out[j] += sum over k of factors[k] table[places[k] + j].

    All arrays are flat, k goes from `first` to `last`, and there are AHEAD more places than that.
    """
    return array_intrinsic(_write, LINES, None, table, offsets, factors, first, last, out)


def _write(v: VectorLoops, table: Flat, offsets: Flat, factors: Flat, first: Any, last: Any, out: Flat) -> None:
    count = v.builder.sub(last, first)

    def tile(column: Any, masks: Masks) -> None:
        start = v.at(table.start, column)

        def add(k: Any, *sums: Any) -> list[Any]:
            offset_at = v.plus(first, k)
            v.prefetch_all(v.at(start, v.offset_at(offsets, v.plus(offset_at, AHEAD))), len(masks))
            row = v.load_all(v.at(start, v.offset_at(offsets, offset_at)), masks)
            return v.add_products([v.splat(v.scalar(v.at(factors.start, offset_at)))], row, sums)

        def add_two(k: Any, *sums: Any) -> list[Any]:
            return [*add(k, *sums[: len(masks)]), *add(v.plus(k, 1), *sums[len(masks) :])]

        to, pairs = v.at(out.start, column), v.largest_multiple(count, 2)
        # Of every second row apart: one addition need not wait for the other.
        sums = v.loop(pairs, 2, [*v.load_all(to, masks), *[v.zero] * len(masks)], add_two)
        added = [v.builder.fadd(*both) for both in zip(sums, sums[len(masks) :], strict=False)]
        rest = v.builder.sub(count, pairs)
        v.store_all(v.loop(rest, 1, added, lambda _, *sums: add(pairs, *sums)), to, masks)

    v.cover(out.size, tile)
