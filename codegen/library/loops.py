"""The compiled loops that a kernel or a plan calls, read off its source and that of the functions it uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .homes import Part
from .modules import statements_of

COMPILERS = ("jit", "njit")  # decorators, with or without arguments
Place = tuple[Path, str]  # of a definition: its module and its name there


def loops(start: Part) -> Iterator[Part]:
    """The public loops that a part names, itself or by the functions that it uses: each once, as they are met."""
    seen: set[Place] = set()
    todo = [(start.file, start.name)]
    while todo:
        path, name = place = todo.pop(0)
        node = definitions(path).get(name)
        if place in seen or node is None or isinstance(node, ast.ClassDef):
            continue
        seen.add(place)
        if not is_compiled(node):
            todo += used(start.home.folder, path, node)
        elif not name.startswith("_"):
            yield Part(start.home, "loop", name, path, node)


def is_compiled(node: ast.stmt) -> bool:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    called = [d.func if isinstance(d, ast.Call) else d for d in decorators]
    return any(isinstance(d, ast.Name) and d.id in COMPILERS for d in called)


def used(package: Path, path: Path, node: ast.stmt) -> Iterator[Place]:
    """What a definition names: in its module, in what that imports from its package, or behind the name of a module."""
    known, here = imported(package, path), definitions(path)
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            file, original = known.get(part.value.id, (None, ""))
            if file is not None and not original:
                yield file, part.attr
        elif isinstance(part, ast.Name) and part.id in here:
            yield path, part.id
        elif isinstance(part, ast.Name) and (place := known.get(part.id)) is not None and place[1]:
            yield place


@cache
def definitions(path: Path) -> dict[str, ast.stmt]:
    found: dict[str, ast.stmt] = {}
    for node in statements_of(path) if path.is_file() else ():
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            found |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
    return found


@cache
def imported(package: Path, path: Path) -> dict[str, Place]:
    """The names that a module imports from its own package: their places, without a name there for a module."""
    found: dict[str, Place] = {}
    for node in statements_of(path) if path.is_file() else ():
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names:
                module = folder / f"{alias.name}.py"
                place = (module, "") if module.is_file() else (folder.with_suffix(".py"), alias.name)
                if place[0].is_relative_to(package):
                    found[alias.asname or alias.name] = place
    return found
