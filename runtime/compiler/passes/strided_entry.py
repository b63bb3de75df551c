"""A second entry of element-wise kernels: a loop over rows, through which each array and number steps for itself. A
call of a kernel takes twenty instructions for each array, as long as a row of fifty elements. LLVM inlines a short
kernel into this loop; calling a long one costs little beside what that computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from llvmlite import ir

from ..language.call_abi import RowCall, Walk
from ..language.functions import WORD
from ..language.structs import WORD_BYTES, fields, length

SUFFIX = ".rows"  # of the entry's name, behind that of the kernel
BYTES = ir.IntType(8).as_pointer()
LAYOUT = [(name, field.distance) for name, field in fields(RowCall).items()]  # on which compiled code depends
ARRAY_SLOTS, MEMORY = (
    7,
    4,
)  # of an array among a kernel's parameters: how many, and which is the address of its elements


def add_row_entry(kernel: Any) -> None:
    """Add the loop over rows to the module of a kernel of flat arrays and numbers; its one parameter is a `RowCall`."""
    entry = ir.Function(kernel.module, ir.FunctionType(ir.VoidType(), [WORD.as_pointer()]), f"{kernel.name}{SUFFIX}")
    head, loop, done = (entry.append_basic_block(name) for name in ("entry", "row", "done"))
    kinds, call = [parameter.type for parameter in kernel.args], entry.args[0]
    builder = ir.IRBuilder(head)
    outputs = [builder.alloca(kind.pointee) for kind in kinds[:2]]  # of results and errors: there are none
    size, rows = _word(builder, call, "size"), _word(builder, call, "rows")
    walks = [(kind, *_walk(builder, call, name, k)) for kind, name, k in _parameters(kinds[2:])]
    builder.cbranch(builder.icmp_signed("<", WORD(0), rows), loop, done)
    builder.position_at_end(loop)
    row = builder.phi(WORD)
    args = [value for kind, *walk in walks for value in _row_argument(builder, kind, size, row, *walk)]
    builder.call(kernel, [*outputs, *args])
    following = builder.add(row, WORD(1))
    row.add_incoming(WORD(0), head)
    row.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, rows), loop, done)
    builder.position_at_end(done)
    builder.ret_void()


def _parameters(kinds: Sequence[Any]) -> Iterator[tuple[Any, str, int]]:
    """What a kernel takes, from the types of its parameters: the type of a pointer to elements, or of a number; where
    a `RowCall` has it; and its place there."""
    counts, position = {"arrays": 0, "numbers": 0}, 0
    while position < len(kinds):
        name = "arrays" if kinds[position] == BYTES else "numbers"
        yield kinds[position + MEMORY if name == "arrays" else position], name, counts[name]
        counts[name] += 1
        position += ARRAY_SLOTS if name == "arrays" else 1


def _row_argument(builder: Any, kind: Any, size: Any, row: Any, start: Any, step: Any) -> list[Any]:
    position = builder.add(start, builder.mul(row, step))
    if not kind.is_pointer:
        return [builder.load(builder.inttoptr(position, kind.as_pointer()))]
    itemsize = kind(None).gep([WORD(1)]).ptrtoint(WORD)
    return [BYTES(None), BYTES(None), size, itemsize, builder.inttoptr(position, kind), size, itemsize]


def _walk(builder: Any, call: Any, name: str, k: int) -> tuple[Any, Any]:
    first = k * length(Walk)
    return _word(builder, call, name, first), _word(builder, call, name, first + 1)


def _word(builder: Any, call: Any, name: str, k: int = 0) -> Any:
    return builder.load(builder.gep(call, [WORD(fields(RowCall)[name].distance // WORD_BYTES + k)]))
