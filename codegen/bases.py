"""What a spec outside the tree builds on: specgrad, and perhaps another generated package with its own bases."""

from __future__ import annotations

import ast
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from .helpers import RUNTIME
from .homes import Home
from .load import load_spec
from .manifest import MANIFEST, read_manifest
from .model import Spec
from .ownership import Refused

SPECGRAD = "specgrad"
SPEC = RUNTIME.parent / "derivatives.yaml"
BASE = "BASE"  # the constant of a generated package that names its base


@dataclass(frozen=True)
class Base:
    """A generated package whose ops a spec may call."""

    name: str  # as it is imported
    generated: str  # the import path of what was generated
    spec: Spec
    home: Home | None = None  # its hand-written parts, but for specgrad's own


def tree_base(spec: Spec) -> Base:
    """specgrad itself, the first base of all."""
    return Base(SPECGRAD, f"{SPECGRAD}.generated", spec)


def chain(name: str, tree: Spec) -> tuple[Base, ...]:
    """A base and all that it builds on, specgrad first.

    Raises:
        Refused: there is no such package, or it cannot be a base.
    """
    found: list[Base] = []
    names: list[str] = []
    while name != SPECGRAD:
        if name in names:
            raise Refused(f"--base {names[0]}: {name} builds on itself")
        names.append(name)
        base, name = _read(name)
        found.append(base)
    return (tree_base(tree), *reversed(found))


def _read(name: str) -> tuple[Base, str]:
    """A package of a user's ops, and the name of its own base."""
    folder = _folder(name)
    inner = folder / "generated"
    root = inner if (inner / MANIFEST).exists() else folder
    title = read_manifest(root).spec
    if not title:
        raise Refused(f"--base {name}: expected a generated package, found no {MANIFEST} in {folder} nor in {inner}")
    places = [above / title for above in (root, root.parent)]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise Refused(f"--base {name}: expected its spec at {places[-1]}, found none: a base has to ship its spec")
    spec, problems = load_spec(path, f"{name}/{path.name}")
    if problems:
        raise Refused(f"--base {name}: {problems[0]}")
    home = None if root == folder else Home(folder, name, relative=False, label=name)
    return Base(name, name if home is None else f"{name}.generated", spec, home), recorded_base(root)


def _folder(name: str) -> Path:
    """Where a package lies, which is not imported for that."""
    found = importlib.util.find_spec(name) if name.isidentifier() else None
    places = list(found.submodule_search_locations or ()) if found else []
    if not places:
        raise Refused(f"--base {name}: expected the name of a package that Python finds, such as specgrad")
    return Path(places[0]).resolve()


def recorded_base(root: Path) -> str:
    """The base that the package in a folder was generated for; specgrad where there is none yet."""
    try:
        body = ast.parse((root / "__init__.py").read_text(encoding="utf-8")).body
    except (OSError, ValueError, SyntaxError):
        return SPECGRAD
    for node in body:
        named = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == BASE
        if named and isinstance(node.value, ast.Constant):  # type: ignore[attr-defined]
            return str(node.value.value)  # type: ignore[attr-defined]
    return SPECGRAD
