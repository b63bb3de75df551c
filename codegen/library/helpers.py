"""The names that hand-written files offer to a spec, read with `ast`: nothing is imported."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from .parameters import Parameters
from .taken import Taken

Arity = tuple[int, float]  # fewest and most arguments; the most may be infinite

RUNTIME = Path(__file__).resolve().parents[2] / "runtime"


@dataclass(frozen=True)
class Known:
    """What a spec may name. None stands for a table that is not there: such names are not checked."""

    helpers: dict[str, Arity] | None = None  # functions for formulas
    scalars: dict[str, Arity] | None = None  # functions for elementwise expressions
    complex_scalars: dict[str, Arity] | None = None
    kernels: frozenset[str] | None = None
    checks: frozenset[str] | None = None
    batches: frozenset[str] | None = None
    views: frozenset[str] | None = None
    parameters: Mapping[str, Mapping[str, Parameters]] = field(default_factory=dict)  # by the key that names functions
    taken: Taken = field(default_factory=Taken)
    beside: Mapping[str, str] = field(default_factory=dict)  # names that are out of reach, and where they are defined


class Called(Protocol):
    """Something that formulas may call."""

    @property
    def name(self) -> str: ...

    @property
    def arity(self) -> Arity: ...


def read_arities(parts: Iterable[Called]) -> dict[str, Arity] | None:
    """Name -> arity of what may be called; None without anything."""
    return {part.name: part.arity for part in parts} or None


def functions(path: Path) -> dict[str, Arity] | None:
    """The public functions of a module with how many arguments each takes; None without the file."""
    if not path.is_file():
        return None
    return {name: arity_of(node.args) for name, node in defined_nodes(path) if isinstance(node, ast.FunctionDef)}


def offered_nodes(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    """The public definitions of a module, those included that it takes from modules beside it."""
    own = list(defined_nodes(path))
    yield from own
    for name, (module, original) in siblings(path).items():
        found = dict(defined_nodes(module)) if module.is_file() else {}
        if _public(name) and original in found:
            yield name, found[original]


def siblings(path: Path) -> dict[str, tuple[Path, str]]:
    """The names that a module imports from modules beside it, or from their package: the file, and the name there."""
    imports = [node for node in _body(path) if isinstance(node, ast.ImportFrom) and node.level == 1]
    pairs = [(path.with_name(f"{node.module or '__init__'}.py"), alias) for node in imports for alias in node.names]
    return {alias.asname or alias.name: (file, alias.name) for file, alias in pairs}


def defined_names(path: Path) -> list[str]:
    """The public names that a module defines."""
    return [name for name, _ in defined_nodes(path)]


def defined_nodes(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    """The public names that a module binds by `def` and by assignment, and the statements."""
    for node in _body(path):
        if isinstance(node, ast.FunctionDef) and _public(node.name):
            yield node.name, node
        targets = node.targets if isinstance(node, ast.Assign) else []
        yield from ((t.id, node) for t in targets if isinstance(t, ast.Name) and _public(t.id))


def _body(path: Path) -> list[ast.stmt]:
    return ast.parse(path.read_text(encoding="utf-8"), str(path)).body


def arity_of(arguments: ast.arguments) -> Arity:
    """The fewest and the most arguments of a call, those passed by keyword included."""
    positional = len(arguments.posonlyargs) + len(arguments.args)
    required_keywords = sum(default is None for default in arguments.kw_defaults)
    most = math.inf if arguments.vararg or arguments.kwarg else positional + len(arguments.kwonlyargs)
    return positional - len(arguments.defaults) + required_keywords, most


def _public(name: str) -> bool:
    return not name.startswith("_")
