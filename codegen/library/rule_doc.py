"""Reads from source what a check of arguments demands and raises, and what a batching rule does; imports nothing."""

import ast
import builtins
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .modules import RUNTIME, statements_of
from .op_library import Part

# A rule's docstring says that it wraps a dimension, that is counts it from the front; a caller reads it as a demand.
WRAPS = re.compile(r"\b[Ww]raps (both dimensions|(?:a single )?`\w+`(?: and `\w+`)?)")

READING = frozenset(("host_array", "item", "tolist"))  # functions that give elements of a tensor to Python
SHAPES = ("_shape", "shape")
SENTENCE = re.compile(r"(?<=\.)\s+(?=[A-Z`])")


@dataclass(frozen=True)
class Demand:
    """A condition on the arguments, and the exceptions that are raised where it does not hold."""

    phrases: str
    errors: tuple[str, ...]


@cache
def demand(rule: Part) -> Demand:
    phrases = _described(rule)
    phrases = WRAPS.sub(r"\1 in range", phrases)
    raises = [n.exc for n in _reached(rule, _functions(rule)) if isinstance(n, ast.Raise)]
    raised = [error.func for error in raises if isinstance(error, ast.Call)]
    names = {_bases().get(ast.unparse(error), ast.unparse(error)) for error in raised}
    errors = sorted(name for name in names if hasattr(builtins, name))
    return Demand(phrases[:1].lower() + phrases[1:], tuple(errors) or ("RuntimeError",))


def promise(rule: Part) -> str:
    return SENTENCE.split(_described(rule))[0].rstrip(".")


def _described(rule: Part) -> str:
    return " ".join((ast.get_docstring(rule.node) or "").split()) if isinstance(rule.node, ast.FunctionDef) else ""


@cache
def reads_storage(rule: Part) -> bool:
    known = isinstance(rule.node, ast.FunctionDef)
    return not known or any(isinstance(n, ast.Attribute) and n.attr == "_storage" for n in ast.walk(rule.node))


@cache
def reads_elements(rule: Part) -> bool:
    """Whether a check asks what elements are: by Python's numbers, as an array, or with ops.

    Those that all rules share ask for that of a tensor in the place of a number, which native code does not take.
    """
    own = _read_functions(*rule.op_library.files(rule.kind))
    names = {ast.unparse(n) for n in _reached(rule, own) if isinstance(n, ast.Name | ast.Attribute)}
    return bool({name.rpartition(".")[2] for name in names} & READING) or "namespace.op" in names


@cache
def reads_shapes(rule: Part) -> bool:
    known = isinstance(rule.node, ast.FunctionDef)
    return not known or any(isinstance(n, ast.Attribute) and n.attr in SHAPES for n in ast.walk(rule.node))


def reads_any(rule: Part, numbers: Sequence[int]) -> bool:
    if not isinstance(rule.node, ast.FunctionDef):
        return True
    names = [a.arg for a in rule.node.args.args][1:]  # behind the name of the op
    rest = rule.node.args.vararg.arg if rule.node.args.vararg else ""
    argument_names = {names[n] if n < len(names) else rest for n in numbers}
    returned_ids = {id(n) for r in ast.walk(rule.node) if isinstance(r, ast.Return) for n in _items(r.value)}
    read = (n for n in ast.walk(rule.node) if isinstance(n, ast.Name) and n.id in argument_names)
    return any(id(n) not in returned_ids for n in read)


def _items(value: ast.expr | None) -> list[ast.expr]:
    items = value.elts if isinstance(value, ast.Tuple) else []
    return [item.value if isinstance(item, ast.Starred) else item for item in items]


def _functions(rule: Part) -> dict[str, ast.FunctionDef]:
    shared = ("dispatch/argument_checks.py", "dispatch/shape_rules.py", "shapes.py")
    return _read_functions(*rule.op_library.files(rule.kind), *(RUNTIME / path for path in shared))


@cache
def _read_functions(*paths: Path) -> dict[str, ast.FunctionDef]:
    nodes = [node for path in paths for node in statements_of(path) if isinstance(node, ast.FunctionDef)]
    return {node.name: node for node in reversed(nodes)}


@cache
def _bases() -> dict[str, str]:
    nodes = [node for node in statements_of(RUNTIME / "errors.py") if isinstance(node, ast.ClassDef)]
    return {node.name: ast.unparse(node.bases[0]) for node in nodes}


def _reached(rule: Part, functions: Mapping[str, ast.FunctionDef]) -> Iterator[ast.AST]:
    todo = [rule.name]
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name in functions and name not in seen:
            seen.add(name)
            nodes = [node for statement in functions[name].body for node in ast.walk(statement)]
            todo += [n.func.id for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
            yield from nodes
