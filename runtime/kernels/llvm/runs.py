"""Intrinsics of copies of runs, which may be short: vectors that overlap take the place of loops over what is left.

A copy of fewer elements than a vector has is two vectors of half of them, or of a quarter, from both ends: so there is
nothing that goes element by element, and no masks, which not all processors have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..compile.machine import vector_registers
from . import for_numba


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
    """What is done to the bits of an element, or of a vector of them, from one array to another: None where nothing is.

    An element of 16-bit floats is read as float32 and rounded, as it is everywhere, so that a nan has one pattern.
    """
    from ..compile.half_bits import SINGLE, WORD, like, narrowed, widened

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
        """Copy all."""
        self.copy_by(vector_registers()[0] // max(self.sizes), full=True)

    def copy_by(self, lanes: int, full: bool = False) -> None:
        """Copy by vectors of so many lanes if the run has as many elements, else by those of half of them: each but the
        last one, if there may be several, and the last one, which may overlap the one before."""
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
        """body(i) for i in range(0, stop, step)."""
        from numba.core import cgutils

        with cgutils.for_range_slice(self.builder, self.word(0), stop, self.word(step), inc=True) as (i, _):
            body(i)

    def move(self, offset: Any, lanes: int) -> None:
        """Write so many elements from a place on."""
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
        """Where the element at a place lies, as the address of a vector."""
        address = self.builder.add(memory, self.builder.mul(offset, self.word(size)))
        return self.builder.inttoptr(address, self.ir.VectorType(self.ir.IntType(8 * size), lanes).as_pointer())
