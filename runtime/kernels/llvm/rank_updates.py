"""Intrinsics for rows of matrices that change, by products or rotations, and for many small matrices side by side, in
neighbouring lanes. Rows are a multiple of WIDTH numbers: sums have the same order whatever a register holds."""

from __future__ import annotations

from typing import Any

from .intrinsics import of_elements
from .vectors import Vectors

WIDTH = 16  # a multiple of all processors' lanes
ROWS = 4  # that go through the columns together


@of_elements()
def rank_two_product(
    vectors: Vectors, a: Any, row: Any, width: Any, x: Any, b: Any, y: Any, d: Any, factors: Any, out: Any
) -> None:
    """a_i -= x_i b + y_i d, out += sum_i f_i a_i, at addresses; ROWS rows are so many bytes apart."""
    builder = vectors.builder
    rows = [vectors.address(a, row, i) for i in range(ROWS)]
    columns = [[_splat(vectors, column, i) for i in range(ROWS)] for column in (x, y, factors)]
    less, other = ([builder.fneg(value) for value in column] for column in columns[:2])
    with _vectors_of(vectors, width) as at:
        first, second, total = (vectors.load(builder.add(start, at)) for start in (b, d, out))
        for i, start in enumerate(rows):
            here = builder.add(start, at)
            value = vectors.fma(less[i], first, vectors.fma(other[i], second, vectors.load(here)))
            vectors.store(value, here)
            total = vectors.fma(columns[2][i], value, total)
        vectors.store(total, builder.add(out, at))


@of_elements()
def row_products(vectors: Vectors, a: Any, row: Any, width: Any, x: Any, out: Any) -> None:
    from numba.core import cgutils

    builder = vectors.builder
    parts = range(WIDTH // vectors.lanes)
    sums = [[cgutils.alloca_once_value(builder, vectors.zero) for _ in parts] for _ in range(ROWS)]
    with _vectors_of(vectors, width, WIDTH) as at:
        for part in parts:
            offset = builder.add(at, vectors.number(part * vectors.bytes))
            value = vectors.load(builder.add(x, offset))
            for i in range(ROWS):
                other = vectors.load(vectors.address(builder.add(a, offset), row, i))
                total = vectors.fma(other, value, builder.load(sums[i][part]))
                builder.store(total, sums[i][part])
    for i, row_sums in enumerate(sums):
        total = _sum(vectors, [builder.load(part) for part in row_sums])
        pointer = builder.inttoptr(builder.add(out, vectors.number(i * vectors.size)), vectors.element.as_pointer())
        builder.store(total, pointer, align=vectors.size)


@of_elements("cosine", "sine")
def rotate_rows(vectors: Vectors, x: Any, y: Any, width: Any, cosine: Any, sine: Any) -> None:
    builder = vectors.builder
    cosine, sine = vectors.splat(cosine), vectors.splat(sine)
    less = builder.fneg(sine)
    with _vectors_of(vectors, width) as at:
        here, there = builder.add(x, at), builder.add(y, at)
        one, other = vectors.load(here), vectors.load(there)
        vectors.store(vectors.fma(cosine, one, builder.fmul(less, other)), here)
        vectors.store(vectors.fma(sine, one, builder.fmul(cosine, other)), there)


def _splat(vectors: Vectors, start: Any, i: int) -> Any:
    return vectors.splat(vectors.scalar(vectors.builder.add(start, vectors.number(i * vectors.size))))


def _vectors_of(vectors: Vectors, width: Any, step: int = 0) -> Any:
    from contextlib import contextmanager

    from numba.core import cgutils

    builder, numbers = vectors.builder, step or vectors.lanes

    @contextmanager
    def loop() -> Any:
        with cgutils.for_range(builder, builder.sdiv(width, vectors.number(numbers))) as result:
            yield builder.mul(result.index, vectors.number(numbers * vectors.size))

    return loop()


def _sum(vectors: Vectors, parts: list[Any]) -> Any:
    builder = vectors.builder
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [builder.fadd(a, b) for a, b in zip(parts[:half], parts[half:], strict=True)]
    (total,), lanes = parts, vectors.lanes
    while lanes > 1:
        lanes //= 2
        positions = [*range(lanes, 2 * lanes), *range(vectors.lanes - lanes)]
        total = builder.fadd(total, vectors.shuffled(total, total, positions))
    return builder.extract_element(total, vectors.number(0, 32))


BATCH_MATRICES = 16  # matrices, a multiple of all processors' lanes


@of_elements()
def subtract_multiples(vectors: Vectors, factors: Any, source: Any, to: Any, count: Any) -> None:
    """to_cl -= f_l x_cl of `count` elements of TOGETHER matrices, at addresses."""
    from numba.core import cgutils

    builder = vectors.builder
    offsets = [vectors.number(v * vectors.bytes) for v in range(BATCH_MATRICES // vectors.lanes)]
    others = [builder.fneg(vectors.load(builder.add(factors, offset))) for offset in offsets]
    with cgutils.for_range(builder, count) as loop:
        at = builder.mul(loop.index, vectors.number(BATCH_MATRICES * vectors.size))
        for factor, offset in zip(others, offsets, strict=True):
            here = builder.add(at, offset)
            target = builder.add(to, here)
            value = vectors.fma(factor, vectors.load(builder.add(source, here)), vectors.load(target))
            vectors.store(value, target)
