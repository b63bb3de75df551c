"""Folds over a few values of an index as expressions, so that the loops around them are vector code."""

import ast
import functools
import itertools
from collections.abc import Sequence
from dataclasses import replace

from ..language.index_expressions import expanded_logsumexp, fold_of, rebuilt, renamed, simplified
from ..language.indexed_programs import IndexedProgram, Statement
from .program_kinds import ProgramCode
from .python_code import TRUTH

MAX_TERMS = 4
COMPARED = {
    ast.Eq: int.__eq__,
    ast.NotEq: int.__ne__,
    ast.Lt: int.__lt__,
    ast.LtE: int.__le__,
    ast.Gt: int.__gt__,
    ast.GtE: int.__ge__,
}


def unrolled(program: IndexedProgram) -> IndexedProgram:
    code = ProgramCode(program)
    statements = tuple(replace(s, value=_unrolled(s.value, s, code)) for s in program.statements)
    return replace(program, statements=statements)


def _unrolled(tree: ast.AST, statement: Statement, code: ProgramCode) -> ast.expr:
    fold = fold_of(tree)
    if fold is not None and fold[0] == "logsumexp" and _values(fold[1], statement):
        return _unrolled(expanded_logsumexp(fold[1], fold[2]), statement, code)
    result = rebuilt(tree, lambda node: _unrolled(node, statement, code) if isinstance(node, ast.expr) else node)
    assert isinstance(result, ast.expr)
    values = _values(fold[1], statement) if fold is not None and not fold[0].startswith("arg") else []
    if not values:
        return _decided(result)
    word, over, operand = fold_of(result) or ("", (), result)
    operand = _as_term(word, operand, code.kind_of(operand))
    terms = [substituted(operand, dict(zip(over, each, strict=True))) for each in values]
    return _reduced(word, terms)


def _as_term(word: str, operand: ast.expr, kind: str) -> ast.expr:
    """Truths are counted as 1 and 0, and numbers of `any` and `all` are compared with 0."""
    if word in ("any", "all"):
        return operand if kind == TRUTH else ast.Compare(operand, [ast.NotEq()], [ast.Constant(0)])
    return ast.IfExp(operand, ast.Constant(1), ast.Constant(0)) if kind == TRUTH else operand


def _values(over: Sequence[str], statement: Statement) -> list[tuple[int, ...]]:
    """All values of the indices of a fold; none where they are many or not known."""
    spans = []
    for index in over:
        match statement.ranges[index]:
            case ast.Constant(value=int(start)), ast.Constant(value=int(stop)):
                spans.append(range(start, stop))
            case _:
                return []
    values = list(itertools.product(*spans))
    return values if 0 < len(values) <= MAX_TERMS else []


def substituted(tree: ast.expr, values: dict[str, int]) -> ast.expr:
    """An expression for certain values of indices, without the cases that these leave out."""
    return _simpler(renamed(tree, {index: ast.Constant(value) for index, value in values.items()}))


def _simpler(tree: ast.AST) -> ast.expr:
    result = rebuilt(tree, _simpler_child)
    assert isinstance(result, ast.expr)
    return _decided(result)


def _simpler_child(node: ast.AST) -> ast.AST:
    return _simpler(node) if isinstance(node, ast.expr) else node


def _decided(tree: ast.expr) -> ast.expr:
    """The case of a condition between constants, and sums of integers as one."""
    match tree:
        case ast.IfExp(test=ast.Constant(value=bool(is_true)), body=body, orelse=orelse):
            return body if is_true else orelse
        case ast.Compare(left=ast.Constant(value=int(one)), ops=[op], comparators=[ast.Constant(value=int(other))]):
            return ast.Constant(COMPARED[type(op)](one, other)) if type(op) in COMPARED else tree
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return simplified(tree)
        case ast.BinOp(left=ast.Constant(value=int(one)), op=ast.Mod(), right=ast.Constant(value=int(other))) if (
            other > 0
        ):
            return ast.Constant(one % other)
    return tree


def _reduced(word: str, terms: Sequence[ast.expr]) -> ast.expr:
    match word:
        case "sum" | "prod":
            return functools.reduce(functools.partial(_binary, ast.Add() if word == "sum" else ast.Mult()), terms)
        case "mean":
            return ast.BinOp(_reduced("sum", terms), ast.Div(), ast.Constant(len(terms)))
        case "max" | "min":
            return functools.reduce(functools.partial(_called, f"{word}imum"), terms)
        case "any" | "all":
            return ast.BoolOp(ast.Or() if word == "any" else ast.And(), list(terms))
    raise AssertionError(word)


def _binary(op: ast.operator, one: ast.expr, other: ast.expr) -> ast.expr:
    return ast.BinOp(one, op, other)


def _called(name: str, one: ast.expr, other: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), [one, other], [])
