"""The format of generated code, a short hash: a package that was generated for another one is told so when imported.

A template that changes, the code that fills it, or a parameter of a function that templates import gives another one.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from ..spec.formula import names_in
from .modules import RUNTIME, siblings, statements_of
from .op_library import Part

RUNTIME_NAME = "specgrad.runtime"


def format_of(sources: Iterable[Path], skeleton: Mapping[str, str], helpers: Iterable[Part]) -> str:
    modules = (ast.parse(text) for name, text in skeleton.items() if name.endswith(".py"))
    called = {line for module in modules for line in _signatures(module)}
    called |= {f"{part.spelling}{_parameters(part.node)}" for part in helpers}
    strings = [path.read_text(encoding="utf-8") for path in sorted(sources)]
    return hashlib.sha256("\n".join([*strings, *sorted(called)]).encode()).hexdigest()[:12]


def _signatures(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(RUNTIME_NAME):
            folder = RUNTIME.joinpath(*(node.module or "").removeprefix(RUNTIME_NAME).split("."))
            for alias in node.names:
                inner = folder / f"{alias.name}.py"
                outer = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
                path, name = (inner, "") if inner.is_file() else (outer, alias.name)
                yield f"{node.module}.{alias.name}"
                yield from (f"{node.module}.{alias.name} {line}" for line in _defined(path, name))


def _defined(path: Path, name: str) -> Iterator[str]:
    for node in _body(path) if path.is_file() else ():
        if isinstance(node, ast.FunctionDef) and name in ("", node.name):
            yield f"{node.name}{_parameters(node)}"
        elif isinstance(node, ast.ClassDef) and name == node.name:
            methods = (inner for inner in node.body if isinstance(inner, ast.FunctionDef))
            yield from (f"{node.name}.{method.name}{_parameters(method)}" for method in methods)


_body = cache(statements_of)


def _parameters(node: ast.stmt) -> str:
    return f"({ast.unparse(node.args)})" if isinstance(node, ast.FunctionDef) else ""


@cache
def specgrad_version() -> str:
    above = RUNTIME.parent
    path = next(p for p in (above / "specgrad" / "__init__.py", above / "__init__.py") if p.is_file())
    assigned = [node for node in _body(path) if isinstance(node, ast.Assign)]
    named = {t.id: node.value for node in assigned for t in node.targets if isinstance(t, ast.Name)}
    return str(ast.literal_eval(named["__version__"]))


IMPORTED = "specgrad.runtime."
COMPILED_AS = {"primitives": "primitive_code"}  # what a compiler is given instead, under the same names


@cache
def _definitions(path: Path) -> dict[str, str]:
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
    pairs = [(node, alias) for node in statements_of(path) if isinstance(node, ast.ImportFrom) for alias in node.names]
    ours = [(node.module or "", alias) for node, alias in pairs if (node.module or "").startswith(IMPORTED)]
    files = [(_file(*module.removeprefix(IMPORTED).split(".")), alias) for module, alias in ours]
    return siblings(path) | {alias.asname or alias.name: (file, alias.name) for file, alias in files if file.is_file()}


def _file(*module: str) -> Path:
    folder = RUNTIME.joinpath(*module)
    return folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")


@cache
def _names_in(text: str) -> list[str]:
    return sorted(names_in(ast.parse(text)))


@cache
def function_source(name: str, modules: tuple[Path, ...] = ()) -> str:
    own = (_file("kernels", "scalar"), _file("kernels", "scalar", "complex"))
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
