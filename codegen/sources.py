"""Reading hand-written Python files without importing them: who defines what, and the text of definitions."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from .helpers import RUNTIME, defined_names, siblings

COMPILED_AS = {"scalar_primitives": "scalar_intrinsics"}  # what a compiler is given instead, under the same names


@cache
def defining_modules(folder: Path) -> dict[str, str]:
    """Function -> module, for the public names that a folder's modules define."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.py")):
        for name in defined_names(path):
            found.setdefault(name, path.stem)
    return found


@cache
def _definitions(path: Path) -> dict[str, str]:
    """The texts of a module's functions, classes and constants, by name."""
    text = path.read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = ast.get_source_segment(text, node) or ""
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = ast.get_source_segment(text, node) or ""
    return found


@cache
def _siblings(path: Path) -> dict[str, tuple[Path, str]]:
    return siblings(path)


@cache
def _names_in(text: str) -> list[str]:
    return sorted({n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)})


@cache
def function_source(name: str) -> str:
    """The text of a scalar function and of all functions and constants that it uses, for both kinds of number."""
    todo = [(RUNTIME / "kernels" / f"{module}.py", name) for module in ("scalar", "scalar_complex")]
    texts: dict[tuple[Path, str], str] = {}
    while todo:
        path, name = place = todo.pop()
        if name in (imported := _siblings(path)):
            todo.append(imported[name])
        elif place not in texts and name in (own := _definitions(path)):
            texts[place] = own[name]
            todo += [(path, used) for used in _names_in(own[name])]
            todo += [(path.with_name(f"{COMPILED_AS[path.stem]}.py"), name)] if path.stem in COMPILED_AS else []
    return "\n".join(texts[place] for place in sorted(texts))
