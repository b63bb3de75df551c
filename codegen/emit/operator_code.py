"""The binary operators of Tensor: native code first, then the op, and NotImplemented for what the op does not take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..spec.model import Argument
from .dispatcher_code import has_type, takes
from .op_code import OpCode

OPERANDS = ("self", "other")


@dataclass(frozen=True)
class Operator:
    """A special method of two operands, as tensor.py.j2 writes it: what it tries first, and the op that it stands for.

    The op raises for an operand that it does not take; an operator says NotImplemented, so that Python asks that one.
    """

    method: str
    op: str
    fast: tuple[str, ...]


def operator(method: str, code: OpCode, ops: Sequence[OpCode]) -> Operator:
    codes = _overloads(code, ops)
    fast = [c for c in codes if c.fast.tried or (c.fast.applies and not c.fast.condition)]
    lines = [line for c in fast for line in _launched(c, len(codes) > 1)]
    return Operator(method, code.entry.schema.name, tuple(lines))


def operator_in_place(method: str, code: OpCode, ops: Sequence[OpCode]) -> Operator:
    codes = [c for c in _overloads(code, ops) if c.has_inplace]
    alike = [c for c in codes if c.fast.applies and not c.fast.condition and c.entry.result_dtype[0] == "same"]
    lines = [line for c in alike for line in _written(c, len(codes) > 1)]
    return Operator(method, f"{code.entry.schema.name}_", tuple(lines))


def reflected(code: OpCode) -> tuple[str, ...]:
    """What the method of a second operand does with a number that stands before it: that is a tensor of no dimensions
    for native code, and for the op, which notes the rows of both."""
    fast = code.fast
    if not fast.applies or fast.condition or code.entry.autocast or code.numbers or "float" not in code.entry.dtypes:
        return ()
    return (
        "if not watch.every and (first := standing_for(other, self)) is not None:",
        f"    result = {code.kernel}.launch(first, self)",
        f"    return ops.{code.entry.schema.name}(first, self) if result is None else result",
    )


def _overloads(code: OpCode, ops: Sequence[OpCode]) -> list[OpCode]:
    """The ops of an operator's name that take a tensor and one more argument by place."""
    named = [c for c in ops if c.entry.schema.name == code.entry.schema.name]
    return [c for c in named if takes(c, len(OPERANDS)) and c.arguments[0].type.is_tensor]


def _provided_args(code: OpCode) -> str:
    """The arguments of `launch`: the operands, and the numbers that an operator does not have."""
    names = dict(zip((a.python_name for a in code.arguments), OPERANDS, strict=False))
    reserved: Sequence[Argument] = (*code.tensors, *code.numbers)
    return ", ".join(names.get(a.python_name, str(a.default)) for a in reserved)


def _condition(code: OpCode, chosen: bool) -> str:
    unwatched = "(not watch.casts or uncast())" if code.entry.autocast else "not watch.every"
    type_test = has_type(code.arguments[1]).replace(code.arguments[1].python_name, "other")
    return f"{unwatched} and {type_test}" if chosen else unwatched


def _launched(code: OpCode, chosen: bool) -> Iterator[str]:
    yield f"if {_condition(code, chosen)}:"
    for each in code.fast.tried or [code.kernel]:
        yield f"    result = {each}.launch({_provided_args(code)})"
        yield from ("    if result is not None:", "        return result")


def _written(code: OpCode, chosen: bool) -> Iterator[str]:
    yield f"if {_condition(code, chosen)} and {code.kernel}.launch_in_place({_provided_args(code)}) is not None:"
    yield "    return self"
