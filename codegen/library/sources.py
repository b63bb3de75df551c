"""The text of scalar functions with all that they use, read without importing them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from ..spec.formula import names_in
from .modules import RUNTIME, siblings, statements_of

KERNELS = "specgrad.runtime.kernels."
COMPILED_AS = {"primitives": "intrinsics"}  # what a compiler is given instead, under the same names


@cache
def _definitions(path: Path) -> dict[str, str]:
    """The texts of a module's functions, classes and constants, by name."""
    text = path.read_text(encoding="utf-8")
    results: dict[str, str] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            results[node.name] = ast.get_source_segment(text, node) or ""
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            results[node.targets[0].id] = ast.get_source_segment(text, node) or ""
    return results


@cache
def _siblings(path: Path) -> dict[str, tuple[Path, str]]:
    return siblings(path) | from_runtime(path)


def from_runtime(path: Path) -> dict[str, tuple[Path, str]]:
    """The names that a module imports from modules of specgrad's kernels."""
    pairs = [(node, alias) for node in statements_of(path) if isinstance(node, ast.ImportFrom) for alias in node.names]
    ours = [(node.module or "", alias) for node, alias in pairs if (node.module or "").startswith(KERNELS)]
    files = [(_file(*module.removeprefix(KERNELS).split(".")), alias) for module, alias in ours]
    return {alias.asname or alias.name: (file, alias.name) for file, alias in files if file.is_file()}


def _file(*module: str) -> Path:
    """The file of a module of the kernels, which may be a package's."""
    folder = RUNTIME.joinpath("kernels", *module)
    return folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")


@cache
def _names_in(text: str) -> list[str]:
    return sorted(names_in(ast.parse(text)))


@cache
def function_source(name: str, modules: tuple[Path, ...] = ()) -> str:
    """The text of a scalar function and of all functions and constants that it uses, for both kinds of number.

    It is looked for in the runtime's own modules and in those that are named.
    """
    own = (_file("scalar"), _file("scalar", "complex"))
    todo = [(path, name) for path in (*own, *modules)]
    sources: dict[tuple[Path, str], str] = {}
    while todo:
        path, name = definition = todo.pop()
        if name in (imported := _siblings(path)):
            todo.append(imported[name])
        elif definition not in sources and name in (defined := _definitions(path)):
            sources[definition] = defined[name]
            todo += [(path, used) for used in _names_in(defined[name])]
            todo += [(path.with_name(f"{COMPILED_AS[path.stem]}.py"), name)] if path.stem in COMPILED_AS else []
    return "\n".join(sources[definition] for definition in sorted(sources))
