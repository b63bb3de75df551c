"""The packages that a spec outside the tree builds on: specgrad, and perhaps another generated one with its bases."""

import ast
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..proof.derive import load_spec
from ..spec.model import Spec
from .files import MANIFEST, Refused, read_manifest
from .modules import RUNTIME
from .op_library import Library, OpLibrary, runtime_library

SPECGRAD = "specgrad"
SPEC = RUNTIME.parent / "derivatives.yaml"
BASE = "BASE"  # the constant of a generated package that names its base


@dataclass(frozen=True)
class Base:
    """A generated package whose ops a spec may call."""

    name: str  # as it is imported
    generated: str  # the import path of what was generated
    spec: Spec
    op_library: OpLibrary | None = None  # its hand-written parts, but for specgrad's own


def tree_base(spec: Spec) -> Base:
    return Base(SPECGRAD, f"{SPECGRAD}.generated", spec)


def chain(name: str, tree: Spec) -> tuple[Base, ...]:
    roots: dict[str, Path] = {}
    first = name
    while name != SPECGRAD:
        if name in roots:
            raise Refused(f"--base {first}: {name} builds on itself")
        folder = _folder(name)
        inner = folder / "generated"
        root = inner if (inner / MANIFEST).exists() else folder
        if not read_manifest(root).spec:
            missing = f"found no {MANIFEST} in {folder} nor in {inner}"
            raise Refused(f"--base {name}: expected a generated package, {missing}")
        roots[name] = root
        name = recorded_base(roots[name])
    matches = [tree_base(tree)]
    for name, root in reversed(roots.items()):
        matches.append(_read(name, root, [base.op_library for base in matches if base.op_library]))
    return tuple(matches)


def _read(name: str, root: Path, below: Sequence[OpLibrary]) -> Base:
    title = read_manifest(root).spec
    locations = [above / title for above in (root, root.parent)]
    path = next((location for location in locations if location.is_file()), None)
    if path is None:
        raise Refused(f"--base {name}: expected its spec at {locations[-1]}, found none: a base has to ship its spec")
    op_library = None if root == _folder(name) else OpLibrary(root.parent, name, relative=False, label=name)
    functions, problems = Library((runtime_library(), *below, *([op_library] if op_library else []))).functions
    spec, wrong = load_spec(path, f"{name}/{path.name}", functions)
    problems = [*problems, *wrong]
    if problems:
        raise Refused(f"--base {name}: {problems[0]}")
    return Base(name, name if op_library is None else f"{name}.generated", spec, op_library)


def _folder(name: str) -> Path:
    """Where a package lies, which is not imported for that."""
    result = importlib.util.find_spec(name) if name.isidentifier() else None
    locations = list(result.submodule_search_locations or ()) if result else []
    if not locations:
        raise Refused(f"--base {name}: expected the name of a package that Python finds, such as specgrad")
    return Path(locations[0]).resolve()


def recorded_base(root: Path) -> str:
    try:
        body = ast.parse((root / "__init__.py").read_text(encoding="utf-8")).body
    except (OSError, ValueError, SyntaxError):
        return SPECGRAD
    for node in body:
        named = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == BASE
        if named and isinstance(node.value, ast.Constant):  # type: ignore[attr-defined]
            return str(node.value.value)  # type: ignore[attr-defined]
    return SPECGRAD
