"""Intrinsics for a convolution of one picture with a small odd square kernel that keeps its size, and for its gradient.

A strip of one or two vectors' columns goes down the picture: each row is read once, and shifted in registers. The sums
of the rows that it is part of stay in registers too. What lies outside the picture is masked out when it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from . import for_numba
from .vector_loops import Flat, VectorLoops, array_intrinsic


@for_numba
def stencil(
    context: Any, kernel: Any, x: Any, w: Any, mirrored: Any, bias: Any, out: Any, rows: Any, columns: Any
) -> Any:
    """stencil(kernel, x, w, mirrored, bias, out, rows, columns) with a literal kernel size K = 2 p + 1:

    out[i, j] = bias[0] + sum over a, b < K of w[a, b] x[i + a - p, j + b - p] for rows x columns, at least K rows; with
    w[K - 1 - a, K - 1 - b] in place of w[a, b] if mirrored is not 0.
    """
    return array_intrinsic(
        partial(_write_stencil, kernel.literal_value), 1, kernel, x, w, mirrored, bias, out, rows, columns
    )


@for_numba
def stencil_backward(
    context: Any, kernel: Any, g: Any, g_step: Any, x: Any, x_step: Any, out: Any, rows: Any, columns: Any, samples: Any
) -> Any:
    """stencil_backward(kernel, g, g_step, x, x_step, out, rows, columns, samples) with a literal kernel size K:

    out[a, b] += sum over n < samples and all i, j of g[n g_step + (i, j)] x[n x_step + (i + a - p, j + b - p)].
    """
    return array_intrinsic(
        partial(_write_backward, kernel.literal_value), 1, kernel, g, g_step, x, x_step, out, rows, columns, samples
    )


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
        """The address of the strip in a row."""
        v = self.v
        return v.at(picture, v.plus(v.times(number, self.columns), self.column))

    def shifted(self, picture: Any, number: Any) -> list[list[Any]]:
        """For each column of the kernel, the vectors that it sees in a row."""
        v, start = self.v, self.row(picture, number)
        seen = [v.load(v.plus(start, (k - self.beside) * v.bytes), mask) for k, mask in enumerate(self.all_masks)]
        ways = range(-(self.kernel // 2), self.kernel // 2 + 1)
        return [[self._moved(seen, self.beside + k, by) for k in range(self.width)] for by in ways]

    def _moved(self, seen: Sequence[Any], k: int, by: int) -> Any:
        """Vector k of neighbouring ones, moved so that its first lane is `by` lanes further on."""
        vectors, start = divmod(by, self.v.lanes)
        low = k + vectors
        if start == 0:
            return seen[low]
        return self.v.shuffled(seen[low], seen[low + 1], [start + lane for lane in range(self.v.lanes)])

    def masks_if(self, condition: Any) -> list[Any]:
        """The masks of the strip's vectors, or of no lanes."""
        all_lanes = self.v.splat(condition)
        return [self.v.builder.and_(mask, all_lanes) for mask in self.masks]


def _over_strips(v: VectorLoops, columns: Any, kernel: int, strip: Callable[[_Strip], None]) -> None:
    """Strips of two vectors, and one of one vector for what is no wider."""
    two = 2 * v.lanes
    full = v.largest_multiple(v.plus(columns, v.lanes - 1), two)
    v.loop(full, two, [], lambda column: strip(_Strip(v, column, 2, columns, kernel)))
    with v.builder.if_then(v.builder.icmp_signed("<", full, columns)):
        strip(_Strip(v, full, 1, columns, kernel))


def _write_stencil(
    kernel: int, v: VectorLoops, x: Flat, w: Flat, mirrored: Any, bias: Flat, out: Flat, rows: Any, columns: Any
) -> None:
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


def _write_backward(kernel: int, v: VectorLoops, g: Flat, g_step: Any, x: Flat, x_step: Any, *target: Any) -> None:
    out, rows, columns, samples = target
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
    """The strip of a row, zeros if there is no such row."""
    v = strip.v
    inside = v.builder.and_(v.builder.icmp_signed(">=", number, v.number(0)), v.builder.icmp_signed("<", number, rows))
    return v.load_all(strip.row(g, number), strip.masks_if(inside))
