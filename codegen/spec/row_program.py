"""The key `rows`: a row program in an entry, with the places of its parts in the spec."""

import ast
import copy
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..language.row_programs import KINDS, Parameter, Program, Statement, spelled, statements_of
from ..language.syntax import MAX_TITLE_CHARS
from .formula import Report, location
from .model import Argument, Schema, identifier
from .source import SourceString

LAYOUT = {
    "dim": "int",
    "keepdim": "bool",
    "output_mask": "bool",
}  # the arguments that no program reads, and their types
NUMBERS = {"Scalar": "float", "float": "float", "int": "int", "bool": "bool"}
NO_PART = ("ScalarType",)  # types of arguments that are the generator's business


def is_output_mask(argument: Argument) -> bool:
    """Whether it says which outputs a program has to compute, as `bool[] output_mask` of a backward kernel does."""
    return argument.name == "output_mask" and argument.type.is_list and argument.type.base == "bool"


def check_of_rows(schema: Schema) -> str:
    return f"{identifier(schema)}_rows"


def read_program(text: SourceString, schema: Schema, report: Report, has_check: bool = False) -> Program | None:
    """The program; `has_check`: the entry has a check of its own, which gives a number for one that may be None."""
    body = parsed_program(text, "rows", report)
    if body is None:
        return None
    statements, wrong = statements_of(body)
    statements, defaults = _with_defaults(statements)
    names = {node.id for s in statements for node in ast.walk(s.value) if isinstance(node, ast.Name)}
    parameters = []
    for argument in schema.arguments:
        if argument.name in LAYOUT or argument.type.base in NO_PART:
            continue
        result = _parameter(argument, names, defaults, has_check)
        if isinstance(result, str):
            report(text.where(), result)
            return None
        parameters.append(result)
    for node, message in wrong:
        report(location(text.file, node), message)
    outputs = tuple(output.name for output in schema.returns)
    return None if wrong else Program(identifier(schema), "", tuple(parameters), statements, outputs)


def _with_defaults(statements: Sequence[Statement]) -> tuple[tuple[Statement, ...], dict[str, float]]:
    """Statements with x_ for `x_ or 1.0`, and the numbers that stand for arrays."""
    defaults: dict[str, float] = {}

    class Default(ast.NodeTransformer):
        def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
            match node:
                case ast.BoolOp(op=ast.Or(), values=[ast.Name(id=name) as array, ast.Constant(value=float() as value)]):
                    defaults[name] = value
                    return array
            return self.generic_visit(node)

    return tuple(replace(s, value=Default().visit(copy.deepcopy(s.value))) for s in statements), defaults


def _parameter(argument: Argument, names: set[str], defaults: Mapping[str, float], has_check: bool) -> Parameter | str:
    type_, name = argument.type, argument.name
    if type_.is_tensor and not type_.is_list:
        kinds = [kind for kind in KINDS if spelled(name, kind) in names]
        if len(kinds) > 1:
            spellings = " and ".join(spelled(name, kind) for kind in kinds)
            return f"'{name}' is used as {spellings}: expected one of them"
        kind = kinds[0] if kinds else "row"
        default = defaults.get(spelled(name, kind))
        if type_.optional and (kind == "row" or default is None):
            return (
                f"the argument '{name}' may be None: expected {name}_ or {name}_row with a number, as `{name}_ or 1.0`"
            )
        return Parameter(spelled(name, kind), kind, default=default)
    if type_.base in NUMBERS and not type_.is_list and (has_check or not type_.optional):
        return Parameter(name, "number", NUMBERS[type_.base])
    return f"the argument '{name}': expected a tensor or a number, or dim and keepdim"


def parsed_program(text: SourceString, key: str, report: Report) -> list[ast.stmt] | None:
    if len(text.value) > MAX_TITLE_CHARS:
        report(text.where(), f"expected a program of at most {MAX_TITLE_CHARS:,} characters, found {len(text.value):,}")
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = ast.parse(text.value)
    except SyntaxError as error:
        hint = "" if "\n" in text.value.strip() else f" (a program of several lines begins with `{key}: |`)"
        report(
            text.where(_offset(text.value, error.lineno or 1, (error.offset or 1) - 1)),
            f"syntax error: {error.msg}{hint}",
        )
        return None
    except (RecursionError, MemoryError, ValueError):
        report(text.where(), "expected expressions of fewer levels")
        return None
    lines = text.value.splitlines(keepends=True)
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt | ast.keyword):
            column = len(lines[node.lineno - 1].encode()[: node.col_offset].decode())
            where = text.where(_offset(text.value, node.lineno, column))
            node.lineno, node.col_offset = where.line, where.col - 1
            node.end_lineno, node.end_col_offset = where.line, where.col
    return tree.body


def _offset(source: str, line: int, column: int) -> int:
    return sum(len(each) for each in source.splitlines(keepends=True)[: line - 1]) + column
