"""What the functions that a spec names take, and which of their parameters they read: by `ast`, nothing is imported."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


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
