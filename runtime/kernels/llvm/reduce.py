"""Intrinsics over contiguous rows in vectors of 64 bytes, however wide registers are, so sums have one order; 16-bit
floats are widened as they are read. And which of 64 or 16 numbers hold a comparison, as bits of one integer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from ...compiler.jit import for_numba
from ...compiler.passes.target import reads_side_by_side
from .vectors import LINE, VectorLoops

BLOCK = 1024  # elements
AHEAD = 2048  # bytes: so far before it is added, an element is asked for (4 million on Zen 5: 177 us, now 145)
SIDE = 4  # blocks, and vectors of each, that are added side by side
FUSED = ("contract",)  # one instruction where there is one


def _of_blocks(kind: Any, row: Any, *center: Any) -> Any:
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return kind(context, builder, row, args[0], *args[2:]).sum_of_blocks(args[1])

    return types.float64(row, types.int64, *[types.float64] * len(center)), code


def _of_tail(kind: Any, row: Any, *center: Any) -> Any:
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lines = kind(context, builder, row, args[0], *args[3:])
        return lines.as_double(lines.total(*args[1:3]))

    return types.float64(row, types.int64, types.int64, *[types.float64] * len(center)), code


@for_numba
def sum_of_blocks(context: Any, row: Any, start: Any) -> Any:
    """sum_of_blocks(row, start): the sum of four blocks of 1024 elements, in double precision from block to block."""
    return _of_blocks(Lines, row)


@for_numba
def sum_of_tail(context: Any, row: Any, start: Any, count: Any) -> Any:
    """sum_of_tail(row, start, count): the sum of neighbours, which are so few that it loses nothing to their number."""
    return _of_tail(Lines, row)


@for_numba
def squares_of_blocks(context: Any, row: Any, start: Any, center: Any) -> Any:
    return _of_blocks(Squares, row, center)


@for_numba
def squares_of_tail(context: Any, row: Any, start: Any, count: Any, center: Any) -> Any:
    return _of_tail(Squares, row, center)


@for_numba
def product_of(context: Any, row: Any) -> Any:
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lines = Products(context, builder, row, args[0])
        return lines.total(lines.number(0), lines.count)

    return types.float64(row), code


@for_numba
def range_of(context: Any, row: Any) -> Any:
    """range_of(row): its least and its greatest element; what is nan is passed over, but the first."""
    from numba import types

    if row.layout != "C":
        return None
    result = types.UniTuple(row.dtype, 2)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = Lines(context, builder, row, args[0]).minmax()
        return context.make_tuple(builder, signature.return_type, value)

    return result(row), code


@for_numba
def minmax_of(context: Any, row: Any) -> Any:
    """minmax_of(row): its least and its greatest element; both are nan where one is; inf and -inf of no elements."""
    from numba import types

    if row.layout != "C":
        return None
    result = types.UniTuple(row.dtype, 2)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = NanKeepingLines(context, builder, row, args[0]).minmax()
        return context.make_tuple(builder, signature.return_type, value)

    return result(row), code


@for_numba
def fence(context: Any, number: Any) -> Any:
    """fence(number): the number itself, which LLVM makes no other expression of."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        name = f"llvm.arithmetic.fence.f{number.bitwidth}"
        kind = ir.FunctionType(args[0].type, [args[0].type])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)

    from llvmlite import ir
    from numba.core import cgutils

    return number(number), code


class Lines(VectorLoops):
    """Emits code for one row of an array, in vectors of 64 bytes of numbers."""

    asks = True  # whether for what lies ahead

    def __init__(self, context: Any, builder: Any, kind: Any, array: Any) -> None:
        super().__init__(context, builder, kind.dtype, 1)
        self.half = getattr(kind, "half", "")  # the name of the 16-bit float that is stored, if one is
        self.stored = 2 if self.half else self.size
        self.bytes, self.lanes = LINE, LINE // self.size
        self.type = self.ir.VectorType(self.element, self.lanes)
        self.start, self.join, self.side = self.ir.Constant(self.type, None), builder.fadd, SIDE
        value = context.make_array(kind)(context, builder, array)
        self.memory = builder.ptrtoint(value.data, self.ir.IntType(64))
        self.count = value.nitems

    def vector(self, offset: Any) -> Any:
        return self.numbers(offset, self.type, self.lanes)

    def one(self, offset: Any) -> Any:
        return self.numbers(offset, self.element, 0)

    def numbers(self, offset: Any, kind: Any, lanes: int) -> Any:
        from ...compiler.passes.float16 import HALF, widened

        address = self.plus(self.memory, self.times(offset, self.stored))
        stored = (self.ir.VectorType(HALF, lanes) if lanes else HALF) if self.half else kind
        read = self.builder.load(self.builder.inttoptr(address, stored.as_pointer()), align=self.stored)
        return widened(self.builder, read, self.half) if self.half else read

    def ask_ahead(self, offsets: Sequence[Any]) -> None:
        """Ask for what lies behind vectors, where memory is read in its order and little is computed."""
        for offset in offsets if self.asks and not reads_side_by_side() else ():
            self.prefetch_all(self.plus(self.plus(self.memory, self.times(offset, self.stored)), AHEAD), 1)

    def added(self, total: Any, x: Any) -> Any:
        return self.builder.fadd(total, x)

    def sum_of_blocks(self, start: Any) -> Any:
        # Side by side they keep more of some memory busy.
        unroll = SIDE if reads_side_by_side() else 1
        starts = [self.plus(start, k * BLOCK) for k in range(SIDE)]
        groups = [starts[k : k + unroll] for k in range(0, SIDE, unroll)]
        doubles = [self.as_double(total) for group in groups for total in self.sums(group)]
        return self.beside(self.builder.fadd, doubles)

    def sums(self, starts: Sequence[Any]) -> list[Any]:
        def add(i: Any, *totals: Any) -> list[Any]:
            starting = [self.plus(start, k * self.lanes) for start in starts for k in range(SIDE)]
            offsets = [self.plus(offset, i) for offset in starting]
            self.ask_ahead(offsets)
            matches = [self.vector(offset) for offset in offsets]
            return [self.added(total, each) for total, each in zip(totals, matches, strict=True)]

        totals = self.loop(self.number(BLOCK), SIDE * self.lanes, [self.start] * (SIDE * len(starts)), add)
        vectors = [self.beside(self.join, totals[k : k + SIDE]) for k in range(0, len(totals), SIDE)]
        return [self.across(self.join, vector) for vector in vectors]

    def total(self, start: Any, count: Any) -> Any:
        nothing = self.number(0)
        is_short = self.builder.icmp_signed("<", count, self.number(self.lanes))
        vector = self.in_lanes(start, self.builder.select(is_short, nothing, count))

        def add(i: Any, number: Any) -> list[Any]:
            return [self.added(number, self.one(self.plus(start, i)))]

        short_count = self.builder.select(is_short, count, nothing)
        return self.loop(short_count, 1, [self.across(self.join, vector)], add)[0]

    def in_lanes(self, start: Any, count: Any) -> Any:
        unrolled_count, full = (self.largest_multiple(count, k * self.lanes) for k in (self.side, 1))

        def add_from(first: Any, i: Any, *totals: Any) -> list[Any]:
            offsets = [self.plus(self.plus(first, i), k * self.lanes) for k in range(len(totals))]
            self.ask_ahead(offsets)
            return [self.added(total, self.vector(offset)) for total, offset in zip(totals, offsets, strict=True)]

        def add_rest(_: Any, total: Any) -> list[Any]:
            last = self.vector(self.plus(self.plus(start, count), -self.lanes))  # some of it has been added before
            return [self.builder.select(self.last_lanes(rest), self.added(total, last), total)]

        totals = self.loop(unrolled_count, self.side * self.lanes, [self.start] * self.side, partial(add_from, start))
        behind, single = self.plus(start, unrolled_count), self.builder.sub(full, unrolled_count)
        totals = self.loop(single, self.lanes, [self.beside(self.join, totals)], partial(add_from, behind))
        rest = self.builder.sub(count, full)
        once = self.builder.zext(self.builder.icmp_signed(">", rest, self.number(0)), rest.type)
        return self.loop(once, 1, totals, add_rest)[0]

    def last_lanes(self, count: Any) -> Any:
        word = self.ir.IntType(32)
        numbers = self.ir.Constant(self.ir.VectorType(word, self.lanes), [*range(self.lanes)])
        first = self.builder.sub(word(self.lanes), self.builder.trunc(count, word))
        return self.builder.icmp_signed(">=", numbers, self.splat(first))

    def beside(self, join: Any, vectors: Sequence[Any]) -> Any:
        matches = list(vectors)
        while len(matches) > 1:
            matches = [join(matches[k], matches[k + 1]) for k in range(0, len(matches), 2)]
        return matches[0]

    def across(self, join: Any, vector: Any) -> Any:
        lanes = self.lanes
        while lanes > 1:
            lanes //= 2
            halves = (self.shuffled(vector, vector, range(k, k + lanes)) for k in (0, lanes))
            vector = join(*halves)
        return self.builder.extract_element(vector, self.number(0, 32))

    def as_double(self, value: Any) -> Any:
        double = self.ir.DoubleType()
        if isinstance(value.type, self.ir.VectorType):
            double = self.ir.VectorType(double, value.type.count)
        return value if value.type == double else self.builder.fpext(value, double)

    def lesser(self, x: Any, y: Any) -> Any:
        """x where it is less, else y: one instruction, which leaves y as it is where x is nan."""
        return self.builder.select(self.builder.fcmp_ordered("<", x, y), x, y)

    def greater(self, x: Any, y: Any) -> Any:
        return self.builder.select(self.builder.fcmp_ordered(">", x, y), x, y)

    def joins(self) -> dict[Any, Any]:
        """What is found out about all elements: functions of one more element and the answer so far, which begins."""
        first = self.one(self.number(0))
        return {self.lesser: first, self.greater: first}

    def minmax(self) -> list[Any]:
        joins = self.joins()
        unrolled_count = self.largest_multiple(self.count, SIDE * self.lanes)
        single = self.largest_multiple(self.count, self.lanes)

        def go_on(start: Any, stop: Any, step: int, read: Any, carry_values: Sequence[Any]) -> list[Any]:
            def body(i: Any, *result: Any) -> list[Any]:
                new = read(self.plus(start, i))
                pairs = [(join, each) for join in joins for each in new]
                return [join(each, value) for (join, each), value in zip(pairs, result, strict=True)]

            return self.loop(self.builder.sub(stop, start), step, carry_values, body)

        def four(offset: Any) -> list[Any]:
            return [self.vector(self.plus(offset, k * self.lanes)) for k in range(SIDE)]

        start = [self.splat(value) for value in joins.values() for _ in range(SIDE)]
        wide = go_on(self.number(0), unrolled_count, SIDE * self.lanes, four, start)
        vectors = [self.beside(join, wide[k * SIDE : (k + 1) * SIDE]) for k, join in enumerate(joins)]
        vectors = go_on(unrolled_count, single, self.lanes, lambda offset: [self.vector(offset)], vectors)
        numbers = [self.across(join, vector) for join, vector in zip(joins, vectors, strict=True)]
        return go_on(single, self.count, 1, lambda offset: [self.one(offset)], numbers)


class NanKeepingLines(Lines):
    """Emits code for one row whose extremes are nan where an element is."""

    def joins(self) -> dict[Any, Any]:
        top, zero = (self.ir.Constant(self.element, value) for value in (math.inf, 0.0))
        return {self.lesser: top, self.greater: self.builder.fneg(top), self.unordered: zero}

    def unordered(self, x: Any, y: Any) -> Any:
        nan, zero = (self.ir.Constant(x.type, self._lanes_of(x.type, value)) for value in (math.nan, 0.0))
        return self.builder.select(self.builder.fcmp_unordered("uno", x, y), nan, zero)

    def _lanes_of(self, kind: Any, value: float) -> Any:
        return [value] * kind.count if isinstance(kind, self.ir.VectorType) else value

    def minmax(self) -> list[Any]:
        low, high, nan = super().minmax()
        is_nan = self.builder.fcmp_unordered("uno", nan, nan)
        return [self.builder.select(is_nan, nan, value) for value in (low, high)]


class Squares(Lines):
    """Emits code for one row whose elements are added as (x - center)^2."""

    asks = False  # often they were read just before, for the center

    def __init__(self, context: Any, builder: Any, kind: Any, array: Any, center: Any) -> None:
        super().__init__(context, builder, kind, array)
        self.center = center if center.type == self.element else builder.fptrunc(center, self.element)

    def added(self, total: Any, x: Any) -> Any:
        away = self.builder.fsub(x, self.center if x.type == self.element else self.splat(self.center))
        square = self.builder.fmul(away, away, flags=FUSED)
        return self.builder.fadd(total, square, flags=FUSED)


class Products(Lines):
    """One row multiplied in double precision, by 16 bytes: some processors widen 32 at half of the speed."""

    asks = False

    def __init__(self, context: Any, builder: Any, kind: Any, array: Any) -> None:
        super().__init__(context, builder, kind, array)
        self.lanes, self.side, self.join = 4, 2 * SIDE, builder.fmul
        self.type, doubles = (self.ir.VectorType(each, self.lanes) for each in (self.element, self.ir.DoubleType()))
        self.start = self.ir.Constant(doubles, [1.0] * self.lanes)

    def added(self, total: Any, x: Any) -> Any:
        return self.builder.fmul(total, self.as_double(x))


LANES = 64  # numbers that are compared
LINEAR_SEARCH_LANES = 16  # numbers that are compared at a time where one after the other is searched for


@for_numba
def not_below(context: Any, row: Any, start: Any, bound: Any) -> Any:
    """not_below(row, start, bound): bit i is row[start + i] >= bound, for the 64 integers from `start` on."""
    return _compared(row, ">=", LANES)


@for_numba
def count_not_below(context: Any, row: Any, start: Any, bound: Any) -> Any:
    """count_not_below(row, start, bound): bit i is row[start + i] >= bound, for 16 numbers; bit 16 is set."""
    return _compared(row, ">=", LINEAR_SEARCH_LANES)


@for_numba
def count_above(context: Any, row: Any, start: Any, bound: Any) -> Any:
    return _compared(row, ">", LINEAR_SEARCH_LANES)


def _compared(row: Any, relation: str, lanes: int) -> Any:
    """The bits of a comparison of so many neighbours with a number, which nan does not hold; behind them one is set."""
    from llvmlite import ir
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = builder.gep(context.make_array(row)(context, builder, args[0]).data, [args[1]])
        kind = ir.VectorType(first.type.pointee, lanes)
        each = builder.insert_element(ir.Constant(kind, ir.Undefined), args[2], ir.IntType(32)(0))
        every = builder.shuffle_vector(each, each, ir.Constant(ir.VectorType(ir.IntType(32), lanes), None))
        numbers = builder.load(builder.bitcast(first, kind.as_pointer()), align=row.dtype.bitwidth // 8)
        if isinstance(row.dtype, types.Float):
            holds = builder.fcmp_ordered(relation, numbers, every)
        else:
            compare = builder.icmp_signed if row.dtype.signed else builder.icmp_unsigned
            holds = compare(relation, numbers, every)
        bits = builder.bitcast(holds, ir.IntType(lanes))
        word = ir.IntType(LANES)
        return bits if lanes == LANES else builder.or_(builder.zext(bits, word), word(1 << lanes))

    return types.uint64(row, types.int64, row.dtype), code


@for_numba
def lowest_bit(context: Any, bits: Any) -> Any:
    from llvmlite import ir
    from numba import types

    return types.int64(types.uint64), lambda _, builder, __, args: builder.cttz(args[0], ir.IntType(1)(0))


@for_numba
def number_of_bits(context: Any, bits: Any) -> Any:
    from numba import types

    return types.int64(types.uint64), lambda _, builder, __, args: builder.ctpop(args[0])
