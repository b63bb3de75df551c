"""Intrinsics for products of bfloat16 matrices: a square of 32 x 32 float32 sums, by instructions that multiply pairs,
two neighbours of a row on the left by two of a column on the right: words of 32 bits, on the right in panels of 16
columns. Instructions on tiles are given by their bytes, as LLVM may compile for a processor that it takes for another
one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...compiler.passes.target import TILES, pair_products
from .intrinsics import of_integers
from .vectors import VectorLoops

SQUARE = 32  # rows and columns of the sums
PANEL = 16  # columns of a panel; as many words are a line of the cache
STEP = 32  # elements of the depth that an instruction on tiles takes
LINE = 64
ROW = SQUARE * 4  # bytes of a row of sums
GROUP = 8  # rows of sums that stay in registers where there are no tiles

# The general registers that stand in the bytes, by their numbers.
LEFT, LEFT_BELOW, LEFT_ROW, RIGHT, RIGHT_BESIDE, SLOT_COUNT = 0, 6, 1, 2, 7, 8
NAMES = {0: "rax", 1: "rcx", 2: "rdx", 6: "rsi", 7: "rdi", 8: "r8"}
SUMS, LEFTS, RIGHTS = (0, 1, 2, 3), (4, 5), (6, 7)  # numbers of tiles
LOAD, STORE, CLEAR = 3, 2, 3  # the prefix of these instructions, as VEX spells it


def vex(prefix: int, opcode: int, *operand: int, source: int = 0, index: int = 0) -> list[int]:
    extended = 0xE2 & ~(0x40 if index >= 8 else 0)
    return [0xC4, extended, (~source & 15) << 3 | prefix, opcode, *operand]


def tile_memory(prefix: int, tile: int, base: int, index: int) -> list[int]:
    """Load or store a tile whose rows begin at a base, an index apart; both are numbers of general registers."""
    return vex(prefix, 0x4B, tile << 3 | 4, (index & 7) << 3 | base, index=index)


def tile_products(sums: int, left: int, right: int) -> list[int]:
    return vex(2, 0x5C, 0xC0 | sums << 3 | left, source=right)


def assembled(
    builder: Any, result: Any, text: str, constraints: str, inputs: Sequence[Any], moves: bool = False
) -> Any:
    """An instruction that LLVM has no function for; `moves`, it does more than give its result."""
    from llvmlite import binding, ir

    binding.initialize_native_asmparser()  # which LLVM asks for bytes too
    kind = ir.FunctionType(result, [value.type for value in inputs])
    return builder.asm(kind, text, constraints, list(inputs), side_effect=moves)


def written(builder: Any, instructions: list[list[int]], inputs: dict[int, Any]) -> None:
    from llvmlite import ir

    text = ".byte " + ",".join(f"0x{byte:02x}" for instruction in instructions for byte in instruction)
    constraints = ",".join([*[f"{{{NAMES[register]}}}" for register in inputs], "~{memory}"])
    assembled(builder, ir.VoidType(), text, constraints, list(inputs.values()), moves=True)


@of_integers
def tiles_begun(context: Any, builder: Any) -> None:
    """The thread's tiles become 16 rows of 64 bytes each, until `tiles_ended`."""
    from llvmlite import ir
    from numba.core import cgutils

    if pair_products() == TILES:
        shape = bytearray([1, 0, *[0] * 14, *[LINE, 0] * 8, *[0] * 16, *[PANEL] * 8, *[0] * 8])
        kind = ir.ArrayType(ir.IntType(8), LINE)
        where = cgutils.global_constant(builder, "tiles", ir.Constant(kind, shape))
        written(builder, [vex(0, 0x49, LEFT)], {LEFT: builder.ptrtoint(where, ir.IntType(64))})


@of_integers
def tiles_ended(context: Any, builder: Any) -> None:
    if pair_products() == TILES:
        written(builder, [vex(0, 0x49, 0xC0)], {})


@of_integers
def square_product(
    context: Any, builder: Any, left: Any, row: Any, right: Any, panel: Any, steps: Any, to: Any
) -> None:
    """to = left right, 32 x 32 sums, by addresses and distances in bytes; the depth is `steps` times 32."""
    (by_tiles if pair_products() == TILES else by_dots)(context, builder, left, row, right, panel, steps, to)


def by_tiles(context: Any, builder: Any, left: Any, row: Any, right: Any, panel: Any, steps: Any, to: Any) -> None:
    from llvmlite import ir
    from numba.core import cgutils

    word = ir.IntType(64)
    written(builder, [vex(CLEAR, 0x49, 0xC0 | tile << 3) for tile in SUMS], {})
    step = [
        tile_memory(LOAD, RIGHTS[0], RIGHT, SLOT_COUNT),
        tile_memory(LOAD, LEFTS[0], LEFT, LEFT_ROW),
        tile_memory(LOAD, RIGHTS[1], RIGHT_BESIDE, SLOT_COUNT),
        tile_products(SUMS[0], LEFTS[0], RIGHTS[0]),
        tile_memory(LOAD, LEFTS[1], LEFT_BELOW, LEFT_ROW),
        tile_products(SUMS[1], LEFTS[0], RIGHTS[1]),
        tile_products(SUMS[2], LEFTS[1], RIGHTS[0]),
        tile_products(SUMS[3], LEFTS[1], RIGHTS[1]),
    ]
    below = builder.add(left, builder.mul(row, word(PANEL)))
    beside = builder.add(right, panel)
    with cgutils.for_range(builder, steps) as loop:
        a, b = builder.mul(loop.index, word(2 * STEP)), builder.mul(loop.index, word(LINE * PANEL))
        offsets = {LEFT: builder.add(left, a), LEFT_BELOW: builder.add(below, a), LEFT_ROW: row}
        written(
            builder,
            step,
            offsets | {RIGHT: builder.add(right, b), RIGHT_BESIDE: builder.add(beside, b), SLOT_COUNT: word(LINE)},
        )
    for tile in SUMS:
        offset = builder.add(to, word(tile // 2 * PANEL * ROW + tile % 2 * LINE))
        written(builder, [tile_memory(STORE, tile, LEFT, LEFT_ROW)], {LEFT: offset, LEFT_ROW: word(ROW)})


def by_dots(context: Any, builder: Any, left: Any, row: Any, right: Any, panel: Any, steps: Any, to: Any) -> None:
    """A group of rows at a time in vector registers, to which each pair of the depth adds its products."""
    from numba import types
    from numba.core import cgutils

    loops = VectorLoops(context, builder, types.float32, 2)
    beside = builder.add(right, panel)
    with cgutils.for_range_slice(builder, loops.number(0), loops.number(SQUARE), loops.number(GROUP), inc=True) as (
        first,
        _,
    ):
        start, under = loops.plus(left, loops.times(first, row)), loops.plus(to, loops.times(first, ROW))

        def add(pair: Any, *sums: Any) -> list[Any]:
            down = loops.times(pair, LINE)
            columns = [loops.load(loops.plus(base, down)) for base in (right, beside)]
            here = loops.plus(start, loops.times(pair, 4))
            rows = [loops.splat(loops.scalar(loops.address(here, row, i))) for i in range(GROUP)]
            return [dotted(builder, sums[2 * i + j], rows[i], columns[j]) for i in range(GROUP) for j in range(2)]

        sums = loops.loop(loops.times(steps, STEP // 2), 1, [loops.zero] * (2 * GROUP), add)
        for i, one in enumerate(sums):
            loops.store(one, loops.plus(under, i // 2 * ROW + i % 2 * LINE))


def dotted(builder: Any, sums: Any, left: Any, right: Any) -> Any:
    return assembled(builder, sums.type, "vdpbf16ps $3, $2, $0", "=v,0,v,v", [sums, left, right])


@of_integers
def paired_rows(context: Any, builder: Any, source: Any, row: Any, lines: Any, to: Any, panel: Any) -> None:
    """32 columns of twice as many rows as pairs, in two panels, by addresses and distances in bytes."""
    blocks = Blocks(context, builder)
    beside = blocks.plus(to, panel)

    def join(line: Any) -> None:
        upper, down = blocks.plus(source, blocks.times(blocks.times(line, 2), row)), blocks.times(line, LINE)
        pairs = blocks.merged(blocks.halves(upper), blocks.halves(blocks.plus(upper, row)))
        for packed_pairs, start in zip(pairs, (to, beside), strict=True):
            blocks.store(packed_pairs, blocks.plus(start, down))

    blocks.loop(lines, 1, [], join)


@of_integers
def transposed_square(context: Any, builder: Any, source: Any, row: Any, to: Any, to_row: Any) -> None:
    blocks = Blocks(context, builder)
    rows = [blocks.halves(blocks.address(source, row, i)) for i in range(SQUARE)]
    pairs = [blocks.merged(rows[i], rows[i + 1]) for i in range(0, SQUARE, 2)]
    for side in range(2):
        for i, line in enumerate(blocks.transposed([pair[side] for pair in pairs])):
            blocks.store(line, blocks.address(to, to_row, side * PANEL + i))


@of_integers
def rounded_square(
    context: Any, builder: Any, sums: Any, rows: Any, shift: Any, to: Any, to_row: Any, width: Any
) -> None:
    """The first columns of rows of sums, with the row at `shift` (0: none) added, rounded to `to`."""
    blocks = Blocks(context, builder)
    full = builder.icmp_signed(">=", width, blocks.number(SQUARE))
    with builder.if_else(full) as (then, otherwise):
        with then:
            blocks.round(sums, rows, shift, to, to_row, [None, None])
        with otherwise:
            blocks.round(sums, rows, shift, to, to_row, [blocks.mask(width, side) for side in range(2)])


class Blocks(VectorLoops):
    """Emits code for vectors of float32, of words that are pairs, and of 16-bit elements."""

    def __init__(self, context: Any, builder: Any) -> None:
        from numba import types

        super().__init__(context, builder, types.float32, 2)
        self.pairs = self.ir.VectorType(self.ir.IntType(16), 2 * self.lanes)
        self.half_lanes = self.ir.VectorType(self.ir.IntType(16), self.lanes)
        self.packed_pairs = self.ir.VectorType(self.ir.IntType(32), self.lanes)

    def halves(self, address: Any) -> Any:
        return self.builder.load(self.builder.inttoptr(address, self.pairs.as_pointer()), align=2)

    def merged(self, upper: Any, lower: Any) -> list[Any]:
        order = [offset + side for offset in range(2 * self.lanes) for side in (0, 2 * self.lanes)]
        parts = order[: 2 * self.lanes], order[2 * self.lanes :]
        kind = self.ir.VectorType(self.ir.IntType(32), 2 * self.lanes)
        mixed = [self.builder.shuffle_vector(upper, lower, self.ir.Constant(kind, part)) for part in parts]
        return [self.builder.bitcast(packed_pairs, self.type) for packed_pairs in mixed]

    def round(self, sums: Any, rows: Any, shift: Any, to: Any, to_row: Any, masks: list[Any]) -> None:
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
        pointer = self.builder.inttoptr(address, self.half_lanes.as_pointer())
        if mask is None:
            read = self.builder.load(pointer, align=2)
        else:
            name, align = f"llvm.masked.load.v{self.lanes}i16.p0", self.number(2, 32)
            read = self.call(name, self.half_lanes, pointer, align, mask, self.ir.Constant(self.half_lanes, None))
        sixteen = self.ir.Constant(self.packed_pairs, [16] * self.lanes)
        return self.builder.bitcast(self.builder.shl(self.builder.zext(read, self.packed_pairs), sixteen), self.type)

    def rounded(self, value: Any) -> Any:
        return assembled(self.builder, self.half_lanes, "vcvtneps2bf16 $1, $0", "=v,v", [value])

    def store_halves(self, value: Any, address: Any, mask: Any) -> None:
        pointer = self.builder.inttoptr(address, self.half_lanes.as_pointer())
        if mask is None:
            self.builder.store(value, pointer, align=2)
        else:
            name, align = f"llvm.masked.store.v{self.lanes}i16.p0", self.number(2, 32)
            self.call(name, self.ir.VoidType(), value, pointer, align, mask)
