"""The names that generated modules and `Tensor` use themselves, so that an op or an argument cannot have them."""

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from ..spec.memo import MEMO, digest
from ..spec.model import Spec
from .modules import statements_of


@dataclass(frozen=True)
class ReservedNames:
    functions: frozenset[str] = field(default_factory=frozenset)  # beside which ops are defined
    locals: frozenset[str] = field(default_factory=frozenset)  # of the functions of ops, nodes and kernels
    attributes: frozenset[str] = field(default_factory=frozenset)  # of Tensor, by hand


def read_reserved(generated: Path, spec: Spec) -> ReservedNames:
    try:
        return _read(generated, spec)
    except (OSError, ValueError, SyntaxError):  # they are not there or broken: this run is to mend them
        return ReservedNames()


def _read(generated: Path, spec: Spec) -> ReservedNames:
    ops, nodes, kernels = (_modules(generated / folder) for folder in ("ops", "nodes", "kernels/cpu"))
    defined = {name for module in ops for name in module.defined}
    defined |= {name for entry in spec.entries for alias in entry.aliases for name in (alias, f"{alias}_")}
    values = {argument.name for entry in spec.entries for argument in entry.schema.arguments} | {"input"}
    values |= {output.name for entry in spec.entries for output in entry.schema.returns}
    values |= {name for entry in spec.entries for name in entry.definitions}
    used = {name for module in (*ops, *nodes, *kernels) for name in module.inside}
    builtin = {name for name in used - values if hasattr(builtins, name)}
    prefixes = tuple(f"{name}_" for name in values)
    identifiers = {name for module in ops for name in module.identifiers}
    return ReservedNames(
        frozenset({*identifiers, *builtin} - defined | {path.stem for path in generated.iterdir()}),
        frozenset(name for name in used - defined - values if not name.startswith(prefixes)),
        frozenset(_attributes(generated / "tensor.py")),
    )


class Module(NamedTuple):
    """The names of a module: of its functions and classes, all of its own, and all inside of functions."""

    defined: frozenset[str]
    identifiers: frozenset[str]
    inside: frozenset[str]


def _modules(folder: Path) -> list[Module]:
    paths = [path for path in sorted(folder.iterdir()) if path.suffix == ".py" and path.stem != "__init__"]
    sources = {path: path.read_text(encoding="utf-8") for path in paths}
    return [MEMO.of(digest("names", text), partial(_module, text, str(path))) for path, text in sources.items()]


@lru_cache(maxsize=512)  # a process that reads one spec after the other finds the same files each time
def _module(text: str, name: str) -> Module:
    table = symtable.symtable(text, name, "exec")
    defined = frozenset(inner.get_name() for inner in table.get_children())
    return Module(defined, frozenset(table.get_identifiers()), frozenset(_names_in_functions(table)))


def _names_in_functions(table: symtable.SymbolTable) -> Iterator[str]:
    for inner in table.get_children():
        if inner.get_type() == "function":
            yield from inner.get_identifiers()
        yield from _names_in_functions(inner)


def _attributes(path: Path) -> Iterator[str]:
    body = statements_of(path)
    modules = {alias.name: node for node in body if isinstance(node, ast.ImportFrom) for alias in node.names}
    bases = [base.id for node in body if isinstance(node, ast.ClassDef) for base in _plain(node.bases)]
    for name in bases:
        result = path.parents[modules[name].level - 1].joinpath(*(modules[name].module or "").split("."))
        classes = [node for node in statements_of(result.with_suffix(".py")) if isinstance(node, ast.ClassDef)]
        yield from (attribute for node in classes if node.name == name for attribute in _defined(node.body))


def _plain(nodes: Iterable[ast.expr]) -> list[ast.Name]:
    return [node for node in nodes if isinstance(node, ast.Name)]


def _defined(body: Iterable[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in _plain(targets))
