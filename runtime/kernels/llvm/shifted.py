"""Intrinsics for sums over shifted rows, the inner loops of convolutions, and for copies of many short rows.

A convolution adds up its input, shifted by each offset of the kernel, times a weight, and the gradient of a weight is
the product of two planes, one of them shifted: no im2col. Sums stay in vector registers, as in tiles.py. Arrays are
flat and begin where the work begins; offsets (`places`) and strides count elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import for_numba
from .vector_loops import Flat, Masks, VectorLoops, array_intrinsic


@for_numba
def weighted_rows(
    context: Any,
    rows: Any,
    x: Any,
    offsets: Any,
    w: Any,
    weight_offsets: Any,
    w_row: Any,
    bias: Any,
    out: Any,
    out_row: Any,
    columns: Any,
) -> Any:
    """weighted_rows(rows, x, places, w, weight_offsets, w_row, bias, out, out_row, columns) for literally 1, 2 or 4 rows:

    out[r out_row + j] = bias[r] + sum over p of w[weight_offsets[p] + r w_row] x[places[p] + j], for j in range(columns).
    """
    return array_intrinsic(
        _write_weighted, rows.literal_value, rows, x, offsets, w, weight_offsets, w_row, bias, out, out_row, columns
    )


def _write_weighted(
    v: VectorLoops, x: Flat, offsets: Flat, w: Flat, weight_offsets: Flat, w_row: Any, bias: Flat, *target: Any
) -> None:
    out, out_row, columns = target
    weights, outs = v.rows(w.start, w_row), v.rows(out.start, out_row)
    starts = [v.splat(v.scalar(v.at(bias.start, r))) for r in range(v.lines)]

    def tile(column: Any, masks: Masks) -> None:
        def add(p: Any, *sums: Any) -> list[Any]:
            values = v.load_all(v.at(v.at(x.start, column), v.offset_at(offsets, p)), masks)
            offset_at = v.offset_at(weight_offsets, p)
            return v.add_products([v.splat(v.scalar(v.at(weight, offset_at))) for weight in weights], values, sums)

        width = len(masks)
        sums = v.loop(offsets.size, 1, [start for start in starts for _ in masks], add)
        for r, address in enumerate(outs):
            v.store_all(sums[r * width : (r + 1) * width], v.at(address, column), masks)

    v.cover(columns, tile)


@for_numba
def correlated_rows(
    context: Any,
    rows: Any,
    g: Any,
    g_row: Any,
    g_step: Any,
    x: Any,
    x_step: Any,
    offsets: Any,
    out: Any,
    out_row: Any,
    samples: Any,
    columns: Any,
) -> Any:
    """correlated_rows(rows, g, g_row, g_step, x, x_step, places, out, out_row, samples, columns) for 1, 2 or 4 rows:

    out[r out_row + p] += sum over n < samples, j < columns of g[r g_row + n g_step + j] x[places[p] + n x_step + j].
    """
    kinds = (g, g_row, g_step, x, x_step, offsets, out, out_row, samples, columns)
    return array_intrinsic(_write_correlated, rows.literal_value, rows, *kinds)


def _write_correlated(
    v: VectorLoops, g: Flat, g_row: Any, g_step: Any, x: Flat, x_step: Any, offsets: Flat, *target: Any
) -> None:
    out, out_row, samples, columns = target
    outs = v.rows(out.start, out_row)
    full = v.largest_multiple(columns, v.lanes)
    rest = v.builder.sub(columns, full)

    def tile(first: Any, width: int) -> None:
        shifts = [v.offset_at(offsets, v.plus(first, k)) for k in range(width)]

        def over_samples(n: Any, *sums: Any) -> list[Any]:
            grads = v.rows(v.row(g.start, g_step, n), g_row)
            values = [v.at(v.row(x.start, x_step, n), shift) for shift in shifts]

            def add(j: Any, *sums: Any, mask: Any = None) -> list[Any]:
                lefts, rights = ([v.load(v.at(one, j), mask) for one in lane_count] for lane_count in (grads, values))
                return v.add_products(lefts, rights, sums)

            wholes = v.loop(full, v.lanes, sums, add)
            return v.loop(rest, v.lanes, wholes, lambda _, *sums: add(full, *sums, mask=v.mask(rest, 0)))

        result = v.loop(samples, 1, [v.zero] * (v.lines * width), over_samples)
        for i, total in enumerate(result):
            v.add_to(v.at(outs[i // width], v.plus(first, i % width)), total)

    v.split(offsets.size, tile)


@for_numba
def copied_rows(context: Any, out: Any, out_row: Any, x: Any, x_row: Any, rows: Any, columns: Any) -> Any:
    """copied_rows(out, out_row, x, x_row, rows, columns):

    out[r out_row + j] = x[r x_row + j], for r in range(rows), j in range(columns); nothing else is written.
    """
    return array_intrinsic(_write_copied, 1, None, out, out_row, x, x_row, rows, columns)


@for_numba
def halved_rows(context: Any, out: Any, out_row: Any, x: Any, x_row: Any, rows: Any, columns: Any) -> Any:
    """halved_rows(out, out_row, x, x_row, rows, columns): out[r out_row + j] = x[r x_row + 2 j]."""
    return array_intrinsic(_write_halved, 1, None, out, out_row, x, x_row, rows, columns)


@for_numba
def doubled_rows(context: Any, out: Any, out_row: Any, x: Any, x_row: Any, rows: Any, columns: Any) -> Any:
    """doubled_rows(out, out_row, x, x_row, rows, columns): out[r out_row + 2 j] = x[r x_row + j]."""
    return array_intrinsic(_write_doubled, 1, None, out, out_row, x, x_row, rows, columns)


def _write_copied(v: VectorLoops, out: Flat, out_row: Any, x: Flat, x_row: Any, rows: Any, columns: Any) -> None:
    def copy(source: Any, target: Any, rest: Any = None) -> None:
        mask = None if rest is None else v.mask(rest, 0)
        v.store(v.load(source, mask), target, mask)

    _row_by_row(v, copy, (1, 1), out, out_row, x, x_row, rows, columns)


def _write_halved(v: VectorLoops, out: Flat, out_row: Any, x: Flat, x_row: Any, rows: Any, columns: Any) -> None:
    evens = list(range(0, 2 * v.lanes, 2))

    def copy(source: Any, target: Any, rest: Any = None) -> None:
        lane_count = v.number(v.lanes) if rest is None else rest
        masks = [v.mask(v.plus(v.times(lane_count, 2), -1), k) for k in (0, 1)]  # the last odd one may lie outside
        low, high = v.load_all(source, masks)
        v.store(v.shuffled(low, high, evens), target, None if rest is None else v.mask(rest, 0))

    _row_by_row(v, copy, (2, 1), out, out_row, x, x_row, rows, columns)


def _write_doubled(v: VectorLoops, out: Flat, out_row: Any, x: Flat, x_row: Any, rows: Any, columns: Any) -> None:
    def copy(source: Any, target: Any, rest: Any = None) -> None:
        vector = v.load(source, None if rest is None else v.mask(rest, 0))
        lane_count = v.times(v.number(v.lanes) if rest is None else rest, 2)
        twice = [v.shuffled(vector, vector, [(half * v.lanes + k) // 2 for k in range(v.lanes)]) for half in (0, 1)]
        v.store_all(twice, target, [v.builder.and_(v.mask(lane_count, k), v.evens()) for k in (0, 1)])

    _row_by_row(v, copy, (1, 2), out, out_row, x, x_row, rows, columns)


def _row_by_row(
    v: VectorLoops, copy: Callable[..., None], steps: tuple[int, int], out: Flat, out_row: Any, *rest: Any
) -> None:
    """copy(source, target) for each whole vector of each row, and copy(source, target, elements) for its rest.

    `steps` are those from element to element of the source and of the target.
    """
    x, x_row, rows, columns = rest
    full = v.largest_multiple(columns, v.lanes)
    left = v.builder.sub(columns, full)

    def copy_row(r: Any) -> None:
        source, target = v.row(x.start, x_row, r), v.row(out.start, out_row, r)

        def copy_at(j: Any, *rest: Any) -> None:
            copy(v.at(source, v.times(j, steps[0])), v.at(target, v.times(j, steps[1])), *rest)

        v.loop(full, v.lanes, [], copy_at)
        v.loop(left, v.lanes, [], lambda _: copy_at(full, left))

    v.loop(rows, 1, [], copy_row)
