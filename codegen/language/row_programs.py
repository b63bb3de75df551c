"""The language of row programs: what a kernel computes from one row of its arrays, said once for both devices.

    peak = max(self)
    part = exp(self - peak)
    result = part / sum(part) * gain_

A program is assignments, one after the other, in Python's syntax.

    program     one or more of  NAME = expression  ; each name is assigned once
    expression  numbers, names, + - * / // % **, comparisons, and or not, `a if c else b`, scalar functions, folds
    x           the element of a row: of an array that has all elements
    x_          the number that all rows have at this place: of an array with one row
    x_row       one number a row: of an array with one number for each row
    eps         a number argument, the same for all rows
    n, i        how many elements a row has, and the place of the element in its row
    fold        sum prod mean max min any all of an expression; argmax argmin: the first place; nan is an extreme
    at(x, k)    the element of array `x` at place `k` of its row, nan where there is none; `k` is a number of the row
    rounded(x)  a number of the row as elements have it, in their dtype
    sum_rows(e) an output of its own: the sum of e over all rows, a row, where e is of elements and of arrays alone
    x_ or 1.0   what stands for an array that may be None
    outputs     an output that depends on the element is a row, one that does not is one number a row

A choice `a if c else b` between expressions, where c is a number of the row, has a loop for each side; folds that a
alone reads are computed where c is true. The rare case stands in front.

A name that depends on the element is computed anew for each element; one that does not is computed once a row. Elements
are computed in the dtype of the arrays. Sums, means and products are added up in double precision, as is what is
computed from them; where an element is computed with such a number, it is rounded to the arrays' dtype first.

Row programs that are written as Python functions, as in runtime/ops/<family>/rows.py: read with `ast`.

    def softmax(x: Row) -> Row:
        part = exp(x - max(x))
        return part / sum(part)

The annotations say what a parameter is: `Row`, `Shared` (name_), `Each` (name_row), `Place` (the parameter is i), or a
number. A parameter `n: int` is the count of elements. What is returned are the outputs: names, or an expression, which
is the output `result`.
"""

import ast
import copy
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .syntax import SCALAR_SYNTAX, did_you_mean, faults, too_deep

SUMS = ("sum", "prod", "mean")  # whose results are double precision
MIN_MAX = ("max", "min")
ARG_REDUCTIONS = ("argmax", "argmin")
TESTS = ("any", "all")
KINDS_OF_FOLDS = (SUMS, MIN_MAX, ARG_REDUCTIONS, TESTS)
FOLDS = (*SUMS, *MIN_MAX, *ARG_REDUCTIONS, *TESTS)
COUNT, INDEX_NAME, ELEMENT_AT, SUM_ROWS, ROUNDED = "n", "i", "at", "sum_rows", "rounded"
KINDS = {"row": "", "shared": "_", "each": "_row"}  # kinds of arrays, and how their names in a program end
MAX_STATEMENTS = 50

# Names that generated kernels use themselves.
OWN = frozenset(
    ("T", "W", "BLOCK", "MIN_VALUE", "MAX_VALUE", "REORDER", "cuda", "np", "jit", "uint32", "int32", "float")
    + (COUNT, INDEX_NAME, "r", "k", "rows", "first", "last", "begin", "start", "inside", "layout", "at", "shared_at")
    + ("element_offset", "found", "part", "parts", "size", "thread_group", "lane", "lanes", "min", "range", "loop")
    + ("full", "finish", "shared_offset", "side", "line", "columns", "fill", "capacity", "clear", "sums")
    + (
        "BLOCK",
        "COLLECTED",
        "COLUMNS",
        "WRITTEN",
        "SUMMED",
        "buffer_for",
        "collect",
        "columns_for",
        "element_at",
        "empty_row",
        "fence",
    )
    + (
        "filled",
        "first_index",
        "has_true",
        "merged_lines",
        "minmax_of",
        "part_of",
        "reading",
        "round_to",
        "row_to_read",
        "row_at",
        "row_buffer",
        "row_to_write",
        "rows_side_by_side",
        "write_row",
    )
    + ("pieces", "beside", "lines", "line_width", "line_size", "repeat", "repeated", "WIDE", "j")
)
OWN_BEGINNINGS = (
    *(
        "all_",
        "of_",
        "to_",
        "buffer_",
        "get_",
        "put_",
        "across_",
        "part_of_",
        "parts_of_",
        "best_",
        "number_",
        "fold_",
        "each_",
        "rows_of_",
    ),
)


@dataclass(frozen=True)
class Parameter:
    """One argument of a program: an array of a kind of KINDS, or a `number`."""

    name: str  # as the program spells it: gain_
    kind: str
    type: str = "float"  # of a number: float, int or bool
    default: float | None = None  # what stands for an array that may be None

    @property
    def array(self) -> str:
        ending = KINDS.get(self.kind, "")
        return self.name.removesuffix(ending) if ending else self.name


@dataclass(frozen=True)
class Statement:
    name: str
    value: ast.expr
    node: ast.stmt


@dataclass(frozen=True)
class Program:
    """A program that was read; `faults` finds what is wrong with its names."""

    name: str
    doc: str
    parameters: tuple[Parameter, ...]
    statements: tuple[Statement, ...]
    outputs: tuple[str, ...]

    def of_kind(self, *kinds: str) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if p.kind in kinds)

    @property
    def arrays(self) -> tuple[Parameter, ...]:
        return self.of_kind(*KINDS)

    @property
    def is_planned(self) -> bool:
        """Whether floats stand before integers, as plans have them."""
        are_ints = [p.type != "float" for p in self.of_kind("number")]
        return are_ints == sorted(are_ints)

    @property
    def totals(self) -> tuple[str, ...]:
        """The outputs that are sums over rows."""
        return tuple(s.name for s in self.statements if _is_total(s.value))

    @property
    def without_totals(self) -> "Program":
        return self._with([name for name in self.outputs if name not in self.totals])

    def _with(self, outputs: Sequence[str]) -> "Program":
        """The same of some outputs alone."""
        needed = set(outputs)
        for statement in reversed(self.statements):
            if statement.name in needed:
                needed |= {node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)}
        statements = tuple(s for s in self.statements if s.name in needed)
        return replace(self, statements=statements, outputs=tuple(outputs))

    def columns_summed(self, name: str) -> "Program":
        """The sums over rows as a program over columns: what was one row for all is one number a column there."""
        kinds = {"shared": "each", "each": "shared"}
        parameters = tuple(replace(p, kind=kinds.get(p.kind, p.kind)) for p in self.parameters)
        parameters = tuple(
            replace(p, name=p.name if p.kind == "row" else spelled(q.array, p.kind))
            for p, q in zip(parameters, self.parameters, strict=True)
        )
        names = {q.name: p.name for p, q in zip(parameters, self.parameters, strict=True)}

        class Rename(ast.NodeTransformer):
            def visit_Name(self, node: ast.Name) -> ast.expr:
                return ast.Name("sum" if node.id == SUM_ROWS else names.get(node.id, node.id), ast.Load())

        program = self._with(self.totals)
        statements = [replace(s, value=Rename().visit(copy.deepcopy(s.value))) for s in program.statements]
        return replace(program, name=name, parameters=parameters, statements=tuple(statements))

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(f"{s.name} = {ast.unparse(s.value)}" for s in self.statements)

    @property
    def values(self) -> dict[str, ast.expr]:
        return {s.name: s.value for s in self.statements}


_NUMBERED = re.compile(rf"({'|'.join(FOLDS)}|count)_\d+")  # the names of folds in generated kernels
Fault = tuple[ast.AST, str]  # a node and what is wrong there


def _is_total(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == SUM_ROWS


def spelled(name: str, kind: str) -> str:
    return name + KINDS.get(kind, "")


def statements_of(body: Sequence[ast.stmt]) -> tuple[tuple[Statement, ...], list[Fault]]:
    matches: list[Statement] = []
    wrong: list[Fault] = []
    if len(body) > MAX_STATEMENTS:
        return (), [(body[MAX_STATEMENTS], f"expected at most {MAX_STATEMENTS} assignments")]
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if too_deep(value):
                    wrong.append((value, "expected an expression of fewer levels: give a part of it a name"))
                else:
                    wrong += faults(value, value, SCALAR_SYNTAX)
                matches.append(Statement(name, value, node))
            case _:
                wrong.append((node, f"expected an assignment, NAME = expression, found {_shown(node)}"))
    return tuple(matches), wrong


def _shown(node: ast.stmt) -> str:
    text = ast.unparse(node).splitlines()[0]
    return f"'{text[:40]}...'" if len(text) > 40 else f"'{text}'"


def program_faults(program: Program, functions: Mapping[str, tuple[int, float]] | None) -> Iterator[Fault]:
    """Names that mean nothing, are assigned twice or too late, wrong folds and calls, and outputs that are missing.

    `functions` are the scalar functions with how many arguments they take; None leaves calls unchecked.
    """
    known = {p.name for p in program.parameters} | {COUNT, INDEX_NAME}
    used: set[str] = set()
    assigned = {s.name: s for s in program.statements}
    for parameter in program.parameters:
        if parameter.name in OWN and program.statements:
            yield program.statements[0].node, f"the argument '{parameter.name}' is a word of row programs"
    for statement in program.statements:
        name = statement.name
        if name in OWN or name in FOLDS or name.startswith(OWN_BEGINNINGS) or _NUMBERED.fullmatch(name):
            yield statement.node, f"'{name}' is a word of row programs: choose another name (docs/spec.md, Names)"
        elif name.startswith("_") or name.endswith("_"):
            yield statement.node, f"'{name}': expected a name that neither begins nor ends with an underscore"
        elif functions is not None and name in functions:
            yield statement.node, f"'{name}' is a scalar function: choose another name"
        elif name in known:
            yield statement.node, f"'{name}' has a value already"
        called = {id(node.func) for node in ast.walk(statement.value) if isinstance(node, ast.Call)}
        spellings = {p.array: p.name for p in program.parameters}
        for node in ast.walk(statement.value):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield from _call_faults(node, node.func.id, program, known, functions)
            elif isinstance(node, ast.Name) and id(node) not in called and node.id not in known:
                name = node.id
                if name in assigned:
                    yield node, f"'{name}' has no value yet: it is assigned further below"
                elif name in FOLDS or name in (functions or ()):
                    yield node, f"function '{name}' is used as a value"
                else:
                    meant = spellings.get(name.removesuffix("_row").removesuffix("_"))
                    hint = f" (did you mean '{meant}'?)" if meant else did_you_mean(name, known)
                    yield node, f"unknown name '{name}'{hint}"
        used |= {node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)}
        known.add(statement.name)
    for statement in program.statements:
        if statement.name not in program.outputs and statement.name not in used:
            yield statement.node, f"'{statement.name}' is neither read nor an output ({', '.join(program.outputs)})"
    last = program.statements[-1].node if program.statements else ast.Pass(lineno=1, col_offset=0)
    for output in program.outputs:
        if output not in assigned:
            yield last, f"expected an assignment to the output '{output}'{did_you_mean(output, assigned)}"
    if program.outputs and set(program.outputs) == {*program.totals}:
        yield last, f"expected an output beside those of {SUM_ROWS}()"
    if not program.of_kind("row"):
        yield last, "expected an array of rows: a tensor whose name in the program has no ending"


def _call_faults(
    call: ast.Call,
    name: str,
    program: Program,
    known: Collection[str],
    functions: Mapping[str, tuple[int, float]] | None,
) -> Iterator[Fault]:
    if call.keywords:
        yield call, f"{name}() takes its arguments by place"
    elif name in FOLDS:
        if len(call.args) != 1:
            yield call, f"{name}() takes 1 argument, got {len(call.args)}"
        elif not depends(call.args[0], program):
            yield call, f"{name}() of what is the same for all elements of a row: expected an expression of elements"
    elif name == SUM_ROWS:
        yield from _total_faults(call, program)
    elif name == ROUNDED:
        if len(call.args) != 1 or depends(call.args[0], program):
            yield call, f"{ROUNDED}() takes one number of the row"
    elif name == ELEMENT_AT:
        rows = [p.name for p in program.of_kind("row", "shared")]
        first = call.args[0] if call.args else None
        if len(call.args) != 2 or not isinstance(first, ast.Name) or first.id not in rows:
            yield call, f"at() takes an array of {', '.join(rows) or 'rows'} and a place, at(x, k)"
        elif depends(call.args[1], program):
            yield call, "at() takes a place that is one number a row"
    elif functions is not None and name not in functions:
        yield call, f"unknown function '{name}'{did_you_mean(name, [*functions, *FOLDS, ELEMENT_AT])}"
    elif functions is not None and not functions[name][0] <= len(call.args) <= functions[name][1]:
        low, high = functions[name]
        yield call, f"{name}() takes {low if low == high else f'{low} to {high:.0f}'} arguments, got {len(call.args)}"


def _total_faults(call: ast.Call, program: Program) -> Iterator[Fault]:
    if not any(s.value is call and s.name in program.outputs for s in program.statements) or len(call.args) != 1:
        yield call, f"{SUM_ROWS}() of one expression is an output, and nothing else: NAME = {SUM_ROWS}(expression)"
        return
    if not depends(call.args[0], program):
        yield call, f"{SUM_ROWS}() of what is the same for all elements of a row: expected an expression of elements"
    values, trees = program.values, list(call.args)
    while trees:
        for node in ast.walk(trees.pop()):
            if isinstance(node, ast.Name) and node.id in FOLDS:
                yield (
                    call,
                    f"{SUM_ROWS}() of what a fold gives: the number has to be an argument, as an output of another",
                )
            elif isinstance(node, ast.Name) and node.id in values:
                trees.append(values[node.id])


def depends(tree: ast.expr, program: Program) -> bool:
    """Whether an expression has another value for each element of a row: it names one outside of a fold."""
    rows = {p.name for p in program.of_kind("row", "shared")} | {INDEX_NAME}
    values = program.values
    seen: dict[str, bool] = {}

    def reaches(node: ast.AST) -> bool:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in FOLDS or node.func.id == ELEMENT_AT:
                return False
            return any(reaches(argument) for argument in node.args)
        if isinstance(node, ast.Name):
            if node.id in rows:
                return True
            if node.id in values and node.id not in seen:
                seen[node.id] = False  # of a name that is read before it has a value, which is a fault of its own
                seen[node.id] = reaches(values[node.id])
            return seen.get(node.id, False)
        return any(reaches(child) for child in ast.iter_child_nodes(node))

    return reaches(tree)


KIND_OF = {"Row": "row", "Shared": "shared", "Each": "each"}
NUMBERS = ("float", "int", "bool")


class NoProgram(ValueError):
    """A function is no row program: file, line and column, and what was expected."""


def programs_of(path: Path, functions: Mapping[str, tuple[int, float]] | None = None) -> dict[str, Program]:
    """The programs of a module by name, but for private functions; NoProgram where a function is none."""
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
