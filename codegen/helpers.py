"""The names that hand-written files of the runtime offer to a spec, read with `ast`: nothing is imported."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from .parameters import Parameters, read_parameters
from .taken import Taken

Arity = tuple[int, float]  # fewest and most arguments; the most may be infinite

RUNTIME = Path(__file__).resolve().parent.parent / "runtime"


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


def read_known(runtime: Path = RUNTIME) -> Known:
    """Reads the public names of the runtime's files."""
    kernels = runtime / "kernels"
    return Known(
        helpers=_helpers(runtime / "autograd"),
        scalars=offered_functions(kernels / "scalar.py"),
        complex_scalars=functions(kernels / "scalar_complex.py"),
        kernels=_names(kernels / "cpu"),
        checks=_names(runtime / "rules"),
        batches=_names(runtime / "batching" / "rules"),
        views=_names(runtime / "views.py"),
        parameters=_parameters(runtime),
    )


def _parameters(runtime: Path) -> dict[str, dict[str, Parameters]]:
    """The parameters of the functions that each key may name, for the keys whose files are there."""
    places = {
        "kernel": runtime / "kernels" / "cpu",
        "check": runtime / "rules",
        "batch": runtime / "batching" / "rules",
        "view": runtime / "views.py",
    }
    return {key: found for key, place in places.items() if (found := read_parameters(place))}


@cache
def helper_modules(runtime: Path = RUNTIME) -> dict[str, str]:
    """The module (`formulas`, `formulas_network`, ...) that defines each helper of formulas."""
    files = sorted((runtime / "autograd").glob("formulas*.py"))
    return {name: file.stem for file in files for name in functions(file) or ()}


def _helpers(folder: Path) -> dict[str, Arity] | None:
    """The functions of all modules of helpers, `formulas.py` and `formulas_*.py`."""
    tables = [functions(file) or {} for file in sorted(folder.glob("formulas*.py"))]
    return {name: arity for table in tables for name, arity in table.items()} if tables else None


def functions(path: Path) -> dict[str, Arity] | None:
    """The public functions of a module with how many arguments each takes; None without the file."""
    if not path.is_file():
        return None
    body = ast.parse(path.read_text(encoding="utf-8"), str(path)).body
    return {node.name: _arity(node.args) for node in body if isinstance(node, ast.FunctionDef) and _public(node.name)}


def offered_functions(path: Path) -> dict[str, Arity] | None:
    """The public functions of a module, those included that it takes from modules beside it."""
    own = functions(path)
    if own is None:
        return None
    for name, (module, original) in siblings(path).items():
        found = functions(module) or {}
        if _public(name) and original in found:
            own[name] = found[original]
    return own


def siblings(path: Path) -> dict[str, tuple[Path, str]]:
    """The names that a module imports from modules beside it: the file, and the name there."""
    body = ast.parse(path.read_text(encoding="utf-8"), str(path)).body
    imports = [node for node in body if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module]
    pairs = [(node, alias) for node in imports for alias in node.names]
    return {alias.asname or alias.name: (path.with_name(f"{node.module}.py"), alias.name) for node, alias in pairs}


def _names(path: Path) -> frozenset[str] | None:
    """The public functions and variables of a module or of a folder's modules; None when there is none."""
    files = sorted(path.glob("*.py")) if path.is_dir() else [path] if path.is_file() else []
    return frozenset(name for file in files for name in defined_names(file)) or None


def defined_names(path: Path) -> list[str]:
    """The public names that a module defines."""
    return list(filter(_public, _defined(ast.parse(path.read_text(encoding="utf-8")))))


def _defined(module: ast.Module) -> list[str]:
    """The names that a module binds by `def` and by assignment."""
    targets = [target for node in module.body if isinstance(node, ast.Assign) for target in node.targets]
    variables = [target.id for target in targets if isinstance(target, ast.Name)]
    return variables + [node.name for node in module.body if isinstance(node, ast.FunctionDef)]


def _arity(arguments: ast.arguments) -> Arity:
    """The fewest and the most arguments of a call, those passed by keyword included."""
    positional = len(arguments.posonlyargs) + len(arguments.args)
    required_keywords = sum(default is None for default in arguments.kw_defaults)
    most = math.inf if arguments.vararg or arguments.kwarg else positional + len(arguments.kwonlyargs)
    return positional - len(arguments.defaults) + required_keywords, most


def _public(name: str) -> bool:
    return not name.startswith("_")
