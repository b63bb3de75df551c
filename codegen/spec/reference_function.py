"""Reads a reference that is a Python function: lines `name = expression`, and last `return expression`."""

from __future__ import annotations

import ast

from ..language.syntax import REFERENCE_SYNTAX, did_you_mean
from .beside import Reference
from .definitions import name_fault
from .formula import Report, names_in, parse_expression
from .model import Formula, Schema
from .reference import RESULT
from .source import LineColumn, SourceString

FORM = "expected lines `name = expression`, and `return expression` as the last one"


def read_function(reference: Reference, schema: Schema, report: Report) -> dict[str, Formula]:
    body = _without_docstring(reference.function.body)
    results: dict[str, Formula] = {}
    for number, statement in enumerate(body, 1):
        name, value = _named(statement, is_last=number == len(body))
        if value is None:
            report(reference.where(statement), FORM)
        elif name != RESULT and (fault := name_fault(name, schema, results)):
            report(reference.where(statement), fault)
        else:
            results[name] = _part(reference, value, report)
    theirs = reference.function.args
    parameters = {arg.arg: arg for arg in theirs.args}
    known = [a.name for a in schema.arguments]
    if theirs.posonlyargs or theirs.kwonlyargs or theirs.vararg or theirs.kwarg or theirs.defaults:
        report(reference.where(), "expected plain parameters, named like arguments of the op")
    read = set[str]().union(*(names_in(part.tree) for part in results.values() if part.tree is not None))
    for name, node in parameters.items():
        if name not in known:
            report(reference.where(node), f"the op has no argument '{name}'{did_you_mean(name, known)}")
        elif name not in read and all(part.tree is not None for part in results.values()):
            report(reference.where(node), f"nothing reads the parameter '{name}'")
    for name in known:
        if name in read and name not in parameters:
            report(reference.where(), f"the function reads '{name}', which is no parameter of it")
    return results


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0].value if isinstance(body[0], ast.Expr) else None
    return body[1:] if isinstance(first, ast.Constant) and isinstance(first.value, str) else body


def _named(statement: ast.stmt, is_last: bool) -> tuple[str, ast.expr | None]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if not is_last and name != RESULT:
            return name, value
        case ast.Return(value=value) if is_last:
            return RESULT, value
    return "", None


def _part(reference: Reference, value: ast.expr, report: Report) -> Formula:
    text = source_of(reference, value)
    tree = parse_expression(text, REFERENCE_SYNTAX, report)
    shown = ast.unparse(tree) if tree is not None else text.value
    return Formula(shown, tree, text.where())


def source_of(reference: Reference, node: ast.expr) -> SourceString:
    lines = reference.source.lines
    assert node.end_lineno is not None and node.end_col_offset is not None
    places: list[LineColumn] = []
    for number in range(node.lineno, node.end_lineno + 1):
        line = lines[number - 1]
        begin = _column(line, node.col_offset) if number == node.lineno else 0
        end = _column(line, node.end_col_offset) if number == node.end_lineno else len(line) + 1  # the line's end too
        places += ((number, column + 1) for column in range(begin, end))
    value = "".join((lines[line - 1] + "\n")[column - 1] for line, column in places)
    return SourceString(value, reference.source.file, (*places, (places[-1][0], places[-1][1] + 1)))


def _column(line: str, offset: int) -> int:
    return len(line.encode()[:offset].decode())
