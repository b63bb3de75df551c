"""Row programs that are written as Python functions, as in runtime/ops/<family>/rows.py: read with `ast`.

    def softmax(x: Row) -> Row:
        part = exp(x - max(x))
        return part / sum(part)

The annotations say what a parameter is: `Row`, `Shared` (name_), `Each` (name_row), `Place` (the parameter is i), or a
number. A parameter `n: int` is the count of elements. What is returned are the outputs: names, or an expression, which
is the output `result`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from .language import COUNT, INDEX_NAME, Parameter, Program, Statement, program_faults, statements_of

KIND_OF = {"Row": "row", "Shared": "shared", "Each": "each"}
NUMBERS = ("float", "int", "bool")


class NoProgram(ValueError):
    """A function is no row program: file, line and column, and what was expected."""


def programs_of(path: Path, functions: Mapping[str, tuple[int, float]] | None = None) -> dict[str, Program]:
    """The programs of a module by name; functions that begin with an underscore are none.

    Args:
        functions: the scalar functions with how many arguments they take; None leaves their calls unchecked.

    Raises:
        NoProgram: a function that is none.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    public = (node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"))
    programs = {node.name: program_of(node, str(path)) for node in public}
    for program in programs.values():
        for node, message in program_faults(program, functions):
            raise _fault(str(path), node, message)
    return programs


def program_of(node: ast.FunctionDef, file: str = "") -> Program:
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    last = body[-1] if body else node
    if not isinstance(last, ast.Return) or last.value is None:
        raise _fault(file, last, "expected `return` with the outputs as the last statement")
    statements, wrong = statements_of(body[:-1])
    outputs = list(_outputs(last.value))
    statements += tuple(Statement(name, value, last) for name, value in outputs if value is not None)
    for location, message in wrong:
        raise _fault(file, location, message)
    parameters = tuple(p for a in node.args.args if (p := _parameter(a, file)) is not None)
    return Program(node.name, ast.get_docstring(node) or "", parameters, statements, tuple(name for name, _ in outputs))


def _outputs(value: ast.expr) -> Iterator[tuple[str, ast.expr | None]]:
    items = value.elts if isinstance(value, ast.Tuple) else [value]
    for k, item in enumerate(items):
        if isinstance(item, ast.Name):
            yield item.id, None
        else:
            yield ("result" if len(items) == 1 else f"result{k}"), item


def _parameter(argument: ast.arg, file: str) -> Parameter | None:
    hint = ast.unparse(argument.annotation) if argument.annotation else ""
    if argument.arg in (COUNT, INDEX_NAME):
        return None
    if hint in KIND_OF:
        return Parameter(argument.arg, KIND_OF[hint])
    if hint in NUMBERS:
        return Parameter(argument.arg, "number", hint)
    raise _fault(file, argument, f"expected one of {', '.join([*KIND_OF, *NUMBERS])}, found '{hint}'")


def _fault(file: str, node: ast.AST, message: str) -> NoProgram:
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
    return NoProgram(f"{file}:{line}:{column}: {message}")
