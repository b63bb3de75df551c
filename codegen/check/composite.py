"""Checks of composite ops: what they are made of, and that it is not themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..spec.formula import value_reads
from ..spec.model import Entry, Problem, Schema
from ..spec.operators import SYMBOLS, special_methods
from .scope import Context, fits


def check_composite(context: Context) -> Iterator[Problem]:
    """Names and calls of the expression, which is differentiated through and so takes no formulas."""
    entry = context.entry
    if entry.compute.kind != "composite":
        return
    for name, formula in {**entry.gradients, **entry.forward}.items():
        message = "a composite op is differentiated through: it takes no formula"
        yield context.problem(formula.where, message, name)
    if entry.compute.tree is not None:
        scope = context.scope([a.name for a in entry.schema.arguments])
        yield from context.faults(scope, entry.compute.tree, "composite")
        if circle := _circle(context):
            message = f"the op would call itself without end: {' calls '.join(circle)}"
            yield context.problem(entry.compute.where, message, "composite")


def _circle(context: Context) -> list[str]:
    """The composite ops on a way from the entry back to it; empty where there is none."""
    start = context.entry
    todo: list[tuple[Entry, list[str]]] = [(start, [start.name])]
    seen: set[str] = set()
    while todo:
        entry, way = todo.pop()
        for name in _called(context, entry):
            if name == start.name:
                return [*way, name]
            if name not in seen:
                seen.add(name)
                todo.append((context.ops.entries[name], [*way, name]))
    return []


def _called(context: Context, entry: Entry) -> Iterator[str]:
    """The composite ops that an entry's expression calls, by name and by operator."""
    if entry.compute.kind != "composite" or entry.compute.tree is None:
        return
    matches = [*_called_by_name(context, entry, entry.compute.tree), *_called_by_operator(context, entry)]
    yield from (each for each in matches if context.ops.entries[each].compute.kind == "composite")


def _called_by_name(context: Context, entry: Entry, tree: ast.expr) -> Iterator[str]:
    arguments = [a.name for a in entry.schema.arguments]
    for call, name in context.calls(tree):
        if name in arguments:
            continue
        value = int(isinstance(call.func, ast.Attribute))
        overloads = (context.ops.methods if value else context.ops.functions).get(name, ())
        matches = [each for each in overloads if fits(call, each, value) and _types_fit(entry, call, each, value)]
        yield from [schema.full_name for schema in matches[:1]]


def _types_fit(entry: Entry, call: ast.Call, schema: Schema, value: int) -> bool:
    """Whether no tensor is given by place where the schema asks for something else; a check may make others of them."""
    tensors = [a.name for a in entry.tensor_arguments if not a.type.is_list and entry.check is None]
    pairs = zip(call.args, schema.arguments[value:], strict=False)
    return not any(isinstance(a, ast.Name) and a.id in tensors and not to.type.is_tensor for a, to in pairs)


def _called_by_operator(context: Context, entry: Entry) -> Iterator[str]:
    """The ops of operators that have a tensor among their operands."""
    assert entry.compute.tree is not None
    tensors = [a.name for a in entry.tensor_arguments]
    for node in ast.walk(entry.compute.tree):
        for symbol in _operators(node):
            for method in special_methods(SYMBOLS.get(type(symbol), "")):
                if method in context.ops.operators and value_reads(node, tensors):
                    yield context.ops.operators[method].name


def _operators(node: ast.AST) -> Sequence[ast.AST]:
    match node:
        case ast.BinOp(op=symbol) | ast.UnaryOp(op=symbol):
            return (symbol,)
        case ast.Compare(ops=symbols):
            return symbols
    return ()
