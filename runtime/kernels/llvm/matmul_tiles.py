"""Intrinsics for products of matrices: register tiles, and transposed squares. LLVM keeps sums in registers only if
they are values, and numba has no values that are vectors. Arguments are addresses, strides in bytes, and counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...compiler.jit import for_numba
from ...compiler.passes.target import vector_registers
from .intrinsics import constant_number, emitted, of_elements
from .vectors import LINE, Vectors

L2_BYTES = 1 << 20  # bytes of c that the second-level cache holds: else its lines are asked for
NEAREST = 1 << 15  # bytes of a panel that the first-level cache holds, beside what else it does
SQUARE = 16  # rows of a square that is transposed, at most
AHEAD = 8  # steps of the depth: so many before it is used, a row of b is asked for
STEPS = 4, 1  # of the depth that are taken at a time: counting takes units of the processor that products need


class State(NamedTuple):
    """Where a tile is in its depth: the addresses of a column of a and of a row of b, the steps left, and the sums."""

    left: Any
    right: Any
    rest: Any
    sums: dict[tuple[int, int], Any]

    def values(self) -> tuple[Any, ...]:
        return (self.left, self.right, self.rest, *self.sums.values())


PRODUCT = "a a_row a_col b b_row c c_row rows depth width add"


class Panel:
    """panel_product(...): c = a b, or c + a b, of `width` columns, no more than panel_width(like), and at least one
    step of `depth`. The panel that comes next lies at `following`: small ones are asked for. Tiles have six, four, two
    rows or one."""

    def __init__(self, vectors: Vectors, *args: Any) -> None:
        self.vectors, self.builder = vectors, vectors.builder
        self.a, self.a_row, self.a_col, self.b, self.b_row, self.c, self.c_row = args[:7]
        self.rows, self.depth, self.width, self.add = args[7:11]
        self.following = args[11] if args[11:] else None
        extent = self.builder.mul(self.rows, self.c_row)
        self.beyond_cache = self.builder.icmp_signed(">", extent, self.vectors.number(L2_BYTES))
        panel = self.builder.mul(self.depth, self.b_row)
        self.nearest = self.builder.icmp_signed("<=", panel, self.vectors.number(NEAREST))

    def emit(self) -> None:
        builder, lanes, max_registers = self.builder, self.vectors.lanes, vector_registers()[1]
        full = builder.icmp_signed("==", self.width, self.vectors.number(max_registers * lanes))
        with builder.if_else(full) as (then, otherwise):
            with then:
                self.go_down(max_registers, masked=False)
            with otherwise:
                self.emit_narrow([count for count in (1, 2, 4) if count <= max_registers])

    def emit_narrow(self, counts: Sequence[int]) -> None:
        fits = self.vectors.number(counts[0] * self.vectors.lanes)
        with self.builder.if_else(self.builder.icmp_signed("<=", self.width, fits)) as (then, otherwise):
            with then:
                self.go_down(counts[0], masked=True)
            with otherwise:
                if counts[1:]:
                    self.emit_narrow(counts[1:])

    def go_down(self, count: int, masked: bool) -> None:
        builder, number = self.builder, self.vectors.number
        masks = [self.vectors.mask(self.width, v) if masked else None for v in range(count)]
        # Of six rows there are 24 sums for 32 registers, or 12 for 16: a row of b and an element of a have room beside.
        sixes = builder.sdiv(self.rows, number(6))
        if masked:  # which are read once, or are few
            self.go_down_sixes(sixes, masks, False)
        else:
            with builder.if_else(self.nearest) as (then, otherwise):
                for block, ahead in (then, False), (otherwise, True):
                    with block:
                        self.go_down_sixes(sixes, masks, ahead)
        row = builder.mul(sixes, number(6))
        left = builder.sub(self.rows, row)
        for rows in (4, 2, 1):
            there = builder.icmp_signed("!=", builder.and_(left, number(rows)), number(0))
            with builder.if_then(there):
                self.tile(row, rows, masks, not masked)
            row = builder.select(there, builder.add(row, number(rows)), row)

    def go_down_sixes(self, sixes: Any, masks: Sequence[Any], ahead: bool) -> None:
        """So many tiles of six rows: each asks for a share of the panel that follows, unless it asks for its own."""
        from numba.core import cgutils

        builder, number = self.builder, self.vectors.number
        share = builder.mul(self.depth, number(LINE // STEPS[0]))
        with cgutils.for_range(builder, sixes) as loop:
            coming = None
            if self.following is not None and not ahead and not any(masks):
                coming = builder.add(self.following, builder.mul(loop.index, share))
            self.tile(builder.mul(loop.index, number(6)), 6, masks, ahead, STEPS, coming)

    def tile(
        self, row: Any, rows: int, masks: Sequence[Any], ahead: bool, steps: Sequence[int] = (1,), coming: Any = None,
    ) -> None:  # fmt: skip
        """`rows` rows of c from `row` on: loops over the depth. With `ahead` it asks for rows of b before they are
        used, as panels lie no nearer than the second-level cache unless they are small; for what is `coming` line by
        line."""
        vectors, builder = self.vectors, self.builder
        a = builder.add(self.a, builder.mul(row, self.a_row))
        c = builder.add(self.c, builder.mul(row, self.c_row))
        positions = [(i, v) for i in range(rows) for v in range(len(masks))]
        target = {(i, v): vectors.address(c, self.c_row, i, v * vectors.bytes) for i, v in positions}
        with builder.if_then(self.beyond_cache):  # the lines of the tile below: they come while this one is computed
            for i in range(rows):
                vectors.prefetch_all(vectors.address(c, self.c_row, i + rows), len(masks))
        entry = builder.block
        # c is read before the loop only where it is added to: else it may hold nan, which 0 * c would keep.
        with builder.if_then(builder.icmp_signed("!=", self.add, vectors.number(0))):
            old = {(i, v): vectors.load(target[i, v], masks[v]) for i, v in positions}
            first = builder.block
        sums = {position: self.merged((vectors.zero, entry), (old[position], first)) for position in positions}
        state = State(a, self.b, self.depth, sums)
        for count in steps:
            state = self.along_depth(state, masks, ahead, count, coming if count > 1 else None)
        for i, v in positions:
            vectors.store(state.sums[i, v], target[i, v], masks[v])

    def along_depth(self, begun: State, masks: Sequence[Any], ahead: bool, steps: int, coming: Any) -> State:
        """So many steps at a time, while so many are left; each sum is a phi, which LLVM keeps in a register."""
        vectors, builder, number = self.vectors, self.builder, self.vectors.number
        before, loop, done = builder.block, *(builder.append_basic_block(name) for name in ("loop", "done"))
        builder.cbranch(builder.icmp_signed(">=", begun.rest, number(steps)), loop, done)
        builder.position_at_end(loop)
        left, right, rest = (self.merged((value, before)) for value in begun[:3])
        sums = {position: self.merged((value, before)) for position, value in begun.sums.items()}
        state = State(left, right, rest, sums)
        if coming is not None:
            depth_done = builder.sub(self.depth, rest)
            vectors.prefetch_all(builder.add(coming, builder.mul(depth_done, number(LINE // steps))), 1)
        for _ in range(steps):
            new = self.step(state.left, state.right, masks, state.sums, ahead)
            moved = builder.add(state.left, self.a_col), builder.add(state.right, self.b_row)
            state = State(*moved, state.rest, new)
        state = state._replace(rest=builder.sub(rest, number(steps)))
        for phi, value in zip((left, right, rest, *sums.values()), state.values(), strict=True):
            phi.add_incoming(value, loop)
        builder.cbranch(builder.icmp_signed(">=", state.rest, number(steps)), loop, done)
        builder.position_at_end(done)
        both = zip(begun.values(), state.values(), strict=True)
        left, right, rest, *last = [self.merged((x, before), (y, loop)) for x, y in both]
        return State(left, right, rest, dict(zip(sums, last, strict=True)))

    def step(self, left: Any, right: Any, masks: Sequence[Any], sums: dict[Any, Any], ahead: bool) -> dict[Any, Any]:
        vectors = self.vectors
        if ahead:
            vectors.prefetch_all(vectors.address(right, self.b_row, AHEAD), len(masks))
        row = [vectors.load(vectors.address(right, right, 0, v * vectors.bytes), m) for v, m in enumerate(masks)]
        rows = 1 + max(i for i, _ in sums)
        column = [vectors.splat(vectors.scalar(vectors.address(left, self.a_row, i))) for i in range(rows)]
        return {(i, v): vectors.fma(column[i], row[v], sums[i, v]) for i, v in sums}

    def merged(self, *incoming: tuple[Any, Any]) -> Any:
        result = self.builder.phi(incoming[0][0].type)
        for value, block in incoming:
            result.add_incoming(value, block)
        return result


@of_elements()
def copied_panel(vectors: Vectors, source: Any, source_row: Any, to: Any, to_row: Any, rows: Any) -> None:
    from numba.core import cgutils

    builder = vectors.builder
    with cgutils.for_range(builder, rows) as loop:
        at = builder.add(source, builder.mul(loop.index, source_row))
        there = builder.add(to, builder.mul(loop.index, to_row))
        positions = [vectors.number(v * vectors.bytes) for v in range(vector_registers()[1])]
        row = [vectors.load(builder.add(at, position)) for position in positions]
        for position, vector in zip(positions, row, strict=True):
            vectors.store(vector, builder.add(there, position))


@for_numba
def transposed_block(context: Any, like: Any, source: Any, source_row: Any, to: Any, to_row: Any) -> Any:
    """A square of square_rows(like) rows, transposed; the memory of the next one is asked for."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vectors = Vectors(context, builder, _moved(like), SQUARE)
        _, source, source_row, to, to_row = args
        rows = [vectors.load(vectors.address(source, source_row, i)) for i in range(vectors.lanes)]
        for i, row in enumerate(vectors.transposed(rows)):
            there = vectors.address(to, to_row, i)
            vectors.prefetch_all(builder.add(there, vectors.number(LINE)), 1)
            vectors.store(row, there)
        return context.get_dummy_value()

    return types.void(like, *[types.int64] * 4), code


@constant_number
def square_rows(context: Any, like: Any) -> int:
    return min(8 * vector_registers()[0] // _moved(like).bitwidth, SQUARE)


@constant_number
def lanes(context: Any, like: Any) -> int:
    return vector_registers()[0] * 8 // like.bitwidth


@constant_number
def panel_width(context: Any, like: Any) -> int:
    size, vectors = vector_registers()
    return vectors * size * 8 // like.bitwidth


@constant_number
def panel_bytes(context: Any) -> int:
    size, vectors = vector_registers()
    return size * vectors


def _moved(like: Any) -> Any:
    """The kind of numbers as which elements are moved: a truth is a byte."""
    from numba import types

    return types.uint8 if like == types.boolean else like


panel_product = emitted("panel_product", Panel, f"{PRODUCT} following")
