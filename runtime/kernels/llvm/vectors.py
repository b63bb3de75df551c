"""LLVM vector code for numba kernels: loads, stores, shuffles and arithmetic of vectors as wide as the machine's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..compile.machine import fuses, vector_registers

LINE = 64  # bytes of a line of a cache
MASKED = 64  # bytes of the vectors whose masks are bits in registers of their own


class Vectors:
    """Emits code for vectors of one element type through a builder; addresses, strides and offsets are bytes.

    Vectors have as many elements as a register, but no more than `most`.
    """

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
        """A call of one of LLVM's own functions."""
        from numba.core import cgutils

        kind = self.ir.FunctionType(result, [a.type for a in args])
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), args)

    def fma(self, x: Any, y: Any, z: Any) -> Any:
        """x y + z, rounded once where the machine does that."""
        if not fuses():  # the intrinsic would be a call of the C library for each lane
            return self.builder.fadd(self.builder.fmul(x, y), z)
        return self.call(f"llvm.fma.{self.name}", self.type, x, y, z)

    def address(self, base: Any, stride: Any, count: int, offset: int = 0) -> Any:
        """base + count * stride + offset."""
        moved = self.builder.add(base, self.builder.mul(stride, self.number(count)))
        return self.builder.add(moved, self.number(offset))

    def splat(self, value: Any) -> Any:
        """A vector with the same value in all lanes."""
        kind = self.ir.VectorType(value.type, self.lanes)
        undefined = self.ir.Constant(kind, self.ir.Undefined)
        # This pair is how LLVM writes a broadcast: it becomes one instruction.
        single = self.builder.insert_element(undefined, value, self.number(0, 32))
        return self.shuffled(single, single, [0] * self.lanes)

    def shuffled(self, a: Any, b: Any, indices: Sequence[int]) -> Any:
        """The lanes of `a`, and behind them those of `b`, at the given places."""
        from .native_code.squares import shuffled  # which loads llvmlite

        return shuffled(self.builder, a, b, indices)

    def mask(self, width: Any, number: int) -> Any:
        """Which lanes of vector `number` of a row are among the first `width` elements of the row."""
        if self.bytes == MASKED:
            return self.bits_mask(self.builder.sub(width, self.number(number * self.lanes)))
        kind = self.ir.VectorType(self.ir.IntType(64), self.lanes)
        indices = self.ir.Constant(kind, list(range(number * self.lanes, (number + 1) * self.lanes)))
        return self.builder.icmp_signed("<", indices, self.splat(width))

    def bits_mask(self, count: Any) -> Any:
        """The first `count` lanes, as bits of a number: a comparison of vectors LLVM would repeat in every loop that
        reads by it, where it takes the place of arithmetic."""
        builder, none, max_registers = self.builder, self.number(0), self.number(self.lanes)
        some = builder.select(builder.icmp_signed("<", count, none), none, count)
        inside = builder.select(builder.icmp_signed("<", some, max_registers), some, max_registers)
        bits = builder.sub(builder.shl(self.number(1), inside), self.number(1))
        lanes = builder.trunc(bits, self.ir.IntType(self.lanes))
        return builder.bitcast(lanes, self.ir.VectorType(self.ir.IntType(1), self.lanes))

    def scalar(self, address: Any) -> Any:
        """The one element at an address."""
        pointer = self.builder.inttoptr(address, self.element.as_pointer())
        return self.builder.load(pointer, align=self.size)  # of one element: rows may begin anywhere

    def load(self, address: Any, mask: Any = None) -> Any:
        """The vector at an address; lanes that are masked out are not read, and zero."""
        pointer = self.builder.inttoptr(address, self.type.as_pointer())
        if mask is None:
            # Aligned as an element: without that LLVM takes a vector's own alignment for granted.
            return self.builder.load(pointer, align=self.size)
        name, align = f"llvm.masked.load.{self.name}.p0", self.number(self.size, 32)
        return self.call(name, self.type, pointer, align, mask, self.zero)

    def store(self, vector: Any, address: Any, mask: Any = None) -> None:
        """Write a vector; lanes that are masked out are not written."""
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
        """The transpose of as many rows as lanes."""
        from .native_code.squares import transposed  # which loads llvmlite

        return transposed(self.builder, rows)


def emitted(kind: Any, like: Any, count: int) -> Any:
    """What an intrinsic gives numba whose code `kind(vectors, *arguments).emit()` writes: its arguments are `like`, of
    the type of the elements, and `count` addresses and numbers; it returns nothing."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind(Vectors(context, builder, like), *args[1:]).emit()
        return context.get_dummy_value()

    return types.void(like, *[types.int64] * count), code


def emitted_strided(kind: Any, like: Any, count: int) -> Any:
    """The same, but the code is a function by itself, which is not inlined."""
    from llvmlite import ir
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        name, integer = f"{kind.__name__}.{like}", ir.IntType(64)
        cached = builder.module.globals.get(name)
        if cached is None:
            cached = ir.Function(builder.module, ir.FunctionType(ir.VoidType(), [integer] * count), name)
            cached.linkage = "internal"
            cached.attributes.update(("noinline", "nounwind"))
            inside = ir.IRBuilder(cached.append_basic_block())
            kind(Vectors(context, inside, like), *cached.args).emit()
            inside.ret_void()
        builder.call(cached, args[1:])
        return context.get_dummy_value()

    return types.void(like, *[types.int64] * count), code
