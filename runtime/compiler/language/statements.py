"""Native functions from Python's syntax trees to functions of LLVM's. A local variable is memory on the stack. Where a
later line gives it something wider (an address of a base class), the function is translated anew with that."""

from __future__ import annotations

import ast
import builtins
import functools
import operator
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from llvmlite import ir

from .expressions import Expressions, Operand, is_known
from .functions import Native, Value, on_stack
from .types import WORD, Kind, NativeError, Nothing, UnionKind, Word, common, signature_of

RARE = ("noinline", "cold")  # what LLVM is told of functions that are called seldom


class Widened(Exception):
    """A variable turned out to be of a wider kind than what was translated so far took it for."""


class Module:
    """Functions of LLVM's, each of which is translated when it is first called."""

    def __init__(self, name: str) -> None:
        self.ir = ir.Module(name)
        self.functions: dict[Any, tuple[Any, Kind, Sequence[Kind]]] = {}

    def export(self, native: Native) -> None:
        function, _, _ = self.function(native, ())
        function.linkage = "external"

    def function(self, native: Native, args: Sequence[Value]) -> tuple[Any, Kind, Sequence[Kind]]:
        result, parameters = signature_of(native.function).kinds(tuple(value.kind for value in args))
        key = (native, parameters)
        if key not in self.functions:
            kind = ir.FunctionType(result.llvm, [parameter.llvm for parameter in parameters])
            function = ir.Function(self.ir, kind, self.ir.get_unique_name(native.name))
            function.linkage = "internal"
            function.attributes.add("nounwind")
            for attribute in RARE if native.rare else ():
                function.attributes.add(attribute)
            self.functions[key] = function, result, parameters
            _translate(self, native.function, function, result, parameters)
        return self.functions[key]


def _translate(module: Module, function: Any, target: Any, result: Kind, parameters: Sequence[Kind]) -> None:
    widest: dict[str, Kind] = {}
    while True:
        body = Body(module, function, target, result, widest)
        try:
            body.translate(parameters)
            return
        except Widened:
            target.blocks.clear()
        except NativeError as error:
            raise NativeError(f"{where(function, body.line)}: {error}") from None


def where(function: Any, line: int) -> str:
    return f"{Path(function.__code__.co_filename).name}:{line}, {function.__name__}()"


@functools.cache
def definitions(path: str) -> dict[int, ast.FunctionDef]:
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    matches = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]): node for node in matches}


def names_of(function: Any) -> Callable[[str], Any]:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))

    def result(name: str) -> Any:
        if name in cells:
            return cells[name].cell_contents
        if name in function.__globals__:
            return function.__globals__[name]
        if not hasattr(builtins, name):
            raise NativeError(f"{name} is not defined")
        return getattr(builtins, name)

    return result


class Body(Expressions):
    def __init__(self, module: Module, function: Any, target: Any, result: Kind, widest: dict[str, Kind]) -> None:
        self.module, self.target, self.result, self.widest = module, target, result, widest
        self.definition = definitions(function.__code__.co_filename)[function.__code__.co_firstlineno]
        self.names = names_of(function)
        self.line = self.definition.lineno
        self.variables: dict[str, tuple[Any, Kind]] = {}
        self.loops: list[tuple[Any, Any]] = []  # where `continue` and `break` go
        entry = target.append_basic_block("entry")
        self.builder = ir.IRBuilder(target.append_basic_block("body"))
        self.entry = entry

    def translate(self, parameters: Sequence[Kind]) -> None:
        for parameter, argument, kind in zip(self.definition.args.args, self.target.args, parameters, strict=True):
            self.assign(parameter.arg, Value(kind, argument))
        self.statements(self.definition.body)
        if not self.builder.block.is_terminated:
            if self.result != Nothing:
                raise NativeError(f"it may end without a result: expected {self.result}")
            self.builder.ret_void()
        ir.IRBuilder(self.entry).branch(self.target.blocks[1])

    def function(self, callee: Native, args: Sequence[Value]) -> tuple[Any, Kind, Sequence[Kind]]:
        return self.module.function(callee, args)

    def look_up(self, name: str) -> Operand:
        if name not in self.variables:
            return self.names(name)
        slot, kind = self.variables[name]
        return Value(kind, self.builder.load(slot))

    def assign(self, name: str, value: Value) -> None:
        before = self.widest.get(name, value.kind)
        kind = self.widest[name] = common(before, value.kind)
        if kind != before:
            raise Widened
        if name not in self.variables:
            self.variables[name] = on_stack(self.builder, kind.llvm), kind
        self.builder.store(self.converted(value, kind), self.variables[name][0])

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        for node in nodes:
            if self.builder.block.is_terminated:
                return
            self.line = node.lineno
            write: Callable[[Any], None] = getattr(self, f"_{type(node).__name__.lower()}", self._unknown)
            write(node)

    def _expr(self, node: ast.Expr) -> None:
        self.evaluate(node.value)

    def _pass(self, node: ast.Pass) -> None:
        """Nothing."""

    def _return(self, node: ast.Return) -> None:
        if node.value is None:
            self.builder.ret_void()
        elif isinstance(self.result, UnionKind) and isinstance(node.value, ast.Tuple):
            self.builder.ret(self._packed(node.value.elts, self.result))
        else:
            self.builder.ret(self.converted(self.value(node.value), self.result))

    def _packed(self, nodes: Sequence[ast.expr], kind: UnionKind) -> Any:
        packed = ir.Constant(kind.llvm, ir.Undefined)
        for i, (node, item) in enumerate(zip(nodes, kind.kinds, strict=True)):
            packed = self.builder.insert_value(packed, self.converted(self.value(node), item), i)
        return packed

    def _assign(self, node: ast.Assign) -> None:
        if len(node.targets) > 1:
            raise NativeError("native code assigns to one target")
        target = node.targets[0]
        if isinstance(target, ast.Tuple):
            for part, value in zip(target.elts, self._unpacked(node.value), strict=True):
                self._put(part, value)
        else:
            self._put(target, self.value(node.value))

    def _unpacked(self, node: ast.expr) -> list[Value]:
        if isinstance(node, ast.Tuple):
            return [self.value(item) for item in node.elts]
        value = self.value(node)
        if not isinstance(value.kind, UnionKind):
            raise NativeError(f"expected a tuple, but got {value.kind}")
        return [Value(kind, self.builder.extract_value(value.ir, i)) for i, kind in enumerate(value.kind.kinds)]

    def _put(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.assign(target.id, value)
        elif isinstance(target, ast.Attribute):
            self.set_field(self.value(target.value), target.attr, value)
        elif isinstance(target, ast.Subscript):
            self.set_item(self.value(target.value), self.value(target.slice), value)
        else:
            self._unknown(target)

    def _augassign(self, node: ast.AugAssign) -> None:
        """As an assignment: what stands on the left calls nothing, so that it may be evaluated twice."""
        changed = self.arithmetic(type(node.op), self.evaluate(node.target), self.evaluate(node.value))
        self._put(node.target, self.as_value(changed))

    def _if(self, node: ast.If) -> None:
        condition = self.evaluate(node.test)
        if is_known(condition):
            self.statements(node.body if condition else node.orelse)
            return
        b = self.builder
        yes, no = b.append_basic_block("if"), b.append_basic_block("else")
        b.cbranch(self.truth(condition), yes, no)
        ends = []
        for block, part in ((yes, node.body), (no, node.orelse)):
            b.position_at_end(block)
            self.statements(part)
            ends += [] if b.block.is_terminated else [b.block]
        if ends:  # else both go elsewhere, and what follows is not reached
            after = b.append_basic_block("endif")
            for end in ends:
                b.position_at_end(end)
                b.branch(after)
            b.position_at_end(after)

    def _while(self, node: ast.While) -> None:
        b = self.builder
        head, body, after = (b.append_basic_block(name) for name in ("while", "do", "done"))
        b.branch(head)
        b.position_at_end(head)
        b.cbranch(self.truth(self.evaluate(node.test)), body, after)
        self._loop(node.body, body, head, after)
        b.position_at_end(after)
        if isinstance(node.test, ast.Constant) and not any(isinstance(part, ast.Break) for part in ast.walk(node)):
            b.unreachable()  # it ends by a return alone

    def _loop(self, nodes: Sequence[ast.stmt], body: Any, again: Any, after: Any) -> None:
        self.loops.append((again, after))
        self.builder.position_at_end(body)
        self.statements(nodes)
        if not self.builder.block.is_terminated:
            self.builder.branch(again)
        self.loops.pop()

    def _for(self, node: ast.For) -> None:
        first, last, step = self._range(node.iter)
        b = self.builder
        count = on_stack(b, WORD)
        b.store(first, count)
        head, body, again, after = (b.append_basic_block(name) for name in ("for", "do", "next", "done"))
        b.branch(head)
        b.position_at_end(head)
        number = b.load(count)
        b.cbranch(b.icmp_signed("<" if step > 0 else ">", number, last), body, after)
        b.position_at_end(body)
        assert isinstance(node.target, ast.Name)
        self.assign(node.target.id, Value(Word, number))
        self._loop(node.body, body, again, after)
        b.position_at_end(again)
        b.store(b.add(b.load(count), WORD(step)), count)
        b.branch(head)
        b.position_at_end(after)

    def _range(self, node: ast.expr) -> tuple[Any, Any, int]:
        if not isinstance(node, ast.Call) or self.evaluate(node.func) is not range:
            raise NativeError("native code goes through range(...)")
        args = [self.evaluate(argument) for argument in node.args]
        first, last, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
        slot_values = [self.converted(self.as_value(bound), Word) for bound in (first, last)]
        return slot_values[0], slot_values[1], operator.index(step)

    def _continue(self, node: ast.Continue) -> None:
        self.builder.branch(self.loops[-1][0])

    def _break(self, node: ast.Break) -> None:
        self.builder.branch(self.loops[-1][1])
