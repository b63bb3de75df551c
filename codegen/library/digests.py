"""The format of generated code, a short hash: a package that was generated for another one is told so when imported.

A template that changes, the code that fills it, or a parameter of a function that templates import gives another one.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from .modules import RUNTIME, statements_of
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
