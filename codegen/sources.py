"""Reading hand-written Python files without importing them: who defines what, and the text of functions."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from .helpers import RUNTIME, defined_names


def defining_modules(folder: Path) -> dict[str, str]:
    """Function -> module, for the public names that a folder's modules define."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.py")):
        for name in defined_names(path):
            found.setdefault(name, path.stem)
    return found


@cache
def _functions(path: Path) -> dict[str, str]:
    text = path.read_text(encoding="utf-8")
    nodes = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)]
    return {n.name: ast.get_source_segment(text, n) or "" for n in nodes}


@cache
def function_source(name: str) -> str:
    """The text of a scalar function and of all scalar functions that it calls, for both kinds of number."""
    texts = []
    for module in ("scalar", "scalar_complex"):
        own = _functions(RUNTIME / "kernels" / f"{module}.py")
        wanted, todo = [], [name]
        while todo:
            current = todo.pop()
            if current in own and current not in wanted:
                wanted.append(current)
                todo += sorted(n.id for n in ast.walk(ast.parse(own[current])) if isinstance(n, ast.Name))
        texts += [own[n] for n in sorted(wanted)]
    return "\n".join(texts)
