"""Rows of a few elements: each is computed by itself, and those that nobody else reads stay in registers."""

import ast
import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ..language.index_expressions import PADDED, element, is_name, reads
from ..language.indexed_programs import Statement
from .unrolling import substituted

MAX_ELEMENTS = 32  # of all statements


def by_element(statements: Sequence[Statement], own: Collection[str]) -> list[Statement]:
    """A statement for each element of a row; none where a row is long, or has elements that are not known before.

    Of the arrays in `own` there is nothing but the elements of one row."""
    if all(len(statement.subscripts) == 1 for statement in statements):
        return []
    results: list[Statement] = []
    known: set[str] = set()
    for statement in statements:
        for each in _elements(statement):
            if any(ast.unparse(read.node) not in known for read in reads(each.value, own)) or _is_padded(
                each.value, own
            ):
                return []
            known.add(ast.unparse(element(each.name, each.subscripts)))
            results.append(each)
        if len(results) > MAX_ELEMENTS or statement.name not in {each.name for each in results}:
            return []
    return results


def _elements(statement: Statement) -> Iterator[Statement]:
    names = [subscript.id for subscript in statement.subscripts[1:] if isinstance(subscript, ast.Name)]
    spans = []
    for name in names:
        match statement.ranges[name]:
            case ast.Constant(value=int(start)), ast.Constant(value=int(stop)) if stop - start <= MAX_ELEMENTS:
                spans.append(range(start, stop))
            case _:
                return
    for values in itertools.product(*spans):
        constants = dict(zip(names, values, strict=True))
        subscripts = tuple(substituted(subscript, constants) for subscript in statement.subscripts)
        yield replace(statement, subscripts=subscripts, value=substituted(statement.value, constants))


def _is_padded(tree: ast.expr, own: Collection[str]) -> bool:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and is_name(node.func, PADDED)]
    return any(any(reads(call, own)) for call in calls)
