"""`python -m codegen verify [OP...]`: runs the checks over a generated package in fresh processes and reports."""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
import os
import sys
import time
import types
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .bases import SPEC
from .homes import Home
from .load import load_spec
from .project import Project, joined
from .proof.report import disproved
from .suggest import did_you_mean
from .verify import verify_op
from .verify_cuda import simulate
from .verify_report import Finding, Report

PACKAGE = "specgrad.generated"
PROCESSES = min(2, os.cpu_count() or 1)
CHUNK = 4  # ops handed to a process at a time


@dataclass(frozen=True)
class Folder:
    """Where a package outside the tree lies, and the package that its hand-written parts are in, if there are any.

    `spec` is its spec, if that lies elsewhere than the package says.
    """

    path: str
    home: str = ""
    spec: str = ""

    @classmethod
    def of(cls, path: Path, home: Home | None, spec: Path | None = None) -> Folder:
        return cls(str(path), str(home.folder) if home else "", str(spec.resolve()) if spec else "")


Package = str | Folder  # as it is imported, or where it lies


def package_of(project: Project) -> Package:
    """The package of a project on disk."""
    return PACKAGE if project.in_tree else Folder.of(project.root.resolve(), project.home)


def verify_command(names: Sequence[str]) -> int:
    """Check the ops in the tree, or the named ones; 1 when something is wrong."""
    spec, _ = load_spec(SPEC, SPEC.name)
    return verify(PACKAGE, names, disproved(spec))


def verify_project(project: Project, names: Sequence[str]) -> int:
    """Check the ops of a package outside the tree, or the named ones; 1 when something is wrong."""
    return verify(package_of(project), names, disproved(project.spec, joined(project.renderer.bases)))


def verify_package(
    root: Path,
    spec: Path | None = None,
    names: Sequence[str] = (),
    known: Sequence[Finding] = (),
    home: Home | None = None,
) -> int:
    """Check the package that was generated in the folder `root` from a spec outside the tree."""
    return verify(Folder.of(root.resolve(), home, spec), names, known)


def verify(package: Package, names: Sequence[str], known_wrong: Sequence[Finding]) -> int:
    """Check a package, print what is wrong and the figures.

    What is known to be wrong without computing is reported with what the checks find.
    """
    begin = time.perf_counter()
    try:
        with processes(PROCESSES) as pool:
            known = pool.submit(op_names, package).result()
            chosen = choose(known, names)
            report = checked(pool, package, chosen or [])
    except BrokenProcessPool:
        print("verify: a process of the checks died; name single ops to find the one that kills it", file=sys.stderr)
        return 1
    if chosen is None:
        return 1
    for finding in known_wrong:
        if finding.op in chosen:
            report.add(finding)
    wrong = report.lines(known)
    print("".join(f"{line}\n" for line in wrong), end="")
    if report.undefined:
        print(
            f"{report.undefined} derivatives at jumps and poles could not be compared: there the function has no slope"
        )
    seconds = time.perf_counter() - begin
    print(f"{len(chosen)} ops, {report.checks} checks, {len(wrong)} wrong, {seconds:.0f} s")
    return 1 if wrong else 0


def choose(known: Sequence[str], names: Sequence[str]) -> list[str] | None:
    """The ops that names stand for, all for none; None after saying which name is unknown."""
    bases = {op.partition(".")[0] for op in known}
    for name in names:
        if name not in bases and name not in known:
            print(f"verify: no op named '{name}'{did_you_mean(name, {*known, *bases})}", file=sys.stderr)
            return None
    return [op for op in known if not names or op in names or op.partition(".")[0] in names]


def checked(pool: ProcessPoolExecutor, package: Package, names: Sequence[str]) -> Report:
    """The joint report on some ops, shared out; CUDA kernels come last, when the CPU kernels are cached."""
    total = Report()
    chunks = [names[i : i + CHUNK] for i in range(0, len(names), CHUNK)]
    for report in pool.map(check_ops, [package] * len(chunks), chunks):
        total.join(report)
    if names:
        with simulator(), processes(1) as other:
            total.join(other.submit(simulate_ops, package, names).result())
    return total


def processes(count: int) -> ProcessPoolExecutor:
    """Fresh interpreters: no package of an earlier run is loaded there, and numba may be set up anew."""
    return ProcessPoolExecutor(count, multiprocessing.get_context("spawn"))


@contextmanager
def simulator() -> Iterator[None]:
    """Processes started inside have numba's simulator for CUDA."""
    before = os.environ.get("NUMBA_ENABLE_CUDASIM")
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    try:
        yield
    finally:
        del os.environ["NUMBA_ENABLE_CUDASIM"]
        if before is not None:
            os.environ["NUMBA_ENABLE_CUDASIM"] = before


# What the processes run.


def op_names(package: Package) -> list[str]:
    """The ops of a package, in the order of its spec."""
    return list(registry(package))


def check_ops(package: Package, names: Sequence[str]) -> Report:
    """The report on some ops."""
    ops, report = registry(package), Report()
    for name in names:
        report.join(verify_op(ops[name]))
    return report


def simulate_ops(package: Package, names: Sequence[str]) -> Report:
    """The report on the CUDA kernels of some ops, in a process with the simulator."""
    ops, report = registry(package), Report()
    for name in names:
        simulate(ops[name], ops[name].function.__module__.rpartition(".")[0], report)
    return report


def registry(package: Package) -> dict[str, Any]:
    """The records of a package's ops by name; a folder is imported under a name of its own."""
    importlib.import_module("specgrad")
    name = import_folder(Path(package.path), package.spec, package.home) if isinstance(package, Folder) else package
    return {op.name: op for op in importlib.import_module(f"{name}.registry").OPS}


def import_folder(folder: Path, spec_file: str = "", home: str = "") -> str:
    """Import a package from where it lies, inside the one in the folder `home` if there is one; returns its name.

    Its spec is where it says, or the file that is named.
    """
    name = f"{stand_in(Path(home))}.{folder.name}" if home else f"verified_{folder.name}"
    if name not in sys.modules:
        found = importlib.util.spec_from_file_location(
            name, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert found is not None and found.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(found)
        found.loader.exec_module(sys.modules[name])
        if spec_file:
            vars(sys.modules[name])["_spec_file"] = spec_file
    return name


def stand_in(home: Path) -> str:
    """The name of the package in a folder, of which modules can be imported from now on.

    Its own first lines are not run: they may want the generated package, which is not there yet. The name is the real
    one, for numba's cache keeps it with what it compiles.
    """
    above = home.parent
    name = f"{stand_in(above)}.{home.name}" if (above / "__init__.py").is_file() else home.name
    if name not in sys.modules:
        package = sys.modules[name] = types.ModuleType(name)
        package.__path__ = [str(home)]
    return name
