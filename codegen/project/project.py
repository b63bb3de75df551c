"""A spec with all that belongs to it: where its package is written, its hand-written parts, and what it builds on.

Outside the tree the package is the folder `generated` beside a spec that lies in a package, hand-written parts are
modules of that package, and the base is that of the last time, where nothing else is said.
"""

import argparse
import ast
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ..check.validate import validate
from ..emit.files import Files, Formatter, layout_of
from ..emit.render import OUTSIDE, Renderer, Target
from ..emit.torch_stubs import torch_stubs
from ..language.scalar_functions import Functions
from ..library.bases import SPEC, SPECGRAD, Base, chain, recorded_base
from ..library.files import MANIFEST, Refused, check_importable, listed, read_manifest
from ..library.op_library import (
    RULE_FILES,
    Known,
    Library,
    OpLibrary,
    op_locations,
    runtime_library,
    with_parts_by_name,
)
from ..library.reserved_names import ReservedNames, read_reserved
from ..pages.pages import pages, reference
from ..proof.derive import load_spec
from ..spec.model import Problem, Spec, Where

TREE = SPEC.parent


@dataclass(frozen=True)
class Project:
    path: Path  # of the spec
    root: Path  # of the generated package
    renderer: Renderer
    known: Known  # what its entries may name
    op_library: OpLibrary | None = None

    @property
    def spec(self) -> Spec:
        return self.renderer.spec

    @property
    def functions(self) -> Functions:
        return self.renderer.library.functions[0]

    @property
    def below(self) -> Spec:
        return merge_specs(self.renderer.bases)

    @property
    def in_tree(self) -> bool:
        return self.renderer.target.in_tree

    @property
    def command(self) -> str:
        if self.in_tree:
            return f"python -m {Target.command}"
        base = self.renderer.bases[-1].name
        own_base = "" if base == SPECGRAD else f" --base {base}"
        return f"python -m {OUTSIDE.command} {self.path} --out {self.root}{own_base}"

    def command_for(self, name: str) -> str:
        location = "" if self.in_tree else f" --spec {self.path} --out {self.root}"
        return f"python -m {self.renderer.target.command} {name}{location}"

    @property
    def pictures(self) -> Path:
        return TREE / "docs" / "pictures" / "ops" if self.in_tree else self.root / "pictures"

    def files(self, formatter: Formatter | None) -> dict[Path, Files]:
        files, command, layout = self.renderer.rendered(), self.renderer.target.command, ""
        if self.in_tree:
            stubs = torch_stubs(TREE / "specgrad" / "torch_names.py")
            parts = {self.root: files, TREE / "docs": pages(self.renderer, SPEC), TREE / "specgrad": stubs}
        else:
            parts = {self.root: files | reference(self.renderer)}
            layout = layout_of(formatter)
        if formatter is not None:
            parts = {root: formatter.formatted_files(each) for root, each in parts.items()}
        return {root: listed(text, command, self.spec.file, layout) for root, text in parts.items()}


def add_options(parser: argparse.ArgumentParser, named: bool = True) -> None:
    about = "a spec outside the tree (default: derivatives.yaml)"
    parser.add_argument("--spec" if named else "spec", nargs=None if named else "?", type=Path, help=about)
    parser.add_argument("--out", type=Path, help="its package (default: generated/ beside a spec in a package)")
    parser.add_argument("--base", help="the package whose ops it builds on (default: that of last time, or specgrad)")


def read_project(options: argparse.Namespace) -> tuple[Project | None, list[Problem]]:
    tree, problems = load_spec(SPEC, SPEC.name)
    reserved = read_reserved(TREE / "generated", tree)
    if options.spec is None:
        known = replace(Library((runtime_library(True),)).known(), reserved=reserved)
        tree = with_parts_by_name(tree, runtime_library(True))
        problems = [*problems, *validate(tree, known)] or without_entries(tree)
        if problems:
            return None, problems
        return Project(SPEC, TREE / "generated", Renderer(tree, Target()), known), []
    if not options.spec.name.isprintable():
        raise Refused(f"{options.spec.name!r}: expected a spec with a name of characters that can be seen")
    root: Path = options.out or package_of_spec(options.spec)
    root = root if root.name not in ("", "..") else root.resolve()
    check_importable(root)
    return read_outside(options.spec, root, chain(options.base or recorded_base(root), tree), reserved)


def package_of_spec(spec: Path) -> Path:
    """The package near a spec whose manifest names it; else the folder for one that lies in a package."""
    default, matches = spec.parent / "generated", []
    for path in [path for pattern in ("*", "*/*") for path in sorted(spec.parent.glob(f"{pattern}/{MANIFEST}"))]:
        with suppress(Refused):
            manifest = read_manifest(path.parent)
            matches += [path.parent] if manifest.spec == spec.name and manifest.owns("registry.py") else []
    if default in matches or not matches:
        return default
    if len(matches) > 1:
        raise Refused(f"{spec}: --out FOLDER has to say which package is meant: {' or '.join(map(str, matches))}")
    return matches[0]


def op_library_of(path: Path) -> OpLibrary | None:
    above = path.resolve().parent
    return OpLibrary(above, "", relative=True, label="own") if (above / "__init__.py").is_file() else None


def read_outside(
    path: Path, root: Path, bases: tuple[Base, ...], reserved: ReservedNames
) -> tuple[Project | None, list[Problem]]:
    op_library = op_library_of(root)
    op_libraries = [*(base.op_library for base in bases if base.op_library), *([op_library] if op_library else [])]
    broken = [problem for each in op_libraries for problem in no_python(each)]
    if broken:
        return None, broken
    library = Library((runtime_library(), *op_libraries))
    functions, wrong = library.functions
    spec, problems = load_spec(path, path.name, functions)
    problems += wrong
    spec = with_parts_by_name(spec, op_library)
    problems += library.clashes(op_locations(*(base.spec for base in bases), spec))
    known = replace(library.known(), reserved=reserved, beside={} if op_library else beside(path))
    problems += validate(spec, known, merge_specs(bases))
    problems = problems or without_entries(spec)
    if problems:
        return None, problems
    try:
        spec_path = Path(os.path.relpath(os.path.realpath(path), os.path.realpath(root))).as_posix()
    except ValueError:  # on another drive
        spec_path = path.name
    target = replace(OUTSIDE, spec_path=spec_path)
    return Project(path, root, Renderer(spec, target, bases, op_library), known, op_library), []


def merge_specs(bases: tuple[Base, ...]) -> Spec:
    return Spec(SPEC.name, tuple(entry for base in bases for entry in base.spec.entries))


def no_python(op_library: OpLibrary) -> Iterator[Problem]:
    for path in sorted({path for kind in op_library.locations for path in op_library.files(kind)}):
        try:
            ast.parse(path.read_text(encoding="utf-8"))
        except SyntaxError as error:
            yield Problem(Where(str(path), error.lineno or 1, error.offset or 1), "", "", f"is no Python: {error.msg}")
        except (ValueError, RecursionError) as error:
            yield Problem(Where(str(path), 1, 1), "", "", f"cannot be read: {error}")


def beside(spec: Path) -> dict[str, str]:
    """Names that modules beside a spec define which is in no package, so that generated code cannot import them."""
    op_library = OpLibrary(spec.resolve().parent, "", relative=True, label="own")
    if any(no_python(op_library)):
        return {}
    parts = (part for kind in RULE_FILES for part in op_library.tables[kind])
    return {part.name: f"{part.file.name}:{part.node.lineno}" for part in parts}


def without_entries(spec: Spec) -> list[Problem]:
    where = Where(spec.file, 1, 1)
    return [] if spec.entries else [Problem(where, "", "", "expected a list of entries, `- name: ...`, found none")]
