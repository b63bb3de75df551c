"""Intrinsics for running sums, products and extremes of eight neighbours in three steps, or of columns side by side."""

from __future__ import annotations

from typing import Any

from ...compiler.jit import for_numba

LANES = 8
BYTE = 8  # bits
# Which lane each is joined with in three steps: two within halves, as moving lanes from one to the other takes longer.
HALVES_FIRST = [0, 0, 1, 2, 4, 4, 5, 6], [0, 1, 0, 1, 4, 5, 4, 5], [0, 1, 2, 3, 3, 3, 3, 3]


@for_numba
def running_eights(context: Any, x: Any, out: Any, at: Any, stop: Any, base: Any) -> Any:
    """out[i] = base + x[at] + ... + x[i] for at <= i < stop, a multiple of eight, in float64 and rounded once; gives
    the last of them."""
    from numba import types

    if x.dtype not in (types.float32, types.float64) or x.layout != "C" or out.layout != "C":
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from numba.core import cgutils

        first, stop, base = args[2:]
        pair = zip(signature.args, args[:2], strict=False)
        source, target = (context.make_array(kind)(context, builder, array).data for kind, array in pair)
        # What came before is in all lanes, so that the next eight wait for one addition.
        total = cgutils.alloca_once_value(builder, splat(builder, base))
        step = first.type(LANES)
        with cgutils.for_range_slice(builder, first, stop, step, first.type) as (position, _):
            sums, before = prefixes(builder, eight_at(builder, source, position)), builder.load(total)
            store(builder, eight_at(builder, target, position), builder.fadd(sums, before))
            builder.store(builder.fadd(before, shuffled(builder, sums, [LANES - 1] * LANES)), total)
        return builder.extract_element(builder.load(total), lane(0))

    return types.float64(x, out, types.int64, types.int64, types.float64), code


@for_numba
def running_products(context: Any, x: Any, out: Any, at: Any, stop: Any, base: Any) -> Any:
    """out[i] = base x[at] ... x[i] for at <= i < stop, a multiple of eight; floats in float64. Of four neighbours'
    products none is too small for that, as eight might be: each four wait for those before them."""
    from numba import types

    if x.layout != "C" or out != x:
        return None
    number = types.float64 if isinstance(x.dtype, types.Float) else types.int64

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from numba.core import cgutils

        first, stop, base = args[2:]
        pair = zip(signature.args, args[:2], strict=False)
        source, target = (context.make_array(kind)(context, builder, array).data for kind, array in pair)
        total, times = (
            cgutils.alloca_once_value(builder, base),
            builder.fmul if number == types.float64 else builder.mul,
        )
        with cgutils.for_range_slice(builder, first, stop, first.type(LANES), first.type) as (position, _):
            fours = products_of_fours(builder, times, eight_at(builder, source, position), base.type)
            before = builder.load(total)
            half = times(before, builder.extract_element(fours, lane(LANES // 2 - 1)))
            halves = splat(builder, before), splat(builder, half)
            ahead = builder.shuffle_vector(*halves, constant([0] * (LANES // 2) + [LANES] * (LANES // 2)))
            store(builder, eight_at(builder, target, position), times(ahead, fours))
            builder.store(times(half, builder.extract_element(fours, lane(LANES - 1))), total)
        return builder.load(total)

    return number(x, out, types.int64, types.int64, number), code


def products_of_fours(builder: Any, times: Any, address: Any, number: Any) -> Any:
    products = widened_to(builder, builder.load(address, align=alignment(address)), number)
    ones = constant_of(products.type, 1)
    for positions in ([-1, 0, -1, 2, -1, 4, -1, 6], [-1, -1, 1, 1, -1, -1, 5, 5]):
        before = constant([LANES + j if j >= 0 else 0 for j in positions])
        products = times(builder.shuffle_vector(ones, products, before), products)
    return products


@for_numba
def running_eights_in_two(context: Any, x: Any, out: Any, at: Any, stop: Any, total: Any, low: Any) -> Any:
    """The same from total + low on, with what rounding takes from `total` in `low`; gives the first place that is not
    done, and both there. Eight whose sum is not finite, and all after them, are left."""
    from numba import types

    if x.dtype not in (types.float32, types.float64) or x.layout != "C" or out.layout != "C":
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from numba.core import cgutils

        pair = zip(signature.args, args[:2], strict=False)
        source, target = (context.make_array(kind)(context, builder, array).data for kind, array in pair)
        start, stop = args[2:4]
        stored_vars = [cgutils.alloca_once_value(builder, each) for each in (start, *args[4:])]
        body, done, end = (builder.append_basic_block(name) for name in ("eight", "finite", "end"))
        builder.cbranch(builder.icmp_signed("<", start, stop), body, end)
        with builder.goto_block(body):
            position, total, low = map(builder.load, stored_vars)
            sums = prefixes(builder, eight_at(builder, source, position))
            own = builder.extract_element(sums, lane(LANES - 1))
            lost = builder.fsub(own, own)
            builder.cbranch(builder.fcmp_ordered("ord", lost, lost), done, end)
        with builder.goto_block(done):
            before = splat(builder, builder.fadd(total, low))
            store(builder, eight_at(builder, target, position), builder.fadd(before, sums))
            total, error = two_sum(builder, total, own)
            position = builder.add(position, position.type(LANES))
            for buffer, value in zip(stored_vars, (position, total, builder.fadd(low, error)), strict=True):
                builder.store(value, buffer)
            builder.cbranch(builder.icmp_signed("<", position, stop), body, end)
        builder.position_at_end(end)
        return context.make_tuple(builder, signature.return_type, [builder.load(each) for each in stored_vars])

    result = types.Tuple((types.int64, types.float64, types.float64))
    return result(x, out, types.int64, types.int64, types.float64, types.float64), code


def two_sum(builder: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """a + b, and its rounding error; 0 where that is not finite."""
    total = builder.fadd(a, b)
    part = builder.fsub(total, a)
    error = builder.fadd(builder.fsub(a, builder.fsub(total, part)), builder.fsub(b, part))
    return total, builder.select(builder.fcmp_ordered("ord", error, error), error, error.type(None))


@for_numba
def argmax_of_8(
    context: Any, x: Any, values: Any, positions: Any, at: Any, stop: Any, position: Any, best: Any, result: Any
) -> Any:
    """Running maxima from `at` on, places `place`, ... of their line, and where they last occur; before them it is
    `best`, number `found`; gives those behind them. nan is greater than all numbers."""
    return _minmax_of_8(x, values, positions, ">=")


@for_numba
def argmin_of_8(
    context: Any, x: Any, values: Any, positions: Any, at: Any, stop: Any, position: Any, best: Any, result: Any
) -> Any:
    return _minmax_of_8(x, values, positions, "<=")


def _minmax_of_8(x: Any, values: Any, positions: Any, relation: str) -> Any:
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from numba.core import cgutils

        start, stop, position, best, match = args[3:]
        read, *written = (
            Eights(context, builder, *each) for each in zip((x, values, positions), args[:3], strict=True)
        )
        # What came before is in all lanes, so that the next eight wait for one comparison.
        before = splat(builder, read.lanes_of(read.model.as_data(builder, best))), splat(builder, match)
        carry_values = [cgutils.alloca_once_value(builder, each) for each in before]
        offset, step = builder.sub(position, start), start.type(LANES)
        with cgutils.for_range_slice(builder, start, stop, step, start.type) as (at, _):
            minmax, lanes = _running(builder, relation, read.load(at))
            number = splat(builder, builder.add(at, offset))
            own = minmax, builder.add(builder.zext(lanes, number.type), number)
            last = [shuffled(builder, each, [LANES - 1] * LANES) for each in own]
            ahead = [builder.load(each) for each in carry_values]
            for target, vector in zip(written, _later(builder, relation, ahead, own), strict=True):
                target.store(vector, at)
            for stored_vars, vector in zip(carry_values, _later(builder, relation, ahead, last), strict=True):
                builder.store(vector, stored_vars)
        best, match = (builder.extract_element(builder.load(each), lane(0)) for each in carry_values)
        return context.make_tuple(builder, signature.return_type, [read.number_of(best), match])

    result = types.Tuple((x.dtype, types.int64))
    return result(x, values, positions, *[types.int64] * 3, x.dtype, types.int64), code


@for_numba
def argmax_down(context: Any, groups: Any, x: Any, values: Any, positions: Any, at: Any, along: Any, after: Any) -> Any:
    """Of literally so many groups of eight columns: running maxima down `along` rows, `after` elements apart, the first
    at place `at`, and in which row they last occur. nan is greater than all numbers."""
    return _minmax_columns(groups, x, values, positions, ">=")


@for_numba
def argmin_down(context: Any, groups: Any, x: Any, values: Any, positions: Any, at: Any, along: Any, after: Any) -> Any:
    return _minmax_columns(groups, x, values, positions, "<=")


def _minmax_columns(groups: Any, x: Any, values: Any, positions: Any, relation: str) -> Any:
    from numba import types

    starts = [group * LANES for group in range(groups.literal_value)]

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from numba.core import cgutils

        first, along, after = args[4:]
        read, *written = (
            Eights(context, builder, *each) for each in zip((x, values, positions), args[1:4], strict=True)
        )
        none = constant([0] * LANES)
        carry_values = [
            [cgutils.alloca_once_value(builder, each) for each in (read.load(builder.add(first, first.type(k))), none)]
            for k in starts
        ]
        with cgutils.for_range(builder, along) as loop:
            row = builder.add(first, builder.mul(loop.index, after))
            number = splat(builder, builder.trunc(loop.index, none.type.element))
            for start, stored_vars in zip(starts, carry_values, strict=True):
                at = builder.add(row, first.type(start))
                best = _later(builder, relation, [builder.load(each) for each in stored_vars], (read.load(at), number))
                for buffer, vector in zip(stored_vars, best, strict=True):
                    builder.store(vector, buffer)
                written[0].store(best[0], at)
                written[1].store(builder.zext(best[1], written[1].vector), at)
        return context.get_dummy_value()

    return types.void(groups, x, values, positions, *[types.int64] * 3), code


def _running(builder: Any, relation: str, elements: Any) -> Any:
    """The running extremes of eight lanes, and in which lanes they occur: numbers of few bits need few registers."""
    pair = elements, constant(list(range(LANES)))
    for positions in HALVES_FIRST:
        pair = _later(builder, relation, [shuffled(builder, each, positions) for each in pair], pair)
    return pair


class Eights:
    """Emits reads and writes of eight neighbours of an array: those of 16-bit floats as float32, bools as int32."""

    def __init__(self, context: Any, builder: Any, kind: Any, array: Any) -> None:
        self.builder = builder
        self.half = getattr(kind, "half", "")
        self.data = context.make_array(kind)(context, builder, array).data
        self.model = context.data_model_manager[kind.dtype]

    @property
    def vector(self) -> Any:
        from llvmlite import ir

        return ir.VectorType(self.data.type.pointee, LANES)

    def load(self, start: Any) -> Any:
        from ...compiler.passes.float16 import widened

        address = eight_at(self.builder, self.data, start)
        vector = self.builder.load(address, align=alignment(address))
        return widened(self.builder, vector, self.half) if self.half else self.lanes_of(vector)

    def store(self, vector: Any, start: Any) -> None:
        from ...compiler.passes.float16 import narrowed

        address = eight_at(self.builder, self.data, start)
        stored = narrowed(self.builder, vector, self.half) if self.half else vector
        if self.is_bool():
            stored = self.builder.trunc(vector, address.type.pointee)
        self.builder.store(stored, address, align=alignment(address))

    def is_bool(self) -> bool:
        return getattr(self.data.type.pointee, "width", 0) == BYTE

    def lanes_of(self, data: Any) -> Any:
        from ...compiler.passes.float16 import WORD, like

        return self.builder.zext(data, like(data, WORD)) if self.is_bool() else data

    def number_of(self, lane: Any) -> Any:
        data = self.builder.trunc(lane, self.data.type.pointee) if self.is_bool() else lane
        return self.model.from_data(self.builder, data)


def _later(builder: Any, relation: str, before: Any, pair: Any) -> Any:
    """Of two extremes and their places, lane by lane, the second where that is as extreme, or nan."""
    (old, _), (new, _) = before, pair
    if hasattr(new.type.element, "width"):
        stored_vars = builder.icmp_signed(relation, new, old)
    else:
        stored_vars = builder.or_(builder.fcmp_ordered(relation, new, old), builder.fcmp_unordered("uno", new, new))
    return tuple(builder.select(stored_vars, *each) for each in zip(pair, before, strict=True))


def eight_at(builder: Any, start: Any, position: Any) -> Any:
    from llvmlite import ir

    kind = ir.VectorType(start.type.pointee, LANES)
    return builder.bitcast(builder.gep(start, [position]), kind.as_pointer())


def prefixes(builder: Any, address: Any) -> Any:
    from llvmlite import ir

    sums = widened_to(builder, builder.load(address, align=alignment(address)), ir.DoubleType())
    # -0 changes no number that it is added to; to shift in 0, LLVM has an instruction that AMD is slow at.
    nothing = constant_of(sums.type, -0.0)
    for step in (1, 2, 4):
        positions = [LANES + j - step if j >= step else j for j in range(LANES)]
        sums = builder.fadd(sums, builder.shuffle_vector(nothing, sums, constant(positions)))
    return sums


def widened_to(builder: Any, vector: Any, number: Any) -> Any:
    from llvmlite import ir

    wide = ir.VectorType(number, LANES)
    if vector.type == wide:
        return vector
    return builder.fpext(vector, wide) if number == ir.DoubleType() else builder.sext(vector, wide)


def constant_of(kind: Any, number: float) -> Any:
    from llvmlite import ir

    return ir.Constant(kind, [number] * LANES)


def store(builder: Any, address: Any, sums: Any) -> None:
    from llvmlite import ir

    stored = address.type.pointee
    narrow = builder.trunc if isinstance(stored.element, ir.IntType) else builder.fptrunc
    rounded = sums if stored == sums.type else narrow(sums, stored)
    builder.store(rounded, address, align=alignment(address))


def alignment(address: Any) -> int:
    from llvmlite import ir

    element = address.type.pointee.element
    return element.width // 8 if isinstance(element, ir.IntType) else 8 if element == ir.DoubleType() else 4


def splat(builder: Any, value: Any) -> Any:
    from llvmlite import ir

    kind = ir.VectorType(value.type, LANES)
    single = builder.insert_element(ir.Constant(kind, ir.Undefined), value, lane(0))
    return shuffled(builder, single, [0] * LANES)


def shuffled(builder: Any, vector: Any, positions: list[int]) -> Any:
    return builder.shuffle_vector(vector, vector, constant(positions))


def constant(positions: list[int]) -> Any:
    from llvmlite import ir

    return ir.Constant(ir.VectorType(ir.IntType(32), LANES), positions)


def lane(number: int) -> Any:
    from llvmlite import ir

    return ir.IntType(32)(number)
