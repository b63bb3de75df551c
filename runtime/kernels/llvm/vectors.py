"""LLVM vector code for numba kernels: vectors as wide as the machine's, and loops over flat arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...compiler.passes.target import fuses, vector_registers

LINE = 64  # bytes of a line of a cache
MASKED = 64  # bytes of the vectors whose masks are bits in registers of their own


class Vectors:
    """Emits code for vectors of one element type, as many as a register holds, but no more than `most`."""

    def __init__(self, context: Any, builder: Any, like: Any, max_registers: int = LINE) -> None:
        from llvmlite import ir

        self.ir, self.builder = ir, builder
        self.size = like.bitwidth // 8
        self.lanes = min(vector_registers()[0] // self.size, max_registers)
        self.bytes = self.lanes * self.size
        self.element = context.get_value_type(like)
        self.type = ir.VectorType(self.element, self.lanes)
        self.name = f"v{self.lanes}f{like.bitwidth}"
        self.zero = ir.Constant(self.type, None)

    def number(self, value: int, bits: int = 64) -> Any:
        return self.ir.Constant(self.ir.IntType(bits), value)

    def call(self, name: str, result: Any, *args: Any) -> Any:
        from numba.core import cgutils

        kind = self.ir.FunctionType(result, [a.type for a in args])
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), args)

    def fma(self, x: Any, y: Any, z: Any) -> Any:
        if not fuses():  # the intrinsic would be a call of the C library for each lane
            return self.builder.fadd(self.builder.fmul(x, y), z)
        return self.call(f"llvm.fma.{self.name}", self.type, x, y, z)

    def address(self, base: Any, stride: Any, count: int, offset: int = 0) -> Any:
        moved = self.builder.add(base, self.builder.mul(stride, self.number(count)))
        return self.builder.add(moved, self.number(offset))

    def splat(self, value: Any) -> Any:
        kind = self.ir.VectorType(value.type, self.lanes)
        undefined = self.ir.Constant(kind, self.ir.Undefined)
        # This pair is how LLVM writes a broadcast: it becomes one instruction.
        single = self.builder.insert_element(undefined, value, self.number(0, 32))
        return self.shuffled(single, single, [0] * self.lanes)

    def shuffled(self, a: Any, b: Any, indices: Sequence[int]) -> Any:
        from ...compiler.language.memory import shuffled  # which loads llvmlite

        return shuffled(self.builder, a, b, indices)

    def mask(self, width: Any, number: int) -> Any:
        if self.bytes == MASKED:
            return self.bits_mask(self.builder.sub(width, self.number(number * self.lanes)))
        kind = self.ir.VectorType(self.ir.IntType(64), self.lanes)
        indices = self.ir.Constant(kind, list(range(number * self.lanes, (number + 1) * self.lanes)))
        return self.builder.icmp_signed("<", indices, self.splat(width))

    def bits_mask(self, count: Any) -> Any:
        """The first `count` lanes, as bits: a comparison of vectors LLVM would repeat in every loop."""
        builder, none, max_registers = self.builder, self.number(0), self.number(self.lanes)
        some = builder.select(builder.icmp_signed("<", count, none), none, count)
        inside = builder.select(builder.icmp_signed("<", some, max_registers), some, max_registers)
        bits = builder.sub(builder.shl(self.number(1), inside), self.number(1))
        lanes = builder.trunc(bits, self.ir.IntType(self.lanes))
        return builder.bitcast(lanes, self.ir.VectorType(self.ir.IntType(1), self.lanes))

    def scalar(self, address: Any) -> Any:
        pointer = self.builder.inttoptr(address, self.element.as_pointer())
        return self.builder.load(pointer, align=self.size)  # of one element: rows may begin anywhere

    def load(self, address: Any, mask: Any = None) -> Any:
        pointer = self.builder.inttoptr(address, self.type.as_pointer())
        if mask is None:
            # Aligned as an element: without that LLVM takes a vector's own alignment for granted.
            return self.builder.load(pointer, align=self.size)
        name, align = f"llvm.masked.load.{self.name}.p0", self.number(self.size, 32)
        return self.call(name, self.type, pointer, align, mask, self.zero)

    def store(self, vector: Any, address: Any, mask: Any = None) -> None:
        pointer = self.builder.inttoptr(address, self.type.as_pointer())
        if mask is None:
            self.builder.store(vector, pointer, align=self.size)
        else:
            name, align = f"llvm.masked.store.{self.name}.p0", self.number(self.size, 32)
            self.call(name, self.ir.VoidType(), vector, pointer, align, mask)

    def prefetch_all(self, address: Any, count: int) -> None:
        """Ask for neighbouring vectors, which will be used soon; the address may lie outside of all memory."""
        how = [self.number(value, 32) for value in (0, 3, 1)]  # to read, into the nearest cache, data
        for k in range(0, count * self.bytes, LINE):
            pointer = self.builder.inttoptr(self.builder.add(address, self.number(k)), self.type.as_pointer())
            self.call("llvm.prefetch.p0", self.ir.VoidType(), pointer, *how)

    def transposed(self, rows: Sequence[Any]) -> list[Any]:
        from ...compiler.language.memory import transposed  # which loads llvmlite

        return transposed(self.builder, rows)


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
        return self.plus(address, self.times(self.index(offset_at), self.size))

    def row(self, address: Any, step: Any, line: Any) -> Any:
        return self.at(address, self.times(step, line))

    def rows(self, address: Any, step: Any) -> list[Any]:
        return [self.row(address, step, r) for r in range(self.lines)]

    def offset_at(self, offsets: Flat, p: Any) -> Any:
        pointer = self.builder.inttoptr(self.plus(offsets.start, self.times(p, 8)), self.ir.IntType(64).as_pointer())
        return self.builder.load(pointer)

    def largest_multiple(self, x: Any, of: int) -> Any:
        return self.builder.sub(x, self.builder.srem(x, self.number(of)))

    def within(self, x: Any, low: int, high: int) -> Any:
        above = self.builder.icmp_signed(">=", x, self.number(low))
        return self.builder.and_(above, self.builder.icmp_signed("<=", x, self.number(high)))

    # Rows of vectors

    def load_all(self, address: Any, masks: Masks) -> list[Any]:
        return [self.load(self.plus(address, k * self.bytes), mask) for k, mask in enumerate(masks)]

    def store_all(self, vectors: Sequence[Any], address: Any, masks: Masks) -> None:
        for k, (vector, mask) in enumerate(zip(vectors, masks, strict=True)):
            self.store(vector, self.plus(address, k * self.bytes), mask)

    def evens(self) -> Any:
        return self.ir.Constant(
            self.ir.VectorType(self.ir.IntType(1), self.lanes), [1 - k % 2 for k in range(self.lanes)]
        )

    def add_products(self, lefts: Sequence[Any], rights: Sequence[Any], sums: Sequence[Any]) -> list[Any]:
        count = len(rights)
        return [self.fma(lefts[i // count], rights[i % count], total) for i, total in enumerate(sums)]

    def add_to(self, address: Any, vector: Any) -> None:
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
        widest, *narrower = self.widths
        full = self.largest_multiple(columns, widest * self.lanes)
        self.loop(full, widest * self.lanes, [], lambda column: tile(column, [None] * widest))
        rest = self.builder.sub(columns, full)
        for width, below in zip(self.widths, (*narrower, 0), strict=True):
            with self.builder.if_then(self.within(rest, below * self.lanes + 1, width * self.lanes)):
                tile(full, [self.mask(rest, k) for k in range(width)])

    def split(self, count: Any, tile: Callable[[Any, int], None]) -> None:
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
