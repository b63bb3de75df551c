"""Loops over flat arrays in LLVM vector code: what shifted.py is written in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..compile.machine import vector_registers
from .vectors import Vectors

Masks = Sequence[Any]  # one for each vector of a row: which of its lanes count, or None for all


class Flat(NamedTuple):
    """A flat array among the arguments of an intrinsic."""

    start: Any  # its address
    size: Any


class VectorLoops(Vectors):
    """Emits code for blocks of rows; places and steps count elements, addresses are bytes."""

    def __init__(self, context: Any, builder: Any, like: Any, lines: int) -> None:
        super().__init__(context, builder, like)
        self.context, self.lines = context, lines
        has_wide_registers = vector_registers()[1] == 4
        # The sizes of tiles in vectors, the widest first: sums, and the operands of one step, fill the registers.
        self.widths = {4: (5, 4, 2, 1), 2: (8, 4, 2, 1), 1: (12, 6, 3, 1)}[lines] if has_wide_registers else (3, 2, 1)
        self.splits = {4: (6, 4, 2, 1), 2: (9, 6, 3, 1), 1: (9, 6, 3, 1)}[lines] if has_wide_registers else (3, 2, 1)

    def argument(self, kind: Any, value: Any) -> Any:
        """An array as a `Flat`, anything else as it is."""
        if not hasattr(kind, "ndim"):
            return value
        array = self.context.make_array(kind)(self.context, self.builder, value)
        return Flat(self.builder.ptrtoint(array.data, self.ir.IntType(64)), array.nitems)

    # Integers and addresses

    def index(self, value: Any) -> Any:
        return self.number(value) if isinstance(value, int) else value

    def plus(self, x: Any, y: Any) -> Any:
        return self.builder.add(x, self.index(y))

    def times(self, x: Any, y: Any) -> Any:
        return self.builder.mul(x, self.index(y))

    def at(self, address: Any, offset_at: Any) -> Any:
        """The address of the element that is `place` elements further."""
        return self.plus(address, self.times(self.index(offset_at), self.size))

    def row(self, address: Any, step: Any, line: Any) -> Any:
        return self.at(address, self.times(step, line))

    def rows(self, address: Any, step: Any) -> list[Any]:
        """The addresses of the block's rows."""
        return [self.row(address, step, r) for r in range(self.lines)]

    def offset_at(self, offsets: Flat, p: Any) -> Any:
        """One of an array's int64 numbers."""
        pointer = self.builder.inttoptr(self.plus(offsets.start, self.times(p, 8)), self.ir.IntType(64).as_pointer())
        return self.builder.load(pointer)

    def largest_multiple(self, x: Any, of: int) -> Any:
        """The largest multiple of a number that is no larger than `x`."""
        return self.builder.sub(x, self.builder.srem(x, self.number(of)))

    def within(self, x: Any, low: int, high: int) -> Any:
        """Whether low <= x <= high."""
        above = self.builder.icmp_signed(">=", x, self.number(low))
        return self.builder.and_(above, self.builder.icmp_signed("<=", x, self.number(high)))

    # Rows of vectors

    def load_all(self, address: Any, masks: Masks) -> list[Any]:
        """Neighbouring vectors from an address on."""
        return [self.load(self.plus(address, k * self.bytes), mask) for k, mask in enumerate(masks)]

    def store_all(self, vectors: Sequence[Any], address: Any, masks: Masks) -> None:
        for k, (vector, mask) in enumerate(zip(vectors, masks, strict=True)):
            self.store(vector, self.plus(address, k * self.bytes), mask)

    def evens(self) -> Any:
        """The mask of every second lane, the first one included."""
        return self.ir.Constant(
            self.ir.VectorType(self.ir.IntType(1), self.lanes), [1 - k % 2 for k in range(self.lanes)]
        )

    def add_products(self, lefts: Sequence[Any], rights: Sequence[Any], sums: Sequence[Any]) -> list[Any]:
        """Each of the left vectors times each of the right ones, added to the sums."""
        count = len(rights)
        return [self.fma(lefts[i // count], rights[i % count], total) for i, total in enumerate(sums)]

    def add_to(self, address: Any, vector: Any) -> None:
        """Add the sum of a vector's elements to the element at an address."""
        minus_zero = self.ir.Constant(self.element, -0.0)  # the neutral number: 0.0 would turn a sum of -0.0 into 0.0
        name = f"llvm.vector.reduce.fadd.{self.name}"
        kind = self.ir.FunctionType(self.element, [self.element, self.type])
        known = self.builder.module.globals.get(name) or self.ir.Function(self.builder.module, kind, name)
        # In whatever order LLVM adds the lanes: it is the same for each length of vectors.
        total = self.builder.call(known, [minus_zero, vector], fastmath=("reassoc",))
        pointer = self.builder.inttoptr(address, self.element.as_pointer())
        self.builder.store(self.builder.fadd(self.builder.load(pointer), total), pointer)

    # Loops

    def loop(
        self, stop: Any, step: int, carry_values: Sequence[Any], body: Callable[..., Sequence[Any] | None]
    ) -> list[Any]:
        """for i in range(0, stop, step): carried = body(i, *carried); returns what is carried at the end."""
        builder, before = self.builder, self.builder.block
        head, inside, after = (builder.append_basic_block(name) for name in ("head", "inside", "after"))
        builder.branch(head)
        builder.position_at_end(head)
        starts = [self.number(0), *carry_values]
        values = [builder.phi(start.type) for start in starts]
        for value, start in zip(values, starts, strict=True):
            value.add_incoming(start, before)
        builder.cbranch(builder.icmp_signed("<", values[0], stop), inside, after)
        builder.position_at_end(inside)
        later = [self.plus(values[0], step), *(body(*values) or ())]
        for value, new in zip(values, later, strict=True):
            value.add_incoming(new, builder.block)  # the block in which the body ended, as it may have loops itself
        builder.branch(head)
        builder.position_at_end(after)
        return values[1:]

    def cover(self, columns: Any, tile: Callable[[Any, Masks], None]) -> None:
        """tile(column, masks) for as many of the widest tiles as fit, and one as narrow as may be for the rest."""
        widest, *narrower = self.widths
        full = self.largest_multiple(columns, widest * self.lanes)
        self.loop(full, widest * self.lanes, [], lambda column: tile(column, [None] * widest))
        rest = self.builder.sub(columns, full)
        for width, below in zip(self.widths, (*narrower, 0), strict=True):
            with self.builder.if_then(self.within(rest, below * self.lanes + 1, width * self.lanes)):
                tile(full, [self.mask(rest, k) for k in range(width)])

    def split(self, count: Any, tile: Callable[[Any, int], None]) -> None:
        """tile(first, width) so that each of `count` places is in one tile."""
        widest, *narrower = self.splits
        first = self.largest_multiple(count, widest)
        self.loop(first, widest, [], lambda offset_at: tile(offset_at, widest))
        for width in narrower:
            rest = self.largest_multiple(self.builder.sub(count, first), width)
            start = first
            self.loop(
                rest, width, [], lambda offset_at, start=start, width=width: tile(self.plus(start, offset_at), width)
            )
            first = self.plus(first, rest)


def array_intrinsic(write: Callable[..., None], lines: int, literal: Any, *kinds: Any) -> Any:
    """The signature of an intrinsic for arguments of these types, behind a literal one or none, and its code.

    `write` emits the code for blocks of `lines` rows; the first array tells the element type.
    """
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        v = VectorLoops(context, builder, kinds[0].dtype, lines)
        write(v, *map(v.argument, kinds, args[-len(kinds) :]))
        return context.get_dummy_value()

    argument_types = [kind if isinstance(kind, types.Array) else types.int64 for kind in kinds]
    return types.void(*(argument_types if literal is None else (literal, *argument_types))), code
