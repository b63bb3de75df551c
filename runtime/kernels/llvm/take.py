"""Intrinsic of reading by index: elements from anywhere in memory, which are stored several at a time.

With a store for each element, these are what such a loop waits for.
"""

from __future__ import annotations

from typing import Any

from . import for_numba
from .runs import conversion

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
        """Read and store all."""
        fours = self.builder.and_(self.count, self.word(-TILE_ELEMENTS))
        if isinstance(self.to.type.pointee, self.ir.LiteralStructType):  # there are no vectors of complex numbers
            fours = self.word(0)
        else:
            self.loop(self.word(0), fours, TILE_ELEMENTS, self.write_vector)
        self.loop(fours, self.count, 1, self.write_one)

    def loop(self, start: Any, stop: Any, step: int, body: Any) -> None:
        """body(i) for i in range(start, stop, step)."""
        from numba.core import cgutils

        with cgutils.for_range_slice(self.builder, start, stop, self.word(step), inc=True) as (i, _):
            body(i)

    def read(self, i: Any) -> Any:
        """The element at place number i."""
        position = self.builder.load(self.builder.gep(self.positions, [i]))
        return self.builder.load(self.builder.gep(self.memory, [position]))

    def write_one(self, i: Any) -> None:
        """Store element number i."""
        self.store(self.convert(self.read(i)), i)

    def write_vector(self, i: Any) -> None:
        """Store the elements from number i on, as one vector."""
        kind = self.ir.VectorType(self.memory.type.pointee, TILE_ELEMENTS)
        vector = self.ir.Constant(kind, self.ir.Undefined)
        for k in range(TILE_ELEMENTS):
            vector = self.builder.insert_element(vector, self.read(self.builder.add(i, self.word(k))), self.word(k))
        self.store(self.convert(vector), i)

    def store(self, value: Any, i: Any) -> None:
        """Write an element, or a vector of them, where element number i stands."""
        pointer = self.builder.bitcast(self.builder.gep(self.to, [i]), value.type.as_pointer())
        self.builder.store(value, pointer, align=1)
