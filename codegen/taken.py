"""The names that generated modules and `Tensor` use themselves, so that an op or an argument cannot have them.

They are read off what was generated for specgrad's own ops: every name there that is neither an op nor an argument
belongs to the generator. Without those files nothing is known to be taken.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .model import Spec


@dataclass(frozen=True)
class Taken:
    """What names mean already, where a spec cannot give them another meaning."""

    functions: frozenset[str] = field(default_factory=frozenset)  # beside which ops are defined
    locals: frozenset[str] = field(default_factory=frozenset)  # of the functions of ops, nodes and kernels
    attributes: frozenset[str] = field(default_factory=frozenset)  # of Tensor, by hand


def read_taken(generated: Path, spec: Spec) -> Taken:
    """What the generated modules of a folder use besides the names that their spec gives."""
    try:
        return _read(generated, spec)
    except (OSError, ValueError, SyntaxError):  # they are not there or broken: this run is to mend them
        return Taken()


def _read(generated: Path, spec: Spec) -> Taken:
    ops, nodes = _module(generated / "ops.py"), _module(generated / "functions.py")
    kernels = [_module(path) for path in sorted((generated / "kernels" / "cpu").glob("*.py"))]
    defined = {node.name for node in ops.body if isinstance(node, ast.FunctionDef)}
    defined |= {name for entry in spec.entries for alias in entry.aliases for name in (alias, f"{alias}_")}
    values = {argument.name for entry in spec.entries for argument in entry.schema.arguments} | {"input"}
    values |= {output.name for entry in spec.entries for output in entry.schema.returns}
    used = {name for module in (ops, nodes, *kernels) for name in _names_in_functions(module)}
    builtin = {name for name in {*(used - values), *_names_outside(ops)} if hasattr(builtins, name)}
    prefixes = tuple(f"{name}_" for name in values)
    return Taken(
        frozenset({*_assigned(ops), *builtin} - defined | {path.stem for path in generated.glob("*.py")}),
        frozenset(name for name in used - defined - values if not name.startswith(prefixes)),
        frozenset(_attributes(generated / "tensor.py")),
    )


def _module(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _assigned(module: ast.Module) -> Iterator[str]:
    """What a module imports and assigns."""
    for node in module.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in _plain(node.targets))


def _names_outside(module: ast.Module) -> Iterator[str]:
    """The names that statements of a module read where it is imported."""
    for node in module.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from (part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def _names_in_functions(module: ast.Module) -> Iterator[str]:
    """The parameters of a module's functions and methods, and all names in them."""
    classes = [node for node in module.body if isinstance(node, ast.ClassDef)]
    for node in (*module.body, *(method for each in classes for method in each.body)):
        if isinstance(node, ast.FunctionDef):
            yield from (part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg))
            yield from (part.id for line in node.body for part in ast.walk(line) if isinstance(part, ast.Name))


def _attributes(path: Path) -> Iterator[str]:
    """What the classes by hand define that the one class of a module inherits from."""
    module = _module(path)
    modules = {alias.name: node for node in module.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    bases = [base.id for node in module.body if isinstance(node, ast.ClassDef) for base in _plain(node.bases)]
    for name in bases:
        found = path.parents[modules[name].level - 1].joinpath(*(modules[name].module or "").split("."))
        classes = [node for node in _module(found.with_suffix(".py")).body if isinstance(node, ast.ClassDef)]
        yield from (attribute for node in classes if node.name == name for attribute in _defined(node.body))


def _plain(nodes: Iterable[ast.expr]) -> list[ast.Name]:
    return [node for node in nodes if isinstance(node, ast.Name)]


def _defined(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The names that a class's body gives a meaning."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in _plain(targets))
