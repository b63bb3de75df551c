"""Intrinsics around products of bfloat16 matrices: blocks of elements as pairs, turned round, and sums rounded to them.

For processors with registers of 64 bytes that round to bfloat16 by an instruction: see `machine.pair_products`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import for_numba
from ..vector_loops import VectorLoops
from .tiles import LINE, PANEL, ROW, SQUARE, assembled


@for_numba
def paired_rows(context: Any, source: Any, row: Any, lines: Any, to: Any, panel: Any) -> Any:
    """paired_rows(source, row, lines, to, panel): 32 columns of twice as many rows as pairs, in two panels.

    All but `lines` are addresses, or distances in bytes.
    """
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        blocks = Blocks(context, builder)
        source, row, lines, to, panel = args
        beside = blocks.plus(to, panel)

        def join(line: Any) -> None:
            upper, down = blocks.plus(source, blocks.times(blocks.times(line, 2), row)), blocks.times(line, LINE)
            pairs = blocks.merged(blocks.halves(upper), blocks.halves(blocks.plus(upper, row)))
            for packed_pairs, start in zip(pairs, (to, beside), strict=True):
                blocks.store(packed_pairs, blocks.plus(start, down))

        blocks.loop(lines, 1, [], join)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 5), code


@for_numba
def transposed_square(context: Any, source: Any, row: Any, to: Any, to_row: Any) -> Any:
    """transposed_square(source, row, to, to_row): the transpose of 32 x 32 elements; distances are in bytes."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        blocks = Blocks(context, builder)
        source, row, to, to_row = args
        rows = [blocks.halves(blocks.address(source, row, i)) for i in range(SQUARE)]
        pairs = [blocks.merged(rows[i], rows[i + 1]) for i in range(0, SQUARE, 2)]
        for side in range(2):
            for i, line in enumerate(blocks.transposed([pair[side] for pair in pairs])):
                blocks.store(line, blocks.address(to, to_row, side * PANEL + i))
        return context.get_dummy_value()

    return types.void(*[types.int64] * 4), code


@for_numba
def rounded_square(context: Any, sums: Any, rows: Any, shift: Any, to: Any, to_row: Any, width: Any) -> Any:
    """rounded_square(sums, rows, shift, to, to_row, width): the first columns of rows of sums, with a row added.

    `shift` is the address of that row, or 0; `to` that of the results, whose rows are `to_row` bytes apart.
    """
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        blocks = Blocks(context, builder)
        full = builder.icmp_signed(">=", args[5], blocks.number(SQUARE))
        with builder.if_else(full) as (then, otherwise):
            with then:
                blocks.round(args[:5], [None, None])
            with otherwise:
                blocks.round(args[:5], [blocks.mask(args[5], side) for side in range(2)])
        return context.get_dummy_value()

    return types.void(*[types.int64] * 6), code


class Blocks(VectorLoops):
    """Emits code for vectors of float32, of words that are pairs, and of 16-bit elements."""

    def __init__(self, context: Any, builder: Any) -> None:
        from numba import types

        super().__init__(context, builder, types.float32, 2)
        self.pairs = self.ir.VectorType(self.ir.IntType(16), 2 * self.lanes)
        self.half_lanes = self.ir.VectorType(self.ir.IntType(16), self.lanes)
        self.packed_pairs = self.ir.VectorType(self.ir.IntType(32), self.lanes)

    def halves(self, address: Any) -> Any:
        """The 32 elements at an address."""
        return self.builder.load(self.builder.inttoptr(address, self.pairs.as_pointer()), align=2)

    def merged(self, upper: Any, lower: Any) -> list[Any]:
        """The elements of two rows as pairs: the first 16 words, and the others."""
        order = [offset + side for offset in range(2 * self.lanes) for side in (0, 2 * self.lanes)]
        parts = order[: 2 * self.lanes], order[2 * self.lanes :]
        kind = self.ir.VectorType(self.ir.IntType(32), 2 * self.lanes)
        mixed = [self.builder.shuffle_vector(upper, lower, self.ir.Constant(kind, part)) for part in parts]
        return [self.builder.bitcast(packed_pairs, self.type) for packed_pairs in mixed]

    def round(self, args: Sequence[Any], masks: list[Any]) -> None:
        """Round rows of sums: two vectors each."""
        sums, rows, shift, to, to_row = args
        added = self.shifts(shift, masks)

        def go(i: Any) -> None:
            source, there = self.plus(sums, self.times(i, ROW)), self.plus(to, self.times(i, to_row))
            for side, mask in enumerate(masks):
                total = self.builder.fadd(self.load(self.plus(source, side * LINE)), added[side])
                self.store_halves(self.rounded(total), self.plus(there, side * LINE // 2), mask)

        self.loop(rows, 1, [], go)

    def shifts(self, shift: Any, masks: list[Any]) -> list[Any]:
        """What is added to each row: -0.0 where there is nothing, which changes no number."""
        builder, before = self.builder, self.builder.block
        nothing = self.ir.Constant(self.type, [self.ir.Constant(self.element, -0.0)] * self.lanes)
        with builder.if_then(builder.icmp_signed("!=", shift, self.number(0))):
            read = [self.widened(self.plus(shift, side * LINE // 2), mask) for side, mask in enumerate(masks)]
            inside = builder.block
        matches = []
        for one in read:
            value = builder.phi(self.type)
            value.add_incoming(nothing, before)
            value.add_incoming(one, inside)
            matches.append(value)
        return matches

    def widened(self, address: Any, mask: Any) -> Any:
        """16 elements as float32."""
        pointer = self.builder.inttoptr(address, self.half_lanes.as_pointer())
        if mask is None:
            read = self.builder.load(pointer, align=2)
        else:
            name, align = f"llvm.masked.load.v{self.lanes}i16.p0", self.number(2, 32)
            read = self.call(name, self.half_lanes, pointer, align, mask, self.ir.Constant(self.half_lanes, None))
        sixteen = self.ir.Constant(self.packed_pairs, [16] * self.lanes)
        return self.builder.bitcast(self.builder.shl(self.builder.zext(read, self.packed_pairs), sixteen), self.type)

    def rounded(self, value: Any) -> Any:
        """The bfloat16 nearest to each float32."""
        return assembled(self.builder, self.half_lanes, "vcvtneps2bf16 $1, $0", "=v,v", [value])

    def store_halves(self, value: Any, address: Any, mask: Any) -> None:
        """Write 16 elements; those that are masked out are not written."""
        pointer = self.builder.inttoptr(address, self.half_lanes.as_pointer())
        if mask is None:
            self.builder.store(value, pointer, align=2)
        else:
            name, align = f"llvm.masked.store.v{self.lanes}i16.p0", self.number(2, 32)
            self.call(name, self.ir.VoidType(), value, pointer, align, mask)
