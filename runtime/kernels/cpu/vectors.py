"""What tiles.py writes in: LLVM instructions on whole vector registers, as wide as the machine has them.

numba leaves it to LLVM to find vectors in loops over numbers. That finds no sums that stay in registers while an outer
loop runs; here they are written as such.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Machine(NamedTuple):
    """The vector registers of a processor."""

    bytes: int
    registers: int


@functools.cache
def machine() -> Machine:
    """The registers of the processor that numba compiles for."""
    from llvmlite.binding import get_host_cpu_features
    from numba.core import config

    given = config.CPU_FEATURES
    features = set((get_host_cpu_features().flatten() if given is None else given).split(","))
    if "+avx512f" in features:
        return Machine(64, 32)
    if "+avx" in features:
        return Machine(32, 16)
    return Machine(16, 32 if "+neon" in features else 16)


class Vectors:
    """Writes instructions on vectors of one type of number."""

    def __init__(self, context: Any, builder: Any, dtype: Any) -> None:
        from llvmlite import ir

        self.ir = ir
        self.builder = builder
        self.element = context.get_value_type(dtype)
        self.lanes = machine().bytes * 8 // dtype.bitwidth
        self.align = dtype.bitwidth // 8
        self.vector = ir.VectorType(self.element, self.lanes)

    def index(self, value: int) -> Any:
        return self.ir.Constant(self.ir.IntType(64), value)

    def zero(self) -> Any:
        return self.ir.Constant(self.vector, [self.ir.Constant(self.element, 0.0)] * self.lanes)

    def at(self, pointer: Any, place: Any) -> Any:
        """The address of a number: `place` is an index or an int."""
        return self.builder.gep(pointer, [self.index(place) if isinstance(place, int) else place])

    def number(self, pointer: Any, place: Any = 0) -> Any:
        return self.builder.load(self.at(pointer, place))

    def load(self, pointer: Any, place: Any = 0, lanes: int = 0) -> Any:
        """A vector of numbers from anywhere, aligned or not."""
        return self.builder.load(self._as_vector(self.at(pointer, place), lanes), align=self.align)

    def store(self, vector: Any, pointer: Any, place: Any = 0, lanes: int = 0) -> None:
        self.builder.store(vector, self._as_vector(self.at(pointer, place), lanes), align=self.align)

    def _as_vector(self, pointer: Any, lanes: int) -> Any:
        kind = self.ir.VectorType(self.element, lanes) if lanes else self.vector
        return self.builder.bitcast(pointer, kind.as_pointer())

    def spread(self, number: Any) -> Any:
        """A vector of equal numbers."""
        nothing = self.ir.Constant(self.vector, self.ir.Undefined)
        places = self.ir.Constant(self.ir.VectorType(self.ir.IntType(32), self.lanes), [0] * self.lanes)
        first = self.builder.insert_element(nothing, number, self.ir.IntType(32)(0))
        return self.builder.shuffle_vector(first, nothing, places)

    def multiply_add(self, x: Any, y: Any, total: Any) -> Any:
        """x y + total, in one rounding where the machine can."""
        return self.builder.call(self._function("fmuladd", self.vector, [self.vector] * 3), [x, y, total])

    def sum(self, vector: Any) -> Any:
        """The sum of a vector's numbers, in pairs."""
        reduce = self._function("vector.reduce.fadd", self.element, [self.element, self.vector])
        return self.builder.call(reduce, [self.ir.Constant(self.element, -0.0), vector], fastmath=("reassoc",))

    def _function(self, name: str, result: Any, arguments: list[Any]) -> Any:
        kind = "f32" if self.align == 4 else "f64"
        full = f"llvm.{name}.v{self.lanes}{kind}"
        known = self.builder.module.globals.get(full)
        return known or self.ir.Function(self.builder.module, self.ir.FunctionType(result, arguments), full)

    def loop(self, stop: Any, step: int, carried: Sequence[Any], body: Callable[..., list[Any]]) -> list[Any]:
        """for i in range(0, stop, step): carried = body(i, *carried); returns what is carried at the end."""
        builder, before = self.builder, self.builder.block
        head, inside, after = (builder.append_basic_block(name) for name in ("head", "inside", "after"))
        builder.branch(head)
        builder.position_at_end(head)
        values = [builder.phi(value.type) for value in (self.index(0), *carried)]
        for value, first in zip(values, (self.index(0), *carried), strict=True):
            value.add_incoming(first, before)
        builder.cbranch(builder.icmp_signed("<", values[0], stop), inside, after)
        builder.position_at_end(inside)
        later = [builder.add(values[0], self.index(step)), *body(*values)]
        for value, new in zip(values, later, strict=True):
            value.add_incoming(new, builder.block)
        builder.branch(head)
        builder.position_at_end(after)
        return values[1:]
