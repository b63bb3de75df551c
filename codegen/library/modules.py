"""Reads hand-written Python modules with `ast`: public definitions, arities, parameters, and which of these are read.

No module is imported.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

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


@dataclass(frozen=True)
class Parameters:
    """The parameters of one function, in order; `read` are those that do more than come back as they are."""

    names: tuple[str, ...]  # that can be given by place
    required: int  # of these, the first so many
    most: float  # arguments by place; infinite with *args
    rest: str = ""  # the name behind the star
    first_hint: str = ""  # the annotation of the first
    gives: str = ""  # the annotation of the result
    read: frozenset[str] = frozenset()

    def takes(self, count: int) -> bool:
        """Whether so many arguments by place are a call."""
        return self.required <= count <= self.most


def read_parameters(path: Path) -> dict[str, Parameters]:
    """The parameters of the public functions of a module, or of a folder's modules; other names for one included."""
    files = sorted(path.glob("*.py")) if path.is_dir() else [path] if path.is_file() else []
    return {name: found for file in files for name, found in _of_module(file).items() if not name.startswith("_")}


def _of_module(file: Path) -> dict[str, Parameters]:
    return parameters_of(ast.parse(file.read_text(encoding="utf-8"), str(file)).body)


def parameters_of(body: Iterable[ast.stmt]) -> dict[str, Parameters]:
    """The parameters of the functions among the statements of a module."""
    found: dict[str, Parameters] = {}
    for node in body:
        match node:
            case ast.FunctionDef(name=name, args=arguments) if not any(d is None for d in arguments.kw_defaults):
                found[name] = _parameters(node)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)) if other in found:
                found[name] = found[other]
    return found


def _parameters(function: ast.FunctionDef) -> Parameters:
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    hint = plain[0].annotation if plain else None
    return Parameters(
        tuple(argument.arg for argument in plain),
        len(plain) - len(arguments.defaults),
        math.inf if arguments.vararg else len(plain),
        arguments.vararg.arg if arguments.vararg else "",
        ast.unparse(hint) if hint else "",
        ast.unparse(function.returns) if function.returns else "",
        frozenset(_reads(function)),
    )


def _reads(function: ast.FunctionDef) -> set[str]:
    """The names that a function reads, but for what it returns as it came: `return x, y`."""
    handed_back: Sequence[ast.expr] = [
        item
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and node.value is not None
        for item in (node.value.elts if isinstance(node.value, ast.Tuple) else [node.value])
    ]
    blind = {id(item.value if isinstance(item, ast.Starred) else item) for item in handed_back}
    names = [node for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)]
    return {node.id for node in names if isinstance(node.ctx, ast.Load) and id(node) not in blind}
