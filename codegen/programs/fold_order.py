"""The order of the indices of folds: that in which loops do least."""

import ast
import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ..language.index_expressions import INT, PADDED, fold_of, folded, free_names, reads, rebuilt
from ..language.indexed_programs import IndexedProgram
from ..language.scalar_functions import is_expensive
from .program_kinds import FLAT_INDEX

EXPENSIVE, ACROSS, ALONG = 20.0, 1.0, 0.1  # what a function, a read across rows and one along a row cost
VALUES = 16.0  # that an index is taken to have
MAX_ORDERED = 4  # indices of which all orders are tried


def with_ordered_folds(program: IndexedProgram) -> IndexedProgram:
    """Folds over several indices, those first that expensive functions and rows depend on."""
    statements = tuple(replace(s, value=_ordered(s.value, program.arrays)) for s in program.statements)
    return replace(program, statements=statements)


def _ordered(tree: ast.AST, arrays: Collection[str]) -> ast.expr:
    result = rebuilt(tree, lambda node: _ordered(node, arrays) if isinstance(node, ast.expr) else node)
    assert isinstance(result, ast.expr)
    word, over, operand = fold_of(result) or ("", (), result)
    if not 1 < len(over) <= MAX_ORDERED or word in FLAT_INDEX:
        return result
    best = min(itertools.permutations(over), key=lambda order: _cost(order, operand, arrays))
    return folded(word, best, operand) if _cost(best, operand, arrays) < _cost(over, operand, arrays) else result


def _cost(order: Sequence[str], operand: ast.expr, arrays: Collection[str]) -> float:
    """Of loops in this order, where each part is computed in the outermost one that has all its indices."""

    def passes(node: ast.expr) -> float:
        return VALUES ** max([1 + order.index(name) for name in free_names(node) if name in order], default=0)

    total = sum(EXPENSIVE * passes(node) for node in expensive_parts(operand))
    for read in reads(operand, arrays):
        names = {name for subscript in read.subscripts[:-1] for name in free_names(subscript)}
        total += passes(read.node) * (ACROSS if order[-1] in names else ALONG)
    return total


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
