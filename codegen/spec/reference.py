"""The language of the key `reference`: expressions in terms of NumPy and SciPy, which say what an op gives.

One expression of Python's, or a few that have names (`size: self.shape[dim]`), the last `result`. In scope are the
op's arguments, a few functions, and what `np`, `scipy` and `math` have to compute with: no files, nothing at random,
and nothing of specgrad, since a reference is another witness.
"""

import ast
import builtins
import functools
import importlib
import warnings
from collections.abc import Collection, Iterator, Mapping
from types import ModuleType
from typing import Any

from ..language.syntax import REFERENCE_SYNTAX, did_you_mean
from .beside import Reference
from .definitions import name_fault
from .formula import Report, names_in, parse_expression
from .model import Formula, Schema
from .source import LineColumn, SourceString

FUNCTIONS = {
    name: getattr(builtins, name)
    for name in (
        *("abs", "all", "any", "bool", "complex", "dict", "enumerate", "float", "int", "len", "list", "max", "min"),
        *("range", "reversed", "round", "slice", "sorted", "sum", "tuple", "zip"),
    )
}
RESULT = "result"  # the name of the last part
ROOTS = {"np": "numpy", "scipy": "scipy", "math": "math"}
MODULES = frozenset(
    ("numpy.linalg", "numpy.fft", "scipy.special", "scipy.linalg", "scipy.signal", "scipy.ndimage", "scipy.fft")
    + ("numpy.lib.stride_tricks", "scipy.spatial.distance", "scipy.stats", "scipy.integrate")
)
# What reaches beyond the values: files, memory and code.
OUTSIDE = frozenset(
    ("load", "save", "savez", "savez_compressed", "loadtxt", "savetxt", "genfromtxt", "fromfile", "fromregex", "memmap")
    + ("tofile", "dump", "dumps", "ctypes", "DataSource", "show_config", "show_runtime", "info", "source", "test")
    + ("frompyfunc", "LowLevelCallable", "as_strided", "format", "format_map")
)

Fault = tuple[ast.AST, str]


def name_faults(tree: ast.expr, arguments: Collection[str]) -> Iterator[Fault]:
    nodes = list(ast.walk(tree))
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    known = {*arguments, *FUNCTIONS, *ROOTS, *stored, *(node.arg for node in nodes if isinstance(node, ast.arg))}
    inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id not in known:
            yield node, f"unknown name '{node.id}'{did_you_mean(node.id, known)}"
        elif isinstance(node, ast.Attribute) and node.attr in OUTSIDE:
            yield node, f"'{node.attr}' reaches beyond the values: a reference only computes"
        elif id(node) not in inner and (fault := _library_fault(node, arguments)):
            yield node, fault


def _library_fault(node: ast.AST, arguments: Collection[str]) -> str:
    root, path = _root_and_path(node)
    if root not in ROOTS or root in arguments:
        return ""
    result: Any = importlib.import_module(ROOTS[root])
    for name in path:
        owner = result
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of names that are on their way out
            result = getattr(owner, name, None)
        if result is None:
            return f"{getattr(owner, '__name__', 'it')} has no '{name}'{did_you_mean(name, dir(owner))}"
        if isinstance(result, ModuleType) and not any(f"{m}.".startswith(f"{result.__name__}.") for m in MODULES):
            return f"'{result.__name__}' is no module of a reference (these are: {', '.join(sorted(MODULES))})"
    return f"'{ast.unparse(node)}' is a module, where something of it belongs" if isinstance(result, ModuleType) else ""


def _root_and_path(node: ast.AST) -> tuple[str, list[str]]:
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.insert(0, node.attr)
        node = node.value
    return node.id if isinstance(node, ast.Name) else "", path


def statements(reference: Mapping[str, Formula]) -> list[str]:
    strings = [(name, " ".join(part.text.split())) for name, part in reference.items()]
    return [*(f"{name} = {text}" for name, text in strings[:-1]), *(text for _, text in strings[-1:])]


def evaluate(text: str, values: Mapping[str, Any]) -> Any:
    *parts, result = text.splitlines()
    # NumPy imports parts of itself when they are first called, by the caller's builtins; no expression can name it.
    hidden = {"__import__": builtins.__import__}
    roots = {name: importlib.import_module(module) for name, module in ROOTS.items()}
    scope = {"__builtins__": hidden, **FUNCTIONS, **roots, **values}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of slices without numbers, and of conversions that are meant
        for part in parts:
            name, _, expression = part.partition(" = ")
            scope[name] = eval(_compiled(expression), scope)
        return eval(_compiled(result), scope)


@functools.cache
def _compiled(expression: str) -> Any:
    return compile(expression, "<reference>", "eval")


def same_expression(reference: ast.expr, computation: ast.expr) -> bool:
    """Whether a reference says again what an entry's own expression says.

    Functions count by their names, whatever has them: `np.exp(self)` is `exp(self)`. One call of a library's function
    on plain arguments is another witness all the same: the function there is not ours.
    """
    match reference:
        case ast.Call(func=function, args=args) if _of_library(function):
            if all(isinstance(each, ast.Name | ast.Constant) for each in args):
                return False
    return _count(reference) == _count(computation) and _unqualified(reference) == _unqualified(computation)


def _count(tree: ast.expr) -> int:
    return sum(isinstance(node, ast.Call | ast.BinOp | ast.UnaryOp | ast.Constant) for node in ast.walk(tree))


def _of_library(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and _root_and_path(node)[0] in ROOTS


def _unqualified(tree: ast.expr) -> str:
    return ast.dump(_StripQualifiers().visit(ast.parse(ast.unparse(tree), mode="eval").body))


class _StripQualifiers(ast.NodeTransformer):
    """Calls without libraries, and methods as functions: `np.exp(x)` and `x.exp()` become `exp(x)`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Attribute):
            first = [] if _of_library(node.func) else [node.func.value]
            node = ast.Call(ast.Name(node.func.attr, ast.Load()), [*first, *node.args], node.keywords)
        return self.generic_visit(node)


# A reference that is a Python function: lines `name = expression`, and last `return expression`.
FORM = "expected lines `name = expression`, and `return expression` as the last one"


def read_function(reference: Reference, schema: Schema, report: Report) -> dict[str, Formula]:
    function = reference.function
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    results: dict[str, Formula] = {}
    for number, statement in enumerate(body, 1):
        name, value = _named(statement, is_last=number == len(body))
        if value is None:
            report(reference.where(statement), FORM)
        elif name != RESULT and (fault := name_fault(name, schema, results)):
            report(reference.where(statement), fault)
        else:
            text = source_of(reference, value)
            tree = parse_expression(text, REFERENCE_SYNTAX, report)
            results[name] = Formula(ast.unparse(tree) if tree is not None else text.value, tree, text.where())
    theirs = function.args
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


def _named(statement: ast.stmt, is_last: bool) -> tuple[str, ast.expr | None]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if not is_last and name != RESULT:
            return name, value
        case ast.Return(value=value) if is_last:
            return RESULT, value
    return "", None


def source_of(reference: Reference, node: ast.expr) -> SourceString:
    lines = reference.source.lines
    assert node.end_lineno is not None and node.end_col_offset is not None
    positions: list[LineColumn] = []
    for number in range(node.lineno, node.end_lineno + 1):
        line = lines[number - 1]
        begin = _column(line, node.col_offset) if number == node.lineno else 0
        end = _column(line, node.end_col_offset) if number == node.end_lineno else len(line) + 1  # the line's end too
        positions += ((number, column + 1) for column in range(begin, end))
    value = "".join((lines[line - 1] + "\n")[column - 1] for line, column in positions)
    return SourceString(value, reference.source.file, (*positions, (positions[-1][0], positions[-1][1] + 1)))


def _column(line: str, offset: int) -> int:
    return len(line.encode()[:offset].decode())
