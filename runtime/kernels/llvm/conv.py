"""Intrinsics of convolutions. For a small odd square kernel, a strip of one or two vectors' columns goes down the
picture: each row is read once and shifted in registers. With vectors along channels: a register tile over gathered
rows. Else sums over shifted rows; no im2col. Arrays are flat; offsets and strides count elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...compiler.passes.target import vector_registers
from .intrinsics import of_arrays
from .vectors import Flat, Masks, VectorLoops


class _Strip:
    """Some vectors' columns of a picture, and as many beside them as a kernel sees."""

    def __init__(self, v: VectorLoops, column: Any, width: int, columns: Any, kernel: int) -> None:
        self.v, self.column, self.width, self.columns, self.kernel = v, column, width, columns, kernel
        self.beside = -(-(kernel // 2) // v.lanes)  # vectors at each side
        lanes = v.ir.Constant(v.ir.VectorType(v.ir.IntType(64), v.lanes), list(range(v.lanes)))
        tap_order = [
            v.builder.add(v.splat(v.plus(column, k * v.lanes)), lanes) for k in range(-self.beside, width + self.beside)
        ]
        zero, end = v.splat(v.number(0)), v.splat(columns)
        masks = [
            v.builder.and_(v.builder.icmp_signed(">=", p, zero), v.builder.icmp_signed("<", p, end)) for p in tap_order
        ]
        self.all_masks, self.masks = masks, masks[self.beside : self.beside + width]

    def row(self, picture: Any, number: Any) -> Any:
        v = self.v
        return v.at(picture, v.plus(v.times(number, self.columns), self.column))

    def shifted(self, picture: Any, number: Any) -> list[list[Any]]:
        v, start = self.v, self.row(picture, number)
        seen = [v.load(v.plus(start, (k - self.beside) * v.bytes), mask) for k, mask in enumerate(self.all_masks)]
        ways = range(-(self.kernel // 2), self.kernel // 2 + 1)
        return [[self._moved(seen, self.beside + k, by) for k in range(self.width)] for by in ways]

    def _moved(self, seen: Sequence[Any], k: int, by: int) -> Any:
        vectors, start = divmod(by, self.v.lanes)
        low = k + vectors
        if start == 0:
            return seen[low]
        return self.v.shuffled(seen[low], seen[low + 1], [start + lane for lane in range(self.v.lanes)])

    def masks_if(self, condition: Any) -> list[Any]:
        all_lanes = self.v.splat(condition)
        return [self.v.builder.and_(mask, all_lanes) for mask in self.masks]


def _over_strips(v: VectorLoops, columns: Any, kernel: int, strip: Callable[[_Strip], None]) -> None:
    two = 2 * v.lanes
    full = v.largest_multiple(v.plus(columns, v.lanes - 1), two)
    v.loop(full, two, [], lambda column: strip(_Strip(v, column, 2, columns, kernel)))
    with v.builder.if_then(v.builder.icmp_signed("<", full, columns)):
        strip(_Strip(v, full, 1, columns, kernel))


@of_arrays(literal=True)
def stencil(
    v: VectorLoops, kernel: int, x: Flat, w: Flat, mirrored: Any, bias: Flat, out: Flat, rows: Any, columns: Any
) -> None:
    """with a literal kernel size K = 2 p + 1: out[i, j] = bias[0] + sum over a, b < K of w[a, b] x[i + a - p, j + b -
    p] for rows x columns, at least K rows; with w[K - 1 - a, K - 1 - b] in place of w[a, b] if mirrored is not 0."""
    p, last = kernel // 2, kernel * kernel - 1
    straight = v.builder.icmp_signed("==", mirrored, v.number(0))
    tap_order = [v.builder.select(straight, v.number(k), v.number(last - k)) for k in range(last + 1)]
    weights = [v.splat(v.scalar(v.at(w.start, tap))) for tap in tap_order]
    start = v.splat(v.scalar(bias.start))

    def down(strip: _Strip) -> None:
        def row(r: Any, *open_sums: Any) -> list[Any]:
            """Row r is seen by rows r - p to r + p; the first of them is complete then."""
            sums = [*open_sums, *[start] * strip.width]
            for b, vectors in enumerate(strip.shifted(x.start, r)):
                for i, total in enumerate(sums):
                    a = kernel - 1 - i // strip.width
                    sums[i] = v.fma(weights[a * kernel + b], vectors[i % strip.width], total)
            done = v.plus(r, -p)
            inside = v.builder.icmp_signed(">=", done, v.number(0))
            v.store_all(sums[: strip.width], strip.row(out.start, done), strip.masks_if(inside))
            return sums[strip.width :]

        result = v.loop(rows, 1, [start] * (kernel - 1) * strip.width, row)
        for i in range(p):
            at = strip.row(out.start, v.plus(rows, i - p))
            v.store_all(result[i * strip.width : (i + 1) * strip.width], at, strip.masks)

    _over_strips(v, columns, kernel, down)


@of_arrays(literal=True)
def stencil_backward(
    v: VectorLoops, kernel: int, g: Flat, g_step: Any, x: Flat, x_step: Any, out: Flat, rows: Any, columns: Any,
    samples: Any,
) -> None:  # fmt: skip
    """with a literal kernel size K: out[a, b] += sum over n < samples and all i, j of g[n g_step + (i, j)] x[n x_step +
    (i + a - p, j + b - p)]."""
    unroll = 3 if kernel == 3 else 1  # rows of the kernel whose sums fill the registers

    def down(strip: _Strip) -> None:
        for first in range(0, kernel, unroll):
            lines = range(first, first + unroll)

            def over_samples(n: Any, *sums: Any, lines: range = lines) -> list[Any]:
                own_g, own_x = v.row(g.start, g_step, n), v.row(x.start, x_step, n)

                def row(r: Any, *sums: Any) -> list[Any]:
                    vectors = strip.shifted(own_x, r)
                    grads = [_gradient_row(strip, own_g, v.plus(r, kernel // 2 - a), rows) for a in lines]
                    totals = list(sums)
                    for k in range(strip.width):
                        lefts, rights = [grad[k] for grad in grads], [seen[k] for seen in vectors]
                        totals = v.add_products(lefts, rights, totals)
                    return totals

                return v.loop(rows, 1, sums, row)

            result = v.loop(samples, 1, [v.zero] * (unroll * kernel), over_samples)
            for i, total in enumerate(result):
                v.add_to(v.at(out.start, first * kernel + i), total)

    _over_strips(v, columns, kernel, down)


def _gradient_row(strip: _Strip, g: Any, number: Any, rows: Any) -> list[Any]:
    v = strip.v
    inside = v.builder.and_(v.builder.icmp_signed(">=", number, v.number(0)), v.builder.icmp_signed("<", number, rows))
    return v.load_all(strip.row(g, number), strip.masks_if(inside))


ROWS = 6  # of a tile of the widest rows
AHEAD = 8  # steps of the depth: so many before it is used, a row of the panel is asked for


@of_arrays(None, literal=True)
def gathered_tile(
    v: VectorLoops, count: int, x: Flat, starts: Flat, steps: Flat, panel: Flat, first: Flat, out: Flat
) -> None:
    """out[r, j] = first[j] + sum over p of x[starts[r] + steps[p]] panel[p, j], for the rows r of a tile of literally
    1, 2 or 4 `vectors` (`tile_rows`), and the elements j of these."""
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


@of_arrays(None, literal=True)
def weighted_rows(
    v: VectorLoops, lines: int, x: Flat, offsets: Flat, w: Flat, weight_offsets: Flat, w_row: Any, bias: Flat,
    out: Flat, out_row: Any, columns: Any,
) -> None:  # fmt: skip
    """for literally 1, 2 or 4 rows: out[r out_row + j] = bias[r] + sum over p of w[weight_offsets[p] + r w_row]
    x[places[p] + j], for j in range(columns)."""
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


@of_arrays(None, literal=True)
def correlated_rows(
    v: VectorLoops, lines: int, g: Flat, g_row: Any, g_step: Any, x: Flat, x_step: Any, offsets: Flat, out: Flat,
    out_row: Any, samples: Any, columns: Any,
) -> None:  # fmt: skip
    """for 1, 2 or 4 rows: out[r out_row + p] += sum over n < samples, j < columns of g[r g_row + n g_step + j]
    x[places[p] + n x_step + j]."""
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


@of_arrays()
def copied_rows(v: VectorLoops, out: Flat, out_row: Any, x: Flat, x_row: Any, rows: Any, columns: Any) -> None:
    def copy(source: Any, target: Any, rest: Any = None) -> None:
        mask = None if rest is None else v.mask(rest, 0)
        v.store(v.load(source, mask), target, mask)

    _row_by_row(v, copy, (1, 1), out, out_row, x, x_row, rows, columns)


@of_arrays()
def halved_rows(v: VectorLoops, out: Flat, out_row: Any, x: Flat, x_row: Any, rows: Any, columns: Any) -> None:
    evens = list(range(0, 2 * v.lanes, 2))

    def copy(source: Any, target: Any, rest: Any = None) -> None:
        lane_count = v.number(v.lanes) if rest is None else rest
        masks = [v.mask(v.plus(v.times(lane_count, 2), -1), k) for k in (0, 1)]  # the last odd one may lie outside
        low, high = v.load_all(source, masks)
        v.store(v.shuffled(low, high, evens), target, None if rest is None else v.mask(rest, 0))

    _row_by_row(v, copy, (2, 1), out, out_row, x, x_row, rows, columns)


@of_arrays()
def doubled_rows(v: VectorLoops, out: Flat, out_row: Any, x: Flat, x_row: Any, rows: Any, columns: Any) -> None:
    def copy(source: Any, target: Any, rest: Any = None) -> None:
        vector = v.load(source, None if rest is None else v.mask(rest, 0))
        lane_count = v.times(v.number(v.lanes) if rest is None else rest, 2)
        twice = [v.shuffled(vector, vector, [(half * v.lanes + k) // 2 for k in range(v.lanes)]) for half in (0, 1)]
        v.store_all(twice, target, [v.builder.and_(v.mask(lane_count, k), v.evens()) for k in (0, 1)])

    _row_by_row(v, copy, (1, 2), out, out_row, x, x_row, rows, columns)


def _row_by_row(
    v: VectorLoops, copy: Callable[..., None], steps: tuple[int, int], out: Flat, out_row: Any, *rest: Any
) -> None:
    """copy(source, target) for each whole vector of each row, and copy(source, target, elements) for its rest. `steps`
    are those from element to element of the source and of the target."""
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
