"""Intrinsics of copies of runs, of sums of rows picked from a table, and of reading by index. A copy of few elements is
two vectors of half of a vector, or a quarter, from both ends: so no masks are needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...compiler.jit import for_numba
from ...compiler.passes.target import vector_registers
from .intrinsics import of_arrays
from .vectors import Flat, Masks, VectorLoops


@for_numba
def copy_elements(context: Any, to: Any, source: Any) -> Any:
    """copy_elements(to, source): to[i] = source[i], of flat arrays of one kind, as many as `to` has."""
    return _moving(to, source, backward=False)


@for_numba
def reverse_elements(context: Any, to: Any, source: Any) -> Any:
    """reverse_elements(to, source): to[i] = source[n - 1 - i], of flat arrays of one kind; `to` has n elements."""
    return _moving(to, source, backward=True)


def _moving(to: Any, source: Any, backward: bool) -> Any:
    from numba import types

    if {to.layout, source.layout} != {"C"} or to.dtype != source.dtype:
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arg = zip((to, source), args, strict=True)
        target, read = [context.make_array(kind)(context, builder, value) for kind, value in arg]
        RunCopy(context, builder, target, read, backward, conversion(builder, source, to)).write()
        return context.get_dummy_value()

    return types.void(to, source), code


def conversion(builder: Any, source: Any, to: Any) -> Callable[[Any], Any] | None:
    """What is done to the bits of elements, None for nothing; 16-bit floats go by float32: one pattern of nan."""
    from ...compiler.passes.float16 import SINGLE, WORD, like, narrowed, widened

    before, after = (getattr(kind, "half", "") for kind in (source, to))

    def convert(bits: Any) -> Any:
        number = widened(builder, bits, before) if before else builder.bitcast(bits, like(bits, SINGLE))
        return narrowed(builder, number, after) if after else builder.bitcast(number, like(bits, WORD))

    return convert if before or after else None


class RunCopy:
    """Emits the copy of one run; elements are moved as whole numbers of their size."""

    def __init__(self, context: Any, builder: Any, to: Any, source: Any, backward: bool, convert: Any) -> None:
        from llvmlite import ir

        self.ir, self.builder, self.backward, self.convert, self.word = ir, builder, backward, convert, ir.IntType(64)
        self.sizes = [context.get_abi_sizeof(array.data.type.pointee) for array in (to, source)]
        self.to, self.source = (builder.ptrtoint(array.data, self.word) for array in (to, source))
        self.count = to.nitems

    def write(self) -> None:
        self.copy_by(vector_registers()[0] // max(self.sizes), full=True)

    def copy_by(self, lanes: int, full: bool = False) -> None:
        """Copy by vectors of so many lanes, of half of them if the run is shorter; the last may overlap."""
        enough = self.builder.icmp_signed(">=", self.count, self.word(lanes))
        if lanes == 1 and full:  # an element fills a vector, as two float64 fill 128 bits
            self.loop(self.count, 1, lambda i: self.move(i, 1))
            return
        if lanes == 1:
            with self.builder.if_then(enough):
                self.move(self.word(0), 1)
            return
        with self.builder.if_else(enough) as (then, otherwise):
            with then:
                last = self.builder.sub(self.count, self.word(lanes))
                if full:
                    self.loop(last, lanes, lambda i: self.move(i, lanes))
                else:
                    self.move(self.word(0), lanes)
                self.move(last, lanes)
            with otherwise:
                self.copy_by(lanes // 2)

    def loop(self, stop: Any, step: int, body: Callable[[Any], None]) -> None:
        from numba.core import cgutils

        with cgutils.for_range_slice(self.builder, self.word(0), stop, self.word(step), inc=True) as (i, _):
            body(i)

    def move(self, offset: Any, lanes: int) -> None:
        start = offset
        if self.backward:
            start = self.builder.sub(self.builder.sub(self.count, self.word(lanes)), offset)
        to_size, source_size = self.sizes
        result = self.builder.load(self.pointer(self.source, start, source_size, lanes), align=source_size)
        if self.backward and lanes > 1:
            order = self.ir.Constant(self.ir.VectorType(self.ir.IntType(32), lanes), [*reversed(range(lanes))])
            result = self.builder.shuffle_vector(result, result, order)
        result = self.convert(result) if self.convert else result
        self.builder.store(result, self.pointer(self.to, offset, to_size, lanes), align=to_size)

    def pointer(self, memory: Any, offset: Any, size: int, lanes: int) -> Any:
        address = self.builder.add(memory, self.builder.mul(offset, self.word(size)))
        return self.builder.inttoptr(address, self.ir.VectorType(self.ir.IntType(8 * size), lanes).as_pointer())


AHEAD = 12  # rows: so many before it is added, one is asked for
LINES = 4  # of the sizes of tiles: see `VectorLoops`


@of_arrays(LINES)
def sum_of_rows(v: VectorLoops, table: Flat, offsets: Flat, factors: Flat, first: Any, last: Any, out: Flat) -> None:
    """out[j] += sum_k factors[k] table[places[k] + j], k from `first` to `last`; AHEAD more places are there."""
    count = v.builder.sub(last, first)

    def tile(column: Any, masks: Masks) -> None:
        start = v.at(table.start, column)

        def add(k: Any, *sums: Any) -> list[Any]:
            offset_at = v.plus(first, k)
            v.prefetch_all(v.at(start, v.offset_at(offsets, v.plus(offset_at, AHEAD))), len(masks))
            row = v.load_all(v.at(start, v.offset_at(offsets, offset_at)), masks)
            return v.add_products([v.splat(v.scalar(v.at(factors.start, offset_at)))], row, sums)

        def add_two(k: Any, *sums: Any) -> list[Any]:
            return [*add(k, *sums[: len(masks)]), *add(v.plus(k, 1), *sums[len(masks) :])]

        to, pairs = v.at(out.start, column), v.largest_multiple(count, 2)
        # Of every second row apart: one addition need not wait for the other.
        sums = v.loop(pairs, 2, [*v.load_all(to, masks), *[v.zero] * len(masks)], add_two)
        added = [v.builder.fadd(*both) for both in zip(sums, sums[len(masks) :], strict=False)]
        rest = v.builder.sub(count, pairs)
        v.store_all(v.loop(rest, 1, added, lambda _, *sums: add(pairs, *sums)), to, masks)

    v.cover(out.size, tile)


TILE_ELEMENTS = 4  # elements


@for_numba
def take_into(context: Any, memory: Any, positions: Any, to: Any) -> Any:
    """take_into(memory, places, to): to[i] = memory[places[i]], of flat arrays; places are integers of 64 bits."""
    from numba import types

    if (
        {memory.layout, positions.layout, to.layout} != {"C"}
        or memory.dtype != to.dtype
        or positions.dtype.bitwidth != 64
    ):
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arg = zip(signature.args, args, strict=True)
        read, result, target = [context.make_array(kind)(context, builder, value) for kind, value in arg]
        Take(builder, read, result, target, conversion(builder, memory, to)).write()
        return context.get_dummy_value()

    return types.void(memory, positions, to), code


class Take:
    """Emits the loops: over vectors of elements, then over what is left."""

    def __init__(self, builder: Any, memory: Any, positions: Any, to: Any, convert: Any) -> None:
        from llvmlite import ir

        self.ir, self.builder, self.word = ir, builder, ir.IntType(64)
        self.memory, self.positions, self.to = memory.data, positions.data, to.data
        self.count, self.convert = to.nitems, convert or (lambda bits: bits)

    def write(self) -> None:
        fours = self.builder.and_(self.count, self.word(-TILE_ELEMENTS))
        if isinstance(self.to.type.pointee, self.ir.LiteralStructType):  # there are no vectors of complex numbers
            fours = self.word(0)
        else:
            self.loop(self.word(0), fours, TILE_ELEMENTS, self.write_vector)
        self.loop(fours, self.count, 1, self.write_one)

    def loop(self, start: Any, stop: Any, step: int, body: Any) -> None:
        from numba.core import cgutils

        with cgutils.for_range_slice(self.builder, start, stop, self.word(step), inc=True) as (i, _):
            body(i)

    def read(self, i: Any) -> Any:
        position = self.builder.load(self.builder.gep(self.positions, [i]))
        return self.builder.load(self.builder.gep(self.memory, [position]))

    def write_one(self, i: Any) -> None:
        self.store(self.convert(self.read(i)), i)

    def write_vector(self, i: Any) -> None:
        kind = self.ir.VectorType(self.memory.type.pointee, TILE_ELEMENTS)
        vector = self.ir.Constant(kind, self.ir.Undefined)
        for k in range(TILE_ELEMENTS):
            vector = self.builder.insert_element(vector, self.read(self.builder.add(i, self.word(k))), self.word(k))
        self.store(self.convert(vector), i)

    def store(self, value: Any, i: Any) -> None:
        pointer = self.builder.bitcast(self.builder.gep(self.to, [i]), value.type.as_pointer())
        self.builder.store(value, pointer, align=1)
