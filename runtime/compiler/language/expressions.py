"""Expressions of native code, from Python's syntax trees to LLVM's instructions. What is known while a function is
translated (numbers, classes, functions by their global names) is a plain object of Python; all else is a `Value`. A
choice by a known condition is made here: the other branch is not looked at.

SPECGRAD_NATIVE: `1`, or nothing, for native code where it is supported; `0` for none; `check` to compare what it
answers with the general path (native/check_mode.py). In check mode an index beyond an array of a struct ends the
process, and so does a reference that is used after it was released. For tests, every allocation, every reference
released and every moment at which native code releases the GIL calls `interrupt.hook` first, which may run the garbage
collector, raise MemoryError, or give tensors other memory."""

from __future__ import annotations

import ast
import operator
import os
from collections.abc import Callable, Sequence
from typing import Any, get_origin

from .functions import Constant, External, Instruction, Native, Value, c_function, load_as, store_as
from .structs import Atomic, Items, fields, is_struct, stride
from .types import BIT, VOID, WORD, Address, Half, ItemsKind, Kind, NativeError, Number, Truth, Word, common
from .types import kind_of_annotation as kind_of

SETTINGS = ("0", "1", "check")
SETTING = os.environ.get("SPECGRAD_NATIVE") or "1"
if SETTING not in SETTINGS:
    raise ImportError(f"SPECGRAD_NATIVE: expected one of {', '.join(SETTINGS)}, but got {SETTING!r}")
CHECKING = SETTING == "check"
ENABLED = SETTING != "0"


class Interrupt:
    """The callback of native code in check mode; `points` counts how often."""

    def __init__(self) -> None:
        self.hook: Callable[[], None] | None = None
        self.points = 0

    def __call__(self) -> None:
        hook = self.hook
        if hook is not None:
            self.points += 1
            self.hook = None  # what the hook does is not interrupted in turn
            try:
                hook()
            finally:
                self.hook = hook


interrupt = Interrupt()


Operand = Any  # a Value, or an object that is known
# Python's function for what is known, and LLVM's instructions for words and for numbers.
ARITHMETIC: dict[type, tuple[Any, str | None, str | None]] = {
    ast.Add: (operator.add, "add", "fadd"),
    ast.Sub: (operator.sub, "sub", "fsub"),
    ast.Mult: (operator.mul, "mul", "fmul"),
    ast.Div: (operator.truediv, None, "fdiv"),
    ast.FloorDiv: (operator.floordiv, None, None),
    ast.Mod: (operator.mod, None, None),
    ast.Pow: (operator.pow, None, None),
    ast.LShift: (operator.lshift, "shl", None),
    ast.RShift: (operator.rshift, "ashr", None),
    ast.BitAnd: (operator.and_, "and_", None),
    ast.BitOr: (operator.or_, "or_", None),
    ast.BitXor: (operator.xor, "xor", None),
}
COMPARISONS: dict[type, tuple[Callable[..., Any], str]] = {
    ast.Eq: (operator.eq, "=="),
    ast.NotEq: (operator.ne, "!="),
    ast.Lt: (operator.lt, "<"),
    ast.LtE: (operator.le, "<="),
    ast.Gt: (operator.gt, ">"),
    ast.GtE: (operator.ge, ">="),
    ast.Is: (operator.is_, "=="),
    ast.IsNot: (operator.is_not, "!="),
}


def is_known(*operands: Operand) -> bool:
    return not any(isinstance(operand, Value | Constant) for operand in operands)


class Expressions:
    """Writes expressions; `look_up` finds what a name means, `function` the LLVM function of a native one."""

    builder: Any

    def look_up(self, name: str) -> Operand:
        raise NotImplementedError

    def function(self, callee: Native, args: Sequence[Value]) -> tuple[Any, Kind, Sequence[Kind]]:
        raise NotImplementedError

    def evaluate(self, node: ast.expr) -> Operand:
        return getattr(self, f"_{type(node).__name__.lower()}", self._unknown)(node)

    def value(self, node: ast.expr) -> Value:
        return self.as_value(self.evaluate(node))

    def as_value(self, operand: Operand) -> Value:
        if isinstance(operand, Constant):
            return Value(Address(operand.cls), operand.build(self.builder))
        if isinstance(operand, bool):
            return Value(Truth, BIT(int(operand)))
        if isinstance(operand, int):
            return Value(Word, WORD(operand))
        if isinstance(operand, float):
            return Value(Number, Number.llvm(operand))
        if not isinstance(operand, Value):
            raise NativeError(f"expected a value, but got {operand!r}")
        return operand

    def converted(self, value: Value, kind: Kind) -> Any:
        if not value.kind.fits(kind):
            raise NativeError(f"expected {kind}, but got {value.kind}")
        if value.kind.llvm == kind.llvm:
            return value.ir
        if kind == Number:
            return self.builder.sitofp(value.ir, kind.llvm)
        if value.kind == Word:
            return self.builder.trunc(value.ir, kind.llvm)
        return (self.builder.sext if value.kind == Half else self.builder.zext)(value.ir, kind.llvm)

    def truth(self, operand: Operand) -> Any:
        value = self.as_value(operand)
        if value.kind == Truth:
            return value.ir
        if value.kind != Word:
            raise NativeError(f"expected a condition, but got {value.kind}: compare it")
        return self.builder.icmp_signed("!=", value.ir, WORD(0))

    def _unknown(self, node: ast.expr) -> Operand:
        raise NativeError(f"native code has no {type(node).__name__}")

    def _constant(self, node: ast.Constant) -> Operand:
        return node.value

    def _tuple(self, node: ast.Tuple) -> Operand:
        items = tuple(map(self.evaluate, node.elts))
        return items if is_known(*items) else self._unknown(node)

    def _name(self, node: ast.Name) -> Operand:
        return self.look_up(node.id)

    def _attribute(self, node: ast.Attribute) -> Operand:
        owner = self.evaluate(node.value)
        if is_known(owner):
            return getattr(owner, node.attr)
        owner = self.as_value(owner)
        field = self.field(owner, node.attr)
        kind = kind_of(field.kind, field.capacity)
        if get_origin(field.kind) is Items or field.kind is Atomic:  # in place: its address, not what stands there
            return Value(kind, self.builder.add(owner.ir, WORD(field.distance)))
        return Value(kind, load_as(self.builder, owner.ir, WORD(field.distance), field.kind))

    def field(self, owner: Value, name: str) -> Any:
        if not isinstance(owner.kind, Address) or name not in fields(owner.kind.cls):
            raise NativeError(f"{owner.kind} has no field {name!r}")
        return fields(owner.kind.cls)[name]

    def set_field(self, owner: Value, name: str, value: Value) -> None:
        field = self.field(owner, name)
        arg = self.converted(value, kind_of(field.kind))
        store_as(self.builder, owner.ir, WORD(field.distance), field.kind, arg)

    def _subscript(self, node: ast.Subscript) -> Operand:
        items, index = self.value(node.value), self.value(node.slice)
        return self.item(items, index)

    def item(self, items: Value, index: Value) -> Value:
        distance, kind = self.distance_of(items, index)
        if is_struct(kind):
            return Value(kind_of(kind), self.builder.add(items.ir, distance))
        return Value(kind_of(kind), load_as(self.builder, items.ir, distance, kind))

    def set_item(self, items: Value, index: Value, value: Value) -> None:
        distance, kind = self.distance_of(items, index)
        store_as(self.builder, items.ir, distance, kind, self.converted(value, kind_of(kind)))

    def distance_of(self, items: Value, index: Value) -> tuple[Any, Any]:
        if not isinstance(items.kind, ItemsKind):
            raise NativeError(f"{items.kind} has no items")
        number = self.converted(index, Word)
        if CHECKING and items.kind.count:
            with self.builder.if_then(self.builder.icmp_unsigned(">=", number, WORD(items.kind.count)), likely=False):
                self.builder.call(c_function(self.builder, "abort", VOID, []), [])
        return self.builder.mul(number, WORD(stride(items.kind.kind))), items.kind.kind

    def _binop(self, node: ast.BinOp) -> Operand:
        return self.arithmetic(type(node.op), self.evaluate(node.left), self.evaluate(node.right))

    def arithmetic(self, op: type, left: Operand, right: Operand) -> Operand:
        if is_known(left, right):
            return ARITHMETIC[op][0](left, right)
        left, right = self.as_value(left), self.as_value(right)
        kind = common(left.kind, right.kind)
        bits = kind == Truth and op in (ast.BitAnd, ast.BitOr, ast.BitXor)
        kind = Word if kind == Truth and not bits else kind
        args = self.converted(left, kind), self.converted(right, kind)
        if op in (ast.FloorDiv, ast.Mod) and kind == Word:
            return Value(Word, self._floored(*args)[op is ast.Mod])
        name = ARITHMETIC[op][1 + (kind == Number)] if op in ARITHMETIC else None
        if name is None or not (bits or kind in (Word, Number)):
            raise NativeError(f"native code has no {op.__name__} of {left.kind} and {right.kind}")
        return Value(kind, getattr(self.builder, name)(*args))

    def _floored(self, left: Any, right: Any) -> tuple[Any, Any]:
        """The quotient that is rounded down, and the remainder with the divisor's sign; both 0 where that is 0."""
        b, zero = self.builder, WORD(0)
        nothing = b.icmp_signed("==", right, zero)
        divisor = b.select(nothing, WORD(1), right)
        ratio, rest = b.sdiv(left, divisor), b.srem(left, divisor)
        signs = b.icmp_signed("<", b.xor(rest, divisor), zero)
        below = b.and_(b.icmp_signed("!=", rest, zero), signs)
        floored = b.sub(ratio, b.zext(below, WORD))
        remainder = b.add(rest, b.select(below, divisor, zero))
        return b.select(nothing, zero, floored), b.select(nothing, zero, remainder)

    def _unaryop(self, node: ast.UnaryOp) -> Operand:
        operand = self.evaluate(node.operand)
        if isinstance(node.op, ast.Not):
            return not operand if is_known(operand) else Value(Truth, self.builder.not_(self.truth(operand)))
        if is_known(operand):
            return -operand if isinstance(node.op, ast.USub) else ~operand
        if isinstance(node.op, ast.USub):
            return self.arithmetic(ast.Sub, -0.0 if operand.kind == Number else 0, operand)
        return self.arithmetic(ast.BitXor, operand, -1)

    def _compare(self, node: ast.Compare) -> Operand:
        if len(node.ops) > 1:
            raise NativeError("native code compares two values at a time")
        op, left, right = type(node.ops[0]), self.evaluate(node.left), self.evaluate(node.comparators[0])
        if op in (ast.In, ast.NotIn):
            return self._among(left, right, op is ast.NotIn)
        if is_known(left, right):
            return COMPARISONS[op][0](left, right)
        return Value(Truth, self._compared(op, self.as_value(left), self.as_value(right)))

    def _compared(self, op: type, left: Value, right: Value) -> Any:
        kind = common(left.kind, right.kind)
        by_identity = op in (ast.Is, ast.IsNot)
        if by_identity != isinstance(kind, Address):
            raise NativeError(f"native code does not compare {left.kind} with {right.kind} by {op.__name__}")
        kind = Word if kind == Truth else kind
        args = self.converted(left, kind), self.converted(right, kind)
        if kind != Number:
            return self.builder.icmp_signed(COMPARISONS[op][1], *args)
        ordered = self.builder.fcmp_unordered if op is ast.NotEq else self.builder.fcmp_ordered
        return ordered(COMPARISONS[op][1], *args)

    def _among(self, target: Operand, known: Any, negated: bool) -> Operand:
        if not is_known(known):
            raise NativeError("native code looks among things that are known beforehand")
        result = BIT(0)
        for other in known:
            same = self._compared(ast.Eq, self.as_value(target), self.as_value(other))
            result = self.builder.or_(result, same)
        return Value(Truth, self.builder.not_(result) if negated else result)

    def _boolop(self, node: ast.BoolOp) -> Operand:
        """Conditions up to the one that decides; those that are known are left out, or decide beforehand."""
        is_or, rest = isinstance(node.op, ast.Or), list(node.values)
        first = self.evaluate(rest.pop(0))
        while rest and is_known(first):
            if bool(first) == is_or:
                return first
            first = self.evaluate(rest.pop(0))
        return self._decided(first, rest, is_or) if rest else first

    def _decided(self, first: Operand, rest: Sequence[ast.expr], is_or: bool) -> Value:
        b, end = self.builder, self.builder.append_basic_block("decided")
        ways = []
        bit = self.truth(first)
        for node in rest:
            more = b.append_basic_block("more")
            b.cbranch(bit, *((end, more) if is_or else (more, end)))
            ways.append((BIT(int(is_or)), b.block))
            b.position_at_end(more)
            bit = self.truth(self.evaluate(node))
        ways.append((bit, b.block))
        b.branch(end)
        return Value(Truth, self._phi_of(BIT, ways, end))

    def _phi_of(self, kind: Any, ways: Sequence[tuple[Any, Any]], end: Any) -> Any:
        self.builder.position_at_end(end)
        merged = self.builder.phi(kind)
        for value, block in ways:
            merged.add_incoming(value, block)
        return merged

    def _ifexp(self, node: ast.IfExp) -> Operand:
        condition = self.evaluate(node.test)
        if is_known(condition):
            return self.evaluate(node.body if condition else node.orelse)
        b = self.builder
        blocks = [b.append_basic_block(name) for name in ("chosen", "other", "either")]
        b.cbranch(self.truth(condition), *blocks[:2])
        matches = []
        for block, part in zip(blocks, (node.body, node.orelse), strict=False):
            b.position_at_end(block)
            matches.append((self.value(part), b.block))
        return self._either(matches, blocks[2])

    def _either(self, result: Sequence[tuple[Value, Any]], end: Any) -> Value:
        kind, ways = common(result[0][0].kind, result[1][0].kind), []
        for value, block in result:
            self.builder.position_at_end(block)
            ways.append((self.converted(value, kind), block))
            self.builder.branch(end)
        return Value(kind, self._phi_of(kind.llvm, ways, end))

    def _call(self, node: ast.Call) -> Operand:
        callee, arg = self.evaluate(node.func), [self.evaluate(argument) for argument in node.args]
        if node.keywords:
            raise NativeError("native code gives arguments by their places")
        if isinstance(callee, Instruction):
            return self._instruction(callee, arg)
        if callee in BUILTINS:
            return BUILTINS[callee](self, *arg)
        values = [self.as_value(operand) for operand in arg]
        if isinstance(callee, External):
            kinds = [kind.llvm for kind in callee.parameters]
            function = c_function(self.builder, callee.name, callee.result.llvm, kinds)
            return self._called(callee.name, function, callee.result, callee.parameters, values)
        if not isinstance(callee, Native):
            raise NativeError(f"native code does not call {callee!r}")
        function, result, parameters = self.function(callee, values)
        return self._called(callee.__name__, function, result, parameters, values)

    def _called(self, name: str, function: Any, result: Kind, kinds: Sequence[Kind], values: Sequence[Value]) -> Value:
        if len(kinds) != len(values):
            raise NativeError(f"{name}(): expected {len(kinds)} arguments, but got {len(values)}")
        match = Value(
            result, self.builder.call(function, [self.converted(v, k) for v, k in zip(values, kinds, strict=True)])
        )
        return Value(Word, self.converted(match, Word)) if result == Half else match

    def _instruction(self, callee: Instruction, args: Sequence[Operand]) -> Value:
        if callee.result is None:
            names = (type, str)  # of classes and fields
            operands = [operand if isinstance(operand, names) else self.as_value(operand) for operand in args]
            result: Value = callee.build(self.builder, *operands)
            return result
        if len(args) != len(callee.parameters):
            raise NativeError(f"{callee.name}(): expected {len(callee.parameters)} arguments, but got {len(args)}")
        pairs = zip(map(self.as_value, args), callee.parameters, strict=True)
        converted = [value.ir if kind is None else self.converted(value, kind) for value, kind in pairs]
        return Value(callee.result, callee.build(self.builder, *converted))

    def extreme(self, *operands: Operand) -> Value:
        left, right = map(self.as_value, operands)
        return Value(Word, self.builder.select(self._compared(ast.Lt, left, right), right.ir, left.ir))

    def magnitude(self, operand: Operand) -> Value:
        word = self.converted(self.as_value(operand), Word)
        below = self.builder.icmp_signed("<", word, WORD(0))
        return Value(Word, self.builder.select(below, self.builder.neg(word), word))

    def as_int(self, operand: Operand) -> Value:
        value = self.as_value(operand)
        return Value(Word, self.builder.fptosi(value.ir, WORD) if value.kind == Number else self.converted(value, Word))


BUILTINS: dict[Any, Callable[..., Value]] = {
    max: Expressions.extreme,
    abs: Expressions.magnitude,
    int: Expressions.as_int,
}
