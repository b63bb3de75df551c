"""`where:`: names for parts of an entry's expressions, each defined once, by the arguments and the names above it.

In `tree` definitions stand in the place of their names; `written`, for generated code and documents, keeps the names.
A definition is computed once where every formula that uses it is certain to need it; what only a branch of
`a if c else b` uses stays in that branch.
"""

import ast
import keyword
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from ..language.index_expressions import copied, rebuilt
from ..language.syntax import NUMBERS, too_deep
from .model import Compute, Entry, Formula, Schema

Written = TypeVar("Written", Formula, Compute)
Trees = Mapping[str, ast.expr]

MAX_PARTS = 5_000  # of an expression, its definitions written out
MAX_LEVELS = 100  # likewise
TOO_LARGE = f"expected at most {MAX_PARTS:,} parts with the definitions written out: make an op of some of them"
INF = ast.Constant(NUMBERS["inf"])
NAMED_NUMBERS: Trees = {  # as Python's text of a tree has them: there is no literal of a nan
    "inf": INF,
    "nan": ast.BinOp(INF, ast.Sub(), INF),
    "pi": ast.Constant(NUMBERS["pi"]),
}
TOO_DEEP = f"expected at most {MAX_LEVELS} levels with the definitions written out: make an op of some of them"


def name_fault(name: str, schema: Schema, before: Iterable[str]) -> str:
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        return f"expected a name of letters, digits and underscores, found '{name}'"
    if schema.argument(name) is not None:
        return f"'{name}' is an argument already"
    if name in {r.name for r in schema.returns} | {f"result{i}" for i in range(len(schema.returns))}:
        return f"'{name}' is an output already"
    if name in before:
        return f"'{name}' is defined twice"
    is_of_forward_mode = name.endswith(("_p", "_t"))
    return "x_p and x_t are words of forward formulas: choose another name" if is_of_forward_mode else ""


def with_meaning(written: Written, definitions: Trees) -> tuple[Written, str]:
    if written.tree is None or not used(written.tree, definitions):
        return written, ""
    sizes = {name: size(tree, {}) for name, tree in definitions.items()}
    if size(written.tree, sizes) > MAX_PARTS:
        return replace(written, tree=None), TOO_LARGE
    meaning = substituted(written.tree, definitions)
    if too_deep(meaning, MAX_LEVELS):
        return replace(written, tree=None), TOO_DEEP
    return replace(written, tree=meaning, written=written.tree), ""


def meant(entry: Entry) -> Entry:
    definitions: dict[str, Formula] = {}
    for name, each in entry.definitions.items():
        definitions[name] = _anew(each, trees_of(definitions))
    own = trees_of(definitions)
    primal = of_primals(own, [a.name for a in entry.tensor_arguments])
    forward = {name: _anew(each, primal) for name, each in entry.forward.items()}
    return replace(_changed(entry, partial(_anew, definitions=own)), definitions=definitions, forward=forward)


def _changed(entry: Entry, of: Callable[[Any], Any]) -> Entry:
    """With other ones for all of its expressions but definitions and tangents."""
    return replace(
        entry,
        compute=of(entry.compute),
        derivative_of=entry.derivative_of and of(entry.derivative_of),
        other_dtypes=entry.other_dtypes and of(entry.other_dtypes),
        gradients={name: of(each) for name, each in entry.gradients.items()},
        backward=entry.backward and of(entry.backward),
    )


def with_numbers(entry: Entry) -> Entry:
    """Numbers in the place of `inf`, `nan` and `pi`, where the entry has no such name of its own."""
    own = {*(a.name for a in entry.schema.arguments), *(r.name for r in entry.schema.returns), *entry.definitions}
    values = {name: tree for name, tree in NAMED_NUMBERS.items() if name not in own}
    if not any(name in each.text for name in values for each in entry.expressions):
        return entry

    def numbered(each: Written) -> Written:
        if each.tree is None:
            return each
        written = each.written and substituted(each.written, values)
        return replace(each, tree=substituted(each.tree, values), written=written)

    definitions = {name: numbered(each) for name, each in entry.definitions.items()}
    forward = {name: numbered(each) for name, each in entry.forward.items()}
    return replace(_changed(entry, numbered), definitions=definitions, forward=forward)


def _anew(each: Written, definitions: Trees) -> Written:
    return with_meaning(replace(each, tree=each.written or each.tree, written=None), definitions)[0]


def trees_of(definitions: Mapping[str, Formula]) -> dict[str, ast.expr]:
    return _existing({name: each.tree for name, each in definitions.items()})


def of_primals(definitions: Trees, tensors: Iterable[str]) -> dict[str, ast.expr]:
    """What names mean in a tangent: an argument x is its primal, x_p, there and in definitions."""
    renamed: dict[str, ast.expr] = {name: ast.Name(f"{name}_p", ast.Load()) for name in tensors}
    return renamed | {name: substituted(tree, renamed) for name, tree in definitions.items()}


def substituted(tree: ast.expr, values: Trees) -> ast.expr:
    def made(node: Any) -> Any:
        if isinstance(node, ast.Name) and node.id in values:
            value = copied(values[node.id])
            return value if hasattr(value, "lineno") else ast.copy_location(value, node)
        is_named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        return rebuilt(node, made, {"func": copied(node.func)} if is_named else {})  # a function is not the value

    return made(tree)


def size(tree: ast.expr, sizes: Mapping[str, int]) -> int:
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.expr)]
    return len(nodes) + sum(sizes.get(node.id, 0) for node in nodes if isinstance(node, ast.Name))


def used(tree: ast.AST, names: Iterable[str]) -> set[str]:
    value = frozenset(names)
    if isinstance(tree, ast.Name):
        return {tree.id} & value
    return set[str]().union(*(used(part, value) for part in _parts(tree)))


def certain(tree: ast.AST, calls_reached: Mapping[str, set[str]]) -> set[str]:
    match tree:
        case ast.Name(id=name):
            return set(calls_reached.get(name, ()))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return certain(test, calls_reached) | (certain(body, calls_reached) & certain(orelse, calls_reached))
        case ast.BoolOp(values=values):
            return certain(values[0], calls_reached)
    return set[str]().union(*(certain(part, calls_reached) for part in _parts(tree)))


def _parts(node: ast.AST) -> Iterable[ast.AST]:
    is_named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return [*node.args, *node.keywords] if is_named else ast.iter_child_nodes(node)  # type: ignore[attr-defined]


class Locals:
    """Which definitions become local variables where formulas, by argument or output, are computed; these formulas."""

    def __init__(self, formulas: Trees, definitions: Trees) -> None:
        calls_reached: dict[str, set[str]] = {}
        for name, tree in definitions.items():
            calls_reached[name] = {name} | certain(tree, calls_reached)
        sure = {key: certain(tree, calls_reached) for key, tree in formulas.items()}
        reads = {key: self._reached(tree, definitions) for key, tree in formulas.items()}
        retained = [n for n in definitions if any(n in result for result in reads.values())]
        retained = [n for n in retained if all(n in sure[key] for key, result in reads.items() if n in result)]
        inline: dict[str, ast.expr] = {}
        for name, tree in definitions.items():
            if name not in retained:
                inline[name] = substituted(tree, inline)
        self.definitions = {name: substituted(definitions[name], inline) for name in retained}
        self.formulas = {key: substituted(tree, inline) for key, tree in formulas.items()}
        self.users = {name: tuple(key for key, result in reads.items() if name in result) for name in retained}

    @staticmethod
    def _reached(tree: ast.expr, definitions: Trees) -> set[str]:
        result = used(tree, definitions)
        for name in reversed(list(definitions)):
            if name in result:
                result |= used(definitions[name], definitions)
        return result


def locals_of(entry: Entry, formulas: Mapping[str, Formula] | Mapping[str, Compute]) -> Locals:
    trees = {key: formula.written or formula.tree for key, formula in formulas.items()}
    return Locals(_existing(trees), written_trees(entry))


def written_trees(entry: Entry) -> dict[str, ast.expr]:
    return _existing({name: each.written or each.tree for name, each in entry.definitions.items()})


def _existing(trees: Mapping[str, ast.expr | None]) -> dict[str, ast.expr]:
    return {name: tree for name, tree in trees.items() if tree is not None}
