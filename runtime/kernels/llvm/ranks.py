"""Intrinsic that ranks short rows: every key meets every other one, in vectors and without a branch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import for_numba
from .vector_loops import Flat, VectorLoops

BYTES = 32  # of a vector: comparing wider ones gives bits, which have to become numbers again
TILE_VECTORS = 2  # vectors that a key is compared with at once


@for_numba
def put_ranks(context: Any, keys: Any, count: Any, ranks: Any) -> Any:
    """put_ranks(keys, count, ranks): ranks[i] = how many of the first `count` keys are less than keys[i], or equal and
    before it. Both are rows of integers, of as many whole vectors."""
    from numba import types

    if (keys.layout, ranks.layout) != ("C", "C") or keys.dtype != ranks.dtype:
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        ranking = Ranks(context, builder, keys.dtype)
        ranking.write(ranking.argument(keys, args[0]), args[1], ranking.argument(ranks, args[2]))
        return context.get_dummy_value()

    return types.void(keys, types.int64, ranks), code


class Ranks(VectorLoops):
    """Emits code for one row of keys."""

    def __init__(self, context: Any, builder: Any, kind: Any) -> None:
        super().__init__(context, builder, kind, 1)
        self.bytes, self.lanes = BYTES, BYTES // self.size
        self.type = self.ir.VectorType(self.element, self.lanes)
        self.zero = self.ir.Constant(self.type, None)

    def write(self, keys: Flat, count: Any, ranks: Flat) -> None:
        """Rank all: several vectors at a time, then one."""
        unrolled_count = self.largest_multiple(keys.size, TILE_VECTORS * self.lanes)
        self.loop(
            unrolled_count, TILE_VECTORS * self.lanes, [], lambda i: self.rank(keys, count, ranks, i, TILE_VECTORS)
        )
        single = self.builder.sub(keys.size, unrolled_count)
        self.loop(single, self.lanes, [], lambda i: self.rank(keys, count, ranks, self.plus(unrolled_count, i), 1))

    def rank(self, keys: Flat, count: Any, ranks: Flat, first: Any, vectors: int) -> None:
        """Rank some vectors: of the keys before them equal ones count, of those behind them none do."""
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
        """Where a key is less than others, or equal."""
        return [self.builder.icmp_signed(sign, key, each) for each in own]

    def later(self, j: Any, vectors: int) -> list[Any]:
        """Which lanes of some vectors come after lane `j`."""
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
