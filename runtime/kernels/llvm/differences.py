"""Intrinsics for distances inside numba kernels: sums over rows of what differences give, kept in vector registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import for_numba
from .vectors import Vectors

TOGETHER = 4  # vectors whose sums are independent: so many additions are under way at once


@for_numba
def square_differences(
    context: Any, like: Any, numbers: Any, rows: Any, step: Any, count: Any, out: Any, width: Any
) -> Any:
    """square_differences(like, numbers, rows, step, count, out, width): out_j += sum_t (a_t - y_tj)^2.

    All are addresses but for counts; rows of y are `step` bytes apart.
    """
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        sums = _Sums(Vectors(context, builder, like), *args[1:])
        vectors = sums.vectors

        def term(number: Any, row: Any, line: Any, total: Any) -> Any:
            apart = builder.fsub(number, row)
            return vectors.fma(apart, apart, total)

        sums.emit(term)
        return context.get_dummy_value()

    return types.void(like, *[types.int64] * 6), code


@for_numba
def weighted_differences(
    context: Any, like: Any, numbers: Any, rows: Any, step: Any, count: Any, out: Any, width: Any, line: Any
) -> Any:
    """weighted_differences(like, numbers, rows, step, count, out, width, line): out_j += sum_t w_t (x_j - y_tj).

    Rows whose weight is 0 are not looked at; x lies at `line`.
    """
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        sums = _Sums(Vectors(context, builder, like), *args[1:7])
        vectors = sums.vectors

        def term(number: Any, row: Any, line: Any, total: Any) -> Any:
            return vectors.fma(number, builder.fsub(line, row), total)

        sums.emit(term, args[7])
        return context.get_dummy_value()

    return types.void(like, *[types.int64] * 7), code


class _Sums:
    """Sums over rows, for all columns."""

    def __init__(self, vectors: Vectors, *args: Any) -> None:
        self.vectors, self.builder, self.number = vectors, vectors.builder, vectors.number
        self.numbers, self.rows, self.step, self.count, self.out, self.width = args

    def emit(self, term: Callable[..., Any], line: Any = None) -> None:
        """Blocks of several vectors, then single ones, of which the last may be narrower."""
        from numba.core import cgutils

        builder, number, lanes = self.builder, self.number, self.vectors.lanes
        block = TOGETHER * lanes
        blocks = builder.sdiv(self.width, number(block))
        with cgutils.for_range(builder, blocks) as loop:
            first = builder.mul(loop.index, number(block))
            self.columns(term, first, [None] * TOGETHER, line)
        done = builder.mul(blocks, number(block))
        left = builder.sub(self.width, done)
        singles = builder.sdiv(builder.add(left, number(lanes - 1)), number(lanes))
        with cgutils.for_range(builder, singles) as loop:
            first = builder.add(done, builder.mul(loop.index, number(lanes)))
            self.columns(term, first, [self.vectors.mask(builder.sub(self.width, first), 0)], line)

    def columns(self, term: Callable[..., Any], first: Any, masks: Sequence[Any], line: Any) -> None:
        """The sums of some vectors of columns; with a line, whose vectors terms are given, zeros are passed over."""
        from numba.core import cgutils

        builder, vectors = self.builder, self.vectors
        begin = builder.mul(first, self.number(vectors.size))
        places = [builder.add(begin, self.number(v * vectors.bytes)) for v in range(len(masks))]
        totals = [cgutils.alloca_once(builder, vectors.type) for _ in masks]
        for total, at, mask in zip(totals, places, masks, strict=True):
            builder.store(vectors.load(builder.add(self.out, at), mask), total)

        kept = [
            None if line is None else vectors.load(builder.add(line, at), m)
            for at, m in zip(places, masks, strict=True)
        ]

        def add_row(number: Any, row: Any) -> None:
            spread = vectors.spread(number)
            for total, at, mask, own in zip(totals, places, masks, kept, strict=True):
                given = vectors.load(builder.add(row, at), mask)
                builder.store(term(spread, given, own, builder.load(total)), total)

        with cgutils.for_range(builder, self.count) as loop:
            number = vectors.scalar(builder.add(self.numbers, builder.mul(loop.index, self.number(vectors.size))))
            row = builder.add(self.rows, builder.mul(loop.index, self.step))
            if line is not None:
                with builder.if_then(builder.fcmp_unordered("!=", number, vectors.ir.Constant(vectors.element, 0.0))):
                    add_row(number, row)
            else:
                add_row(number, row)
        for total, at, mask in zip(totals, places, masks, strict=True):
            vectors.store(builder.load(total), builder.add(self.out, at), mask)
