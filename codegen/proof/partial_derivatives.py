"""The derivatives of expressions by the elements that they read."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..language.index_expressions import INT, PADDED, Read, copied, rebuilt, renamed, subscripts_of
from ..language.indexed_programs import Statement
from ..spec.formula import names_in
from .derivative import ZERO, is_number, plus, times
from .index_normal_form import Ranges, name_of


def under_conditions(factor: ast.expr, tangent: ast.expr) -> ast.expr:
    """A slope times a tangent, which is not read where a condition makes the slope 0: it may lie outside."""
    product = times(factor, tangent)
    for test, is_met in conditions(factor):
        product = ast.IfExp(test, product, ZERO) if is_met else ast.IfExp(test, ZERO, product)
    return product


def conditions(tree: ast.expr) -> Iterator[tuple[ast.expr, bool]]:
    """The conditions without which a factor is 0; of a sum those that all its terms have."""
    match tree:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            if is_number(orelse, 0):
                yield test, True
                yield from conditions(body)
            elif is_number(body, 0):
                yield test, False
                yield from conditions(orelse)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            yield from conditions(left)
            yield from conditions(right)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            others = {(ast.dump(test), is_met) for test, is_met in conditions(right)}
            yield from ((test, is_met) for test, is_met in conditions(left) if (ast.dump(test), is_met) in others)
        case ast.BinOp(left=operand, op=ast.Div()) | ast.UnaryOp(operand=operand):
            yield from conditions(operand)


def ranges_of(tree: ast.expr, known: Ranges) -> dict[str, tuple[ast.expr, ast.expr]]:
    return {name: ends for name, ends in known.items() if name in names_in(tree)}


def tidied(tree: ast.expr) -> ast.expr:
    """Without powers of 1, and with differences of numbers computed."""

    class Tidied(ast.NodeTransformer):
        def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
            self.generic_visit(node)
            match node:
                case ast.BinOp(ast.Constant(value=int() as left), ast.Sub(), ast.Constant(value=int() as right)):
                    return ast.Constant(left - right)
            return node

        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            match node:
                case ast.Call(func=ast.Name(id="pow" | "pow_number"), args=[base, ast.Constant(value=1)]):
                    return base
                case ast.Call(func=ast.Name(id="pow" | "pow_number"), args=[base, exponent]):
                    return ast.BinOp(base, ast.Pow(), exponent)
                case ast.Call(func=ast.Name(id="divide"), args=[left, right]):
                    return ast.BinOp(left, ast.Div(), right)
            return node

    result: ast.expr = Tidied().visit(copied(tree))
    return result


def weight_of(operand: ast.expr, result: ast.expr) -> ast.expr:
    """The derivative of logsumexp by one of its terms."""
    raised = ast.Call(name_of("exp"), [ast.BinOp(operand, ast.Sub(), result)], [])
    none = ast.Compare(result, [ast.Eq()], [ast.UnaryOp(ast.USub(), name_of("inf"))])
    return ast.IfExp(none, ZERO, raised)


def flat_index(indices: Sequence[str], statement: Statement) -> ast.expr:
    """The number of an element among those of indices, in their order."""
    if len(indices) == 1:
        return name_of(indices[0])
    subscript: ast.expr = ZERO
    for index in indices:
        start, stop = statement.ranges[index]
        is_from_0 = is_number(start, 0)
        count = stop if is_from_0 else ast.BinOp(stop, ast.Sub(), start)
        own: ast.expr = name_of(index) if is_from_0 else ast.BinOp(name_of(index), ast.Sub(), start)
        subscript = plus(times(subscript, count), own)
    return subscript


def is_padded(read: Read) -> bool:
    return isinstance(read.node, ast.Call)


def active_reads(tree: ast.expr, active: Iterable[str]) -> list[Read]:
    return [read for name, read in named_reads(tree, set(active))[1].items() if name.startswith("read_")]


def named_reads(tree: ast.expr, active: set[str]) -> tuple[ast.expr, dict[str, Read]]:
    """An expression with names for elements: read_1 of one that has a derivative, given_1 of what has none."""
    matches: dict[str, Read] = {}
    names: dict[str, str] = {}

    def named(word: str, read: Read) -> ast.expr:
        key = ast.dump(read.node)
        if key not in names:
            names[key] = f"{word}_{len(names) + 1}"
            matches[names[key]] = read
        return name_of(names[key])

    class Named(ast.NodeTransformer):
        def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
            assert isinstance(node.value, ast.Name)
            name = node.value.id
            return named("read" if name in active else "given", Read(name, subscripts_of(node), node))

        def visit_Name(self, node: ast.Name) -> ast.AST:
            return named("read", Read(node.id, (), node)) if node.id in active else node

        def visit_Call(self, node: ast.Call) -> ast.AST:
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            if name == PADDED and isinstance(node.args[0], ast.Subscript):
                inner = node.args[0]
                assert isinstance(inner.value, ast.Name)
                word = "read" if inner.value.id in active else "given"
                return named(word, Read(inner.value.id, subscripts_of(inner), node))
            if name == INT:
                return named("given", Read("", (), node))
            node.args = [self.visit(argument) for argument in node.args]
            return node

    result: ast.expr = Named().visit(copied(tree))
    return result, matches


def with_constants(tree: ast.expr, matches: dict[str, Read]) -> ast.expr:
    """With a name for each part that has no derivative, whatever it is made of; `found` gets these."""
    if isinstance(tree, ast.Name | ast.Constant):
        return tree
    if not any(name.startswith("read_") for name in names_in(tree)):
        name = f"given_{len(matches) + 1}"
        matches[name] = Read("", (), restored(tree, matches))
        return name_of(name)

    def of(node: ast.AST) -> ast.AST:
        return with_constants(node, matches) if isinstance(node, ast.expr) else node

    if isinstance(tree, ast.Call):
        return ast.Call(tree.func, [with_constants(argument, matches) for argument in tree.args], [])
    if isinstance(tree, ast.Compare | ast.BoolOp):
        return tree
    result = rebuilt(tree, of)
    assert isinstance(result, ast.expr)
    return result


def restored(tree: ast.expr, matches: Mapping[str, Read]) -> ast.expr:
    return renamed(tree, {name: read.node for name, read in matches.items()})
