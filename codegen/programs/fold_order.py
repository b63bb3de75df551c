"""The order of the indices of folds: that in which loops do least."""

import ast
import itertools
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ..language.index_expressions import INT, PADDED, fold_of, folded, free_names, reads, rebuilt
from ..language.indexed_programs import IndexedProgram, Statement
from ..language.scalar_functions import is_expensive
from .program_kinds import FLAT_INDEX

EXPENSIVE, ACROSS, ALONG = 20.0, 1.0, 0.1  # what a function, a read across rows and one along a row cost
VALUES = 16.0  # of an index whose range is not known
MAX_ORDERED = 4  # indices of which all orders are tried


def with_ordered_folds(program: IndexedProgram) -> IndexedProgram:
    """Folds over several indices, those first that expensive functions and rows depend on."""
    statements = tuple(replace(s, value=_ordered(s.value, s, program.arrays)) for s in program.statements)
    return replace(program, statements=statements)


def _ordered(tree: ast.AST, statement: Statement, arrays: Collection[str]) -> ast.expr:
    result = rebuilt(tree, lambda node: _ordered(node, statement, arrays) if isinstance(node, ast.expr) else node)
    assert isinstance(result, ast.expr)
    word, over, operand = fold_of(result) or ("", (), result)
    if not 1 < len(over) <= MAX_ORDERED or word in FLAT_INDEX:
        return result
    costs = {order: _cost(order, operand, statement, arrays) for order in itertools.permutations(over)}
    best = min(costs, key=costs.__getitem__)  # the first of several, and the order that was written is the first of all
    return folded(word, best, operand)


def _cost(order: Sequence[str], operand: ast.expr, statement: Statement, arrays: Collection[str]) -> float:
    """Of loops in this order, where each part is computed in the outermost one that has all its indices."""
    values = [_values(*statement.ranges[name]) for name in order]

    def passes(node: ast.expr) -> float:
        return math.prod(
            values[: max([1 + order.index(name) for name in free_names(node) if name in order], default=0)]
        )

    total = sum(EXPENSIVE * passes(node) for node in expensive_parts(operand))
    for read in reads(operand, arrays):
        names = {name for subscript in read.subscripts[:-1] for name in free_names(subscript)}
        total += passes(read.node) * (ACROSS if order[-1] in names else ALONG)
    return total


def _values(start: ast.expr, stop: ast.expr) -> float:
    match start, stop:
        case ast.Constant(value=int(first)), ast.Constant(value=int(end)):
            return float(end - first)
    return VALUES


def expensive_parts(tree: ast.expr) -> Iterator[ast.expr]:
    """The folds and calls of expensive functions in an expression that lie in no other ones, nor in a place."""
    if is_expensive_part(tree):
        yield tree
    elif not isinstance(tree, ast.Subscript):
        for child in ast.iter_child_nodes(tree):
            if isinstance(child, ast.expr):
                yield from expensive_parts(child)


def is_expensive_part(tree: ast.expr) -> bool:
    match tree:
        case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=2)):
            return False
        case ast.BinOp(op=ast.Pow()):
            return True
        case ast.Call(func=ast.Name(id=name) as function) if name not in (PADDED, INT):
            return is_expensive(ast.Call(function, [], []))
    return fold_of(tree) is not None
