"""The primitives of the scalar functions for numba's compilers: `primitives.py` says what each one means. numba and
numba-cuda have types and registries of their own, so the primitives are made for either. All are LLVM instructions, or
chosen when types are inferred: a loop that calls them stays one that LLVM vectorises."""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Callable
from functools import partial
from typing import Any

from .primitives import evaluated


class Target:
    """A compiler: its decorator `intrinsic`, its module `types`, its class of signatures, and its processor. Where the
    processor does not fuse a product and a sum, that is computed from sums and products, without a branch."""

    def __init__(self, intrinsic: Callable[..., Any], types: Any, signature: Any, fuses: bool = True) -> None:
        self.intrinsic = intrinsic
        self.types = types
        self.signature = signature
        self.fuses = fuses

    def is_single(self, x: Any) -> bool:
        return bool(x == self.types.float32)

    def number(self, x: Any) -> Any:
        return self.types.float32 if self.is_single(x) else self.types.float64

    def integer(self, x: Any) -> Any:
        return self.types.int32 if self.is_single(x) else self.types.int64

    def converted(self, x: Any, other: Any) -> Any:
        return self.number(x) if isinstance(other, self.types.Float) else other


def primitives(target: Target) -> dict[str, Any]:
    makers = (fma, root, select, where, choose, bits, from_bits, narrow, polynomial, pick, picks, product)
    return {make.__name__: target.intrinsic(bound(make, target)) for make in makers}


def bound(make: Callable[..., Any], target: Target) -> Callable[..., Any]:
    """What a compiler asks for the type and the code of an intrinsic, from its context and the types of arguments."""

    def define(*args: Any) -> Any:
        return make(target, *args)

    define.__name__ = make.__name__
    parameters = [*inspect.signature(make).parameters.values()]
    define.__signature__ = inspect.Signature(parameters[1:])  # type: ignore[attr-defined]
    return define


def fma(target: Target, context: Any, x: Any, y: Any, z: Any) -> Any:
    number = target.number(x)
    made = product_and_sum(target, x)
    return target.signature(number, number, number, number), lambda _, builder, __, args: made(builder, *args)


def product_and_sum(target: Target, x: Any) -> Any:
    if target.fuses:
        return fused
    return in_double if target.is_single(x) else in_pairs


def fused(builder: Any, x: Any, y: Any, z: Any) -> Any:
    return builder.fma(x, y, z)


def in_double(builder: Any, x: Any, y: Any, z: Any) -> Any:
    """x y + z of single precision: the product is exact, and the second rounding of the sum at most 2^-29 ulp."""
    from llvmlite import ir

    x, y, z = (builder.fpext(value, ir.DoubleType()) for value in (x, y, z))
    return builder.fptrunc(builder.fadd(builder.fmul(x, y), z), ir.FloatType())


def in_pairs(builder: Any, x: Any, y: Any, z: Any) -> Any:
    """x y + z of double precision: the rounded sum, and what the product and the sum lost, which is added last. The
    product of two halves of numbers is exact, unless it is too small. Where something overflows, or nothing was lost,
    the sum stays."""
    add, sub, mul = builder.fadd, builder.fsub, builder.fmul
    (x_high, x_low), (y_high, y_low) = halves(builder, x), halves(builder, y)
    product = mul(x, y)
    lost = add(add(sub(mul(x_high, y_high), product), mul(x_high, y_low)), mul(x_low, y_high))
    total = add(product, z)
    part = sub(total, product)
    rest = add(sub(product, sub(total, part)), sub(z, part))
    lost = add(lost, mul(x_low, y_low))
    rest = add(rest, builder.select(is_subnormal(builder, product), product.type(0.0), lost))
    return builder.select(builder.fcmp_unordered("==", rest, rest.type(0.0)), total, add(total, rest))


def is_subnormal(builder: Any, x: Any) -> Any:
    from llvmlite import ir

    exponent = builder.and_(builder.bitcast(x, ir.IntType(64)), ir.IntType(64)(0x7FF << 52))
    return builder.icmp_unsigned("==", exponent, exponent.type(0))


def rounded_twice(builder: Any, x: Any, y: Any, z: Any) -> Any:
    """x y + z by two instructions, where a rounding more does little harm."""
    return builder.fadd(builder.fmul(x, y), z)


def halves(builder: Any, x: Any) -> tuple[Any, Any]:
    from llvmlite import ir

    integral = ir.IntType(64)
    rounded = builder.and_(builder.add(builder.bitcast(x, integral), integral(1 << 26)), integral(-1 << 27))
    high = builder.bitcast(rounded, x.type)
    return high, builder.fsub(x, high)


def root(target: Target, context: Any, x: Any) -> Any:
    signature = target.signature(target.number(x), target.number(x))
    return signature, lambda context, builder, signature, args: context.get_function(math.sqrt, signature)(
        builder, args
    )


def select(target: Target, context: Any, condition: Any, x: Any, y: Any) -> Any:
    chosen = min(x, y, key=lambda kind: kind.bitwidth)
    signature = target.signature(chosen, target.types.boolean, chosen, chosen)
    return signature, lambda _, builder, __, args: builder.select(*args)


def where(target: Target, context: Any, condition: Any, x: Any, y: Any) -> Any:
    common = context.unify_types(x, y)
    signature = target.signature(common, target.types.boolean, common, common)
    return signature, lambda _, builder, __, args: builder.select(*args)


def choose(target: Target, context: Any, x: Any, single: Any, double: Any) -> Any:
    chosen = target.converted(x, single if target.is_single(x) else double)
    bit_index = 1 if target.is_single(x) else 2
    others = (target.converted(x, single), target.converted(x, double))
    return target.signature(chosen, x, *others), lambda _, __, ___, args: args[bit_index]


def bits(target: Target, context: Any, x: Any) -> Any:
    signature = target.signature(target.integer(x), target.number(x))
    return signature, lambda context, builder, signature, args: builder.bitcast(
        args[0], context.get_value_type(signature.return_type)
    )


def from_bits(target: Target, context: Any, x: Any, pattern: Any) -> Any:
    signature = target.signature(target.number(x), target.number(x), target.integer(x))
    return signature, lambda context, builder, signature, args: builder.bitcast(
        args[1], context.get_value_type(signature.return_type)
    )


def narrow(target: Target, context: Any, x: Any, k: Any) -> Any:
    signature = target.signature(target.integer(x), target.number(x), target.integer(x))
    return signature, lambda _, __, ___, args: args[1]


def polynomial(target: Target, context: Any, x: Any, single: Any, double: Any) -> Any:
    number = target.number(x)
    bit_index, table = (1, single) if target.is_single(x) else (2, double)
    exact = product_and_sum(target, x)
    # In single precision a step by way of double costs little, and all processors then give the same bits: one
    # unit of the polynomial in normal_cdf is up to three units of the product that it is a factor of.
    every = target.fuses or target.is_single(x)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        parts = ((builder.extract_value(args[bit_index], k), table[k]) for k in range(len(table)))
        coefficients = [context.cast(builder, value, kind, number) for value, kind in parts]
        step, last = (partial(each, builder) for each in (exact if every else rounded_twice, exact))
        return evaluated(args[0], coefficients, step, last, lambda x: builder.fmul(x, x))

    return target.signature(number, number, single, double), code


def pick(target: Target, context: Any, table: Any, index: Any) -> Any:
    chosen = way_to_pick(target, table)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return chosen(builder, parts_of(builder, args[0], len(table)), args[1])

    return target.signature(table.dtype, table, index), code


def picks(target: Target, context: Any, tables: Any, index: Any) -> Any:
    table = tables.dtype
    chosen = way_to_pick(target, table)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = [parts_of(builder, row, len(table)) for row in parts_of(builder, args[0], len(tables))]
        matches = [chosen(builder, row, args[1]) for row in rows]
        return context.make_tuple(builder, signature.return_type, matches)

    return target.signature(target.types.UniTuple(table.dtype, len(tables)), tables, index), code


def parts_of(builder: Any, value: Any, count: int) -> list[Any]:
    from llvmlite.ir.instructions import InsertValue

    known, rest = dict[int, Any](), value
    while isinstance(rest, InsertValue):
        known.setdefault(rest.indices[0], rest.operands[1])
        rest = rest.operands[0]
    return [known[k] if k in known else builder.extract_value(value, k) for k in range(count)]


def way_to_pick(target: Target, table: Any) -> Callable[..., Any]:
    return entry_of_long if ENTRIES.get(len(table)) == table.dtype.bitwidth else selected


def entry_of_long(builder: Any, values: list[Any], index: Any) -> Any:
    return (loaded if builder.module.triple.startswith("nvptx") else looked_up)(builder, values, index)


def selected(builder: Any, values: list[Any], index: Any) -> Any:
    """One of as many values as a power of two says, by the bits of the index from the highest on."""
    while len(values) > 1:
        half = len(values) // 2
        bit = builder.and_(index, index.type(half))
        upper = builder.icmp_unsigned("!=", bit, index.type(0))
        values = [builder.select(upper, values[k + half], values[k]) for k in range(half)]
    return values[0]


DEVICE_MEMORY = 1  # the address space of CUDA that all threads share
ENTRIES = {16: 32, 32: 32, 8: 64}  # the lengths of tables that fit into registers, and the bits of their entries
LOOKUPS = {length: f"specgrad.lookup{length}" for length in ENTRIES}  # functions that are found by their names


def looked_up(builder: Any, values: list[Any], index: Any) -> Any:
    """The same, by a call of a function of `LOOKUPS`: vector code permutes registers instead. It takes the bits of the
    numbers: LLVM asks of what all lanes share what it knows of integers alone."""
    from llvmlite import ir

    word = ir.IntType(ENTRIES[len(values)])
    narrow = builder.trunc(index, word) if index.type.width > word.width else builder.sext(index, word)
    return builder.call(lookup(builder.module, len(values)), [narrow, *(builder.bitcast(v, word) for v in values)])


def lookup(module: Any, length: int) -> Any:
    from llvmlite import ir

    if LOOKUPS[length] in module.globals:
        return module.globals[LOOKUPS[length]]
    bits = ENTRIES[length]
    word, number = ir.IntType(bits), ir.FloatType() if bits == 32 else ir.DoubleType()
    function = ir.Function(module, ir.FunctionType(number, [word] * (1 + length)), LOOKUPS[length])
    function.linkage = "linkonce_odr"
    for attribute in ("noinline", "nounwind", "willreturn", "memory(none)"):  # inlined when loops are vectors
        set.add(function.attributes, attribute)  # past llvmlite's list of attributes
    builder = ir.IRBuilder(function.append_basic_block())
    table = ir.Constant(ir.VectorType(number, length), ir.Undefined)
    for k, value in enumerate(function.args[1:]):
        table = builder.insert_element(table, builder.bitcast(value, number), word(k))
    builder.ret(builder.extract_element(table, builder.and_(function.args[0], word(length - 1))))
    return function


def loaded(builder: Any, values: list[Any], index: Any) -> Any:
    """The same where threads load from a table in memory: they hit few lines of the cache, whatever entries they want.
    A table that is not known when code is made is chosen from."""
    from llvmlite import ir

    if not all(isinstance(value, ir.Constant) for value in values):
        return selected(builder, values, index)
    kind, word = ir.ArrayType(values[0].type, len(values)), ir.IntType(32)
    digest = hashlib.sha256(repr([value.constant for value in values]).encode()).hexdigest()[:16]
    name = f"specgrad_table_{digest}"
    table = builder.module.globals.get(name)
    if table is None:
        table = ir.GlobalVariable(builder.module, kind, name, addrspace=DEVICE_MEMORY)
        table.linkage, table.global_constant, table.initializer = "internal", True, ir.Constant(kind, values)
    bit_index = builder.and_(
        builder.trunc(index, word) if index.type.width > word.width else index, word(len(values) - 1)
    )
    return builder.load(builder.gep(table, [word(0), bit_index], inbounds=True))


def by_exponent(target: Target, context: Any, x: Any, k: Any) -> Any:
    """`scaled` of exponential.py by LLVM's own function, where that is one instruction: the same bits."""
    signature = target.signature(target.number(x), target.number(x), target.integer(x))
    return signature, by_ldexp


def by_ldexp(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    from llvmlite import ir

    x, k = args
    name = f"llvm.ldexp.{'f32' if x.type == ir.FloatType() else 'f64'}.{k.type}"
    function = builder.module.globals.get(name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(x.type, (x.type, k.type)), name)
    return builder.call(function, args)


def product(target: Target, context: Any, x: Any, y: Any) -> Any:
    word = target.types.uint64
    return target.signature(target.types.UniTuple(word, 2), word, word), both_halves


def both_halves(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    from llvmlite import ir

    word, wide = ir.IntType(64), ir.IntType(128)
    integral = builder.mul(*(builder.zext(value, wide) for value in args))
    halves = builder.trunc(builder.lshr(integral, wide(64)), word), builder.trunc(integral, word)
    return context.make_tuple(builder, signature.return_type, halves)
