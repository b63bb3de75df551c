"""Intrinsics of keys, integers in order as numbers are (of floats the bits, turned round where negative: -0 is as 0,
every nan greatest), and one that ranks short rows: every key meets every other one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...compiler.jit import for_numba
from .vectors import Flat, VectorLoops

BYTES = 32  # of a vector: comparing wider ones gives bits, which have to become numbers again
TILE_VECTORS = 2  # vectors that a key is compared with at once


@for_numba
def put_ranks(context: Any, keys: Any, count: Any, ranks: Any) -> Any:
    """ranks[i] = how many of the first `count` keys are less than keys[i], or equal and before it."""
    from numba import types

    if (keys.layout, ranks.layout) != ("C", "C") or keys.dtype != ranks.dtype:
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        ranking = Ranks(context, builder, keys.dtype)
        ranking.write(ranking.argument(keys, args[0]), args[1], ranking.argument(ranks, args[2]))
        return context.get_dummy_value()

    return types.void(keys, types.int64, ranks), code


class Ranks(VectorLoops):
    def __init__(self, context: Any, builder: Any, kind: Any) -> None:
        super().__init__(context, builder, kind, 1)
        self.bytes, self.lanes = BYTES, BYTES // self.size
        self.type = self.ir.VectorType(self.element, self.lanes)
        self.zero = self.ir.Constant(self.type, None)

    def write(self, keys: Flat, count: Any, ranks: Flat) -> None:
        unrolled_count = self.largest_multiple(keys.size, TILE_VECTORS * self.lanes)
        self.loop(
            unrolled_count, TILE_VECTORS * self.lanes, [], lambda i: self.rank(keys, count, ranks, i, TILE_VECTORS)
        )
        single = self.builder.sub(keys.size, unrolled_count)
        self.loop(single, self.lanes, [], lambda i: self.rank(keys, count, ranks, self.plus(unrolled_count, i), 1))

    def rank(self, keys: Flat, count: Any, ranks: Flat, first: Any, vectors: int) -> None:
        unmasked, behind = [None] * vectors, self.plus(first, vectors * self.lanes)
        own = self.load_all(self.at(keys.start, first), unmasked)
        stop, begin = (self.minimum(position, count) for position in (first, behind))
        sums = self.add_where(
            keys, self.number(0), stop, [self.zero] * vectors, lambda key, _: self.met("<=", key, own)
        )

        def within(key: Any, j: Any) -> list[Any]:
            result = zip(self.met("<", key, own), self.met("==", key, own), self.later(j, vectors), strict=True)
            return [self.builder.or_(less, self.builder.and_(equal, later)) for less, equal, later in result]

        sums = self.add_where(keys, first, begin, sums, within)
        sums = self.add_where(keys, behind, count, sums, lambda key, _: self.met("<", key, own))
        self.store_all(sums, self.at(ranks.start, first), unmasked)

    def minimum(self, x: Any, y: Any) -> Any:
        return self.builder.select(self.builder.icmp_signed("<", x, y), x, y)

    def met(self, sign: str, key: Any, own: Sequence[Any]) -> list[Any]:
        return [self.builder.icmp_signed(sign, key, each) for each in own]

    def later(self, j: Any, vectors: int) -> list[Any]:
        position = self.splat(self.builder.trunc(j, self.element) if self.size < 8 else j)
        lanes = (range(k * self.lanes, (k + 1) * self.lanes) for k in range(vectors))
        return [self.builder.icmp_signed("<", position, self.ir.Constant(self.type, [*each])) for each in lanes]

    def add_where(
        self, keys: Flat, start: Any, stop: Any, sums: Sequence[Any], result: Callable[[Any, Any], list[Any]]
    ) -> list[Any]:
        """The sums with 1 more for each key in a range where that finds it: found(key, its place in the range)."""

        def add(j: Any, *sums: Any) -> list[Any]:
            address = self.at(keys.start, self.plus(start, j))
            key = self.splat(self.builder.load(self.builder.inttoptr(address, self.element.as_pointer())))
            masks = (self.builder.sext(mask, self.type) for mask in result(key, j))
            return [self.builder.sub(total, mask) for total, mask in zip(sums, masks, strict=True)]

        return self.loop(self.builder.sub(stop, start), 1, sums, add)


def width_of(kind: Any) -> int:
    from numba import types

    return 64 if kind in (types.float64, types.int64, types.uint64) else 32


@for_numba
def order_key(context: Any, number: Any) -> Any:
    from llvmlite import ir
    from numba import types

    width = width_of(number)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if isinstance(number, types.Float):
            return float_key(builder, builder.bitcast(args[0], ir.IntType(width)))
        extended = builder.sext if isinstance(number, types.Integer) and number.signed else builder.zext
        return args[0] if args[0].type.width == width else extended(args[0], ir.IntType(width))

    return types.Integer.from_bitwidth(width, True)(number), code


def float_key(builder: Any, bits: Any) -> Any:
    kind, width = bits.type, bits.type.width
    every, infinity = kind((1 << width - 1) - 1), kind(0x7F800000 if width == 32 else 0x7FF0000000000000)
    size = builder.and_(bits, every)
    bits = builder.select(builder.icmp_signed("==", size, kind(0)), size, bits)
    flipped_bits = builder.xor(bits, builder.and_(builder.ashr(bits, kind(width - 1)), every))
    return builder.select(builder.icmp_signed(">", size, infinity), every, flipped_bits)


@for_numba
def max_key(context: Any, number: Any) -> Any:
    from llvmlite import ir
    from numba import types

    width = width_of(number)
    largest = ir.IntType(width)((1 << width - 1) - 1)
    return types.Integer.from_bitwidth(width, True)(number), lambda context, builder, signature, args: largest
