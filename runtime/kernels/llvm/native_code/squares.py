"""Squares of elements, transposed in vectors of sixteen bytes, as native code has them on any processor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from .typed import HALF, WORD, Nothing, Word, instruction, word_at

BYTES = 16  # of a row of a square


@instruction(Nothing, Word, Word, Word, Word)
def turn_halves(builder: Any, to: Any, to_row: Any, source: Any, row: Any) -> Any:
    """turn_halves(to, to_row, source, row): four columns of four times four bytes, written as rows; steps in bytes."""
    _turn(builder, HALF, to, to_row, source, row)


@instruction(Nothing, Word, Word, Word, Word)
def transpose_slots(builder: Any, to: Any, to_row: Any, source: Any, row: Any) -> Any:
    """transpose_slots(to, to_row, source, row): the same of two columns of two words."""
    _turn(builder, WORD, to, to_row, source, row)


def _turn(builder: Any, element: Any, to: Any, to_row: Any, source: Any, row: Any) -> None:
    count, size = 8 * BYTES // element.width, element.width // 8
    kind = ir.VectorType(element, count)
    offsets = [builder.mul(row, WORD(i)) for i in range(count)]
    read = [builder.load(word_at(builder, source, offset, kind), align=size) for offset in offsets]
    for i, vector in enumerate(transposed(builder, read)):
        builder.store(vector, word_at(builder, to, builder.mul(to_row, WORD(i)), kind), align=size)


def transposed(builder: Any, rows: Sequence[Any]) -> list[Any]:
    """The transpose of vectors of as many lanes: squares of 1, 2, 4, ... lanes change places between rows."""
    rows, lanes, step = list(rows), len(rows), 1
    while step < lanes:
        low = [j - step + lanes if j & step else j for j in range(lanes)]
        high = [j + lanes if j & step else j + step for j in range(lanes)]
        for i in (i for i in range(lanes) if not i & step):
            a, b = rows[i], rows[i + step]
            rows[i], rows[i + step] = shuffled(builder, a, b, low), shuffled(builder, a, b, high)
        step *= 2
    return rows


def shuffled(builder: Any, a: Any, b: Any, offsets: Sequence[int]) -> Any:
    """The lanes of `a`, and behind them those of `b`, at the given places."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), len(offsets)), list(offsets)))
