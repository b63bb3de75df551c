"""A process that reads specs as the command line does, and says of each whether it was refused: run as a program.

    python -m tests.attack.specs.judging FOLDER

For each `*.yaml` in the folder, in order of name, it prints a line of JSON: the file, and the problems or the number of
rendered files. The packages are written below FOLDER/packages and at the end imported. What hangs, dies or takes too
much memory is the last file that was named.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

from specgrad.codegen.emit.files import NotPython, plan
from specgrad.codegen.emit.render import OUTSIDE
from specgrad.codegen.library.bases import SPEC, tree_base
from specgrad.codegen.library.files import listed
from specgrad.codegen.library.reserved_names import ReservedNames, read_reserved
from specgrad.codegen.pages.pages import reference
from specgrad.codegen.project.project import TREE, read_outside
from specgrad.codegen.proof.derive import load_spec
from specgrad.codegen.spec.model import Spec

if sys.platform == "linux":
    import resource

MEMORY = 3_000_000_000  # bytes of addresses beside those that threads of libraries have taken for their stacks


def main(folder: Path) -> None:
    if sys.platform == "linux":
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    base, _ = load_spec(SPEC, SPEC.name)
    reserved = read_reserved(TREE / "generated", base)
    packages = folder / "packages"
    for path in sorted(folder.glob("*.yaml")):
        print(json.dumps({"reads": path.name}), flush=True)
        problems, count = judged(path, packages / path.stem, reserved, base)
        print(json.dumps({"file": path.name, "problems": problems, "files": count}), flush=True)
    sys.path.insert(0, str(packages))
    for package in sorted(packages.glob("*/")):
        print(json.dumps({"reads": f"package of {package.name}.yaml"}), flush=True)
        list(importlib.import_module(f"{package.name}.registry").OPS)
        importlib.import_module(package.name)


def judged(path: Path, out: Path, reserved: ReservedNames, base: Spec) -> tuple[list[str], int]:
    """The problems of a spec, or the number of files of its package, which is written as they were rendered."""
    project, problems = read_outside(path, out, (tree_base(base),), reserved)
    if project is None:
        return [str(problem) for problem in problems], 0
    renderer, spec = project.renderer, project.spec
    try:
        files = renderer.rendered() | reference(renderer)
    except NotPython as error:
        return [str(problem) for problem in error.problems], 0
    plan(out, listed(files, OUTSIDE.command, spec.file)).carry_out()
    return [], len(files)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
