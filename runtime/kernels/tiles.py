"""Register tiles of matrix products, and small transposed blocks: LLVM vector code for use inside numba kernels.

LLVM keeps an accumulator in a register only if it is a value and no array, and numba has no values that are vectors. So
the innermost loop of a product is an intrinsic: `rows` x `vectors` accumulators, to which each step adds the products
of one column of the left matrix and one row of the right one. All arguments but the sizes of the tile are addresses,
strides in bytes, and counts.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

FULL = 0  # in place of the number of vectors of a tile: as many as the machine's tile has


@functools.cache
def machine() -> tuple[int, int]:
    """(bytes of a vector register, vectors of a row of a tile), so that six rows fill the registers and do not spill."""
    from numba.core.registry import cpu_target

    features = cpu_target.target_context.codegen().magic_tuple()[2]
    if "+avx512f" in features:
        return 64, 4
    if "+avx" in features:
        return 32, 2
    return 16, 4 if "+neon" in features else 2


class Vectors:
    """Emits vector code for one element type through a builder of LLVM code."""

    def __init__(self, context: Any, builder: Any, like: Any) -> None:
        from llvmlite import ir

        self.ir, self.builder = ir, builder
        self.size = like.bitwidth // 8
        self.lanes = machine()[0] // self.size
        self.element = context.get_value_type(like)
        self.type = ir.VectorType(self.element, self.lanes)
        self.name = f"v{self.lanes}f{like.bitwidth}"

    def number(self, value: int, bits: int = 64) -> Any:
        return self.ir.Constant(self.ir.IntType(bits), value)

    def call(self, name: str, result: Any, *args: Any) -> Any:
        """A call of one of LLVM's own functions."""
        from numba.core import cgutils

        kind = self.ir.FunctionType(result, [a.type for a in args])
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), args)

    def spread(self, value: Any) -> Any:
        """A vector with the same value in all lanes."""
        kind = self.ir.VectorType(value.type, self.lanes)
        undefined = self.ir.Constant(kind, self.ir.Undefined)
        single = self.builder.insert_element(undefined, value, self.number(0, 32))
        return self.shuffled(single, single, [0] * self.lanes)

    def shuffled(self, a: Any, b: Any, lanes: Sequence[int]) -> Any:
        """The lanes of `a`, and behind them those of `b`, at the given places."""
        places = self.ir.Constant(self.ir.VectorType(self.ir.IntType(32), self.lanes), list(lanes))
        return self.builder.shuffle_vector(a, b, places)

    def address(self, base: Any, stride: Any, count: int, offset: int = 0) -> Any:
        """base + count * stride + offset, in bytes."""
        moved = self.builder.add(base, self.builder.mul(stride, self.number(count)))
        return self.builder.add(moved, self.number(offset))

    def mask(self, width: Any, vector: int) -> Any:
        """Which lanes of a row's vector number `vector` are among the first `width` elements of the row."""
        kind = self.ir.VectorType(self.ir.IntType(64), self.lanes)
        place = self.ir.Constant(kind, list(range(vector * self.lanes, (vector + 1) * self.lanes)))
        return self.builder.icmp_signed("<", place, self.spread(width))

    def scalar(self, address: Any) -> Any:
        pointer = self.builder.inttoptr(address, self.element.as_pointer())
        return self.builder.load(pointer, align=self.size)

    def load(self, address: Any, mask: Any = None) -> Any:
        """The vector at an address; lanes that are masked out are not read."""
        pointer = self.builder.inttoptr(address, self.type.as_pointer())
        if mask is None:
            return self.builder.load(pointer, align=self.size)
        zeros = self.ir.Constant(self.type, None)
        return self.call(f"llvm.masked.load.{self.name}.p0", self.type, pointer, self.number(self.size, 32), mask, zeros)

    def store(self, vector: Any, address: Any, mask: Any = None) -> None:
        """Write a vector; lanes that are masked out are not written."""
        pointer = self.builder.inttoptr(address, self.type.as_pointer())
        if mask is None:
            self.builder.store(vector, pointer, align=self.size)
        else:
            nothing = self.ir.VoidType()
            self.call(f"llvm.masked.store.{self.name}.p0", nothing, vector, pointer, self.number(self.size, 32), mask)


def tile(context: Any, rows: Any, vectors: Any, masked: Any, like: Any, *rest: Any) -> Any:
    """tile(rows, vectors, masked, like, a, a_row, a_col, b, b_row, c, c_row, depth, width, add): c = a b, or c + a b.

    `rows`, `vectors` and `masked` are literals. c has `rows` rows of `width` elements, which fill the vectors unless
    `masked`; a and b meet in `depth` elements, at least one.
    """
    from numba import types

    shape = rows.literal_value, vectors.literal_value or machine()[1], bool(masked.literal_value)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _Tile(Vectors(context, builder, like), *shape).emit(*args[4:])
        return context.get_dummy_value()

    return types.void(rows, vectors, masked, like, *[types.int64] * len(rest)), code


class _Tile:
    """The loop over the depth of a product, its accumulators in registers."""

    def __init__(self, vectors: Vectors, rows: int, count: int, masked: bool) -> None:
        self.vectors, self.builder = vectors, vectors.builder
        self.rows, self.masked = rows, masked
        self.columns = range(count)
        self.places = [(i, v) for i in range(rows) for v in self.columns]

    def emit(
        self, a: Any, a_row: Any, a_col: Any, b: Any, b_row: Any, c: Any, c_row: Any, depth: Any, width: Any, add: Any
    ) -> None:
        vectors, builder, bytes_ = self.vectors, self.builder, machine()[0]
        masks = [vectors.mask(width, v) if self.masked else None for v in self.columns]
        target = {(i, v): vectors.address(c, c_row, i, v * bytes_) for i, v in self.places}
        entry, (first, loop, done) = builder.block, [builder.append_basic_block(n) for n in ("first", "loop", "done")]
        builder.cbranch(builder.icmp_signed("!=", add, vectors.number(0)), first, loop)
        builder.position_at_end(first)
        loaded = {(i, v): vectors.load(target[i, v], masks[v]) for i, v in self.places}
        builder.branch(loop)
        builder.position_at_end(loop)
        zero = vectors.ir.Constant(vectors.type, None)
        sums = {place: self.phi([(zero, entry), (loaded[place], first)]) for place in self.places}
        left, right, step = (self.phi([(x, entry), (x, first)]) for x in (a, b, vectors.number(0)))
        row = [vectors.load(vectors.address(right, vectors.number(0), 0, v * bytes_), masks[v]) for v in self.columns]
        factors = [vectors.spread(vectors.scalar(vectors.address(left, a_row, i))) for i in range(self.rows)]
        fma = f"llvm.fma.{vectors.name}"
        new = {(i, v): vectors.call(fma, vectors.type, factors[i], row[v], sums[i, v]) for i, v in self.places}
        following = builder.add(step, vectors.number(1))
        for phi, value in ((left, builder.add(left, a_col)), (right, builder.add(right, b_row)), (step, following)):
            phi.add_incoming(value, loop)
        for place in self.places:
            sums[place].add_incoming(new[place], loop)
        builder.cbranch(builder.icmp_signed("<", following, depth), loop, done)
        builder.position_at_end(done)
        for i, v in self.places:
            vectors.store(new[i, v], target[i, v], masks[v])

    def phi(self, incoming: Sequence[tuple[Any, Any]]) -> Any:
        """A value that depends on where the control flow comes from."""
        result = self.builder.phi(incoming[0][0].type)
        for value, block in incoming:
            result.add_incoming(value, block)
        return result


def transposed_block(context: Any, like: Any, source: Any, source_row: Any, to: Any, to_row: Any) -> Any:
    """transposed_block(like, source, source_row, to, to_row): a square of as many rows as a vector has lanes."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vectors = Vectors(context, builder, like)
        source, source_row, to, to_row = args[1:]
        rows = [vectors.load(vectors.address(source, source_row, i)) for i in range(vectors.lanes)]
        for i, row in enumerate(_transposed(vectors, rows)):
            vectors.store(row, vectors.address(to, to_row, i))
        return context.get_dummy_value()

    return types.void(like, *[types.int64] * 4), code


def _transposed(vectors: Vectors, rows: list[Any]) -> list[Any]:
    """Rows as columns: squares of 1, 2, 4, ... lanes are exchanged between rows that lie as far apart."""
    lanes, step = vectors.lanes, 1
    while step < lanes:
        for i in (i for i in range(lanes) if not i & step):
            low, high = rows[i], rows[i + step]
            rows[i] = vectors.shuffled(low, high, [j if not j & step else j - step + lanes for j in range(lanes)])
            rows[i + step] = vectors.shuffled(low, high, [j + step if not j & step else j + lanes for j in range(lanes)])
        step *= 2
    return rows


def lanes(context: Any, like: Any) -> Any:
    """lanes(like): how many elements a vector register holds."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_constant(types.int64, machine()[0] // (like.bitwidth // 8))

    return types.int64(like), code


def panel_width(context: Any, like: Any) -> Any:
    """panel_width(like): how many columns a full tile has."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size, vectors = machine()
        return context.get_constant(types.int64, size * vectors // (like.bitwidth // 8))

    return types.int64(like), code


INTRINSICS: tuple[Callable[..., Any], ...] = (tile, transposed_block, lanes, panel_width)
