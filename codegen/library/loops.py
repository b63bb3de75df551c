"""The compiled loops that a kernel or a plan calls, read off its source and that of the functions it uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .homes import Part
from .modules import statements_of

COMPILERS = ("jit", "njit")  # decorators, with or without arguments
Definition = tuple[Path, str]  # of a definition: its module and its name there


def loops(start: Part) -> Iterator[Part]:
    """The public loops that a part names, itself or by the functions that it uses: each once, as they are met."""
    seen: set[Definition] = set()
    todo = [(start.file, start.name)]
    while todo:
        path, name = definition = todo.pop(0)
        node = definitions(path).get(name)
        if definition in seen or node is None or isinstance(node, ast.ClassDef):
            continue
        seen.add(definition)
        if not is_compiled(node):
            todo += used(start.op_library.folder, path, node)
        elif not name.startswith("_"):
            yield Part(start.op_library, "loop", name, path, node)


def is_compiled(node: ast.stmt) -> bool:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    called = [d.func if isinstance(d, ast.Call) else d for d in decorators]
    return any(isinstance(d, ast.Name) and d.id in COMPILERS for d in called)


def used(package: Path, path: Path, node: ast.stmt) -> Iterator[Definition]:
    """What a definition names: in its module, in what that imports from its package, or behind the name of a module."""
    known, here = imported(package, path), definitions(path)
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            file, original = known.get(part.value.id, (None, ""))
            if file is not None and not original:
                yield file, part.attr
        elif isinstance(part, ast.Name) and part.id in here:
            yield path, part.id
        elif isinstance(part, ast.Name) and (definition := known.get(part.id)) is not None and definition[1]:
            yield definition


@cache
def definitions(path: Path) -> dict[str, ast.stmt]:
    results: dict[str, ast.stmt] = {}
    for node in statements_of(path) if path.is_file() else ():
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            results[node.name] = node
        elif isinstance(node, ast.Assign):
            results |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            results[node.target.id] = node
    return results


@cache
def imported(package: Path, path: Path) -> dict[str, Definition]:
    """The names that a module imports from its own package: their places, without a name there for a module."""
    results: dict[str, Definition] = {}
    for node in statements_of(path) if path.is_file() else ():
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names:
                module = folder / f"{alias.name}.py"
                definition = (module, "") if module.is_file() else (folder.with_suffix(".py"), alias.name)
                if definition[0].is_relative_to(package):
                    results[alias.asname or alias.name] = definition
    return results
