"""`python -m codegen verify [OP...]`: runs the checks over a generated package in fresh processes and reports."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .load import load_spec
from .proof.report import disproved
from .suggest import did_you_mean
from .verify import verify_op
from .verify_cuda import simulate
from .verify_report import Finding, Report

Package = tuple[str, str]  # the import name or the folder, and the spec if it lies elsewhere than the package says
PACKAGE: Package = ("specgrad.generated", "")
SPEC = Path(__file__).resolve().parent.parent / "derivatives.yaml"
PROCESSES = min(2, os.cpu_count() or 1)
CHUNK = 4  # ops handed to a process at a time


def verify_command(argv: Sequence[str]) -> int:
    """Check the ops in the tree, or the named ones; 1 when something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m codegen verify", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="OP", help="an op, with all its overloads, or one overload")
    spec, _ = load_spec(SPEC, SPEC.name)
    return verify(PACKAGE, parser.parse_args(argv).names, disproved(spec))


def verify_package(
    root: Path, spec: Path | None = None, names: Sequence[str] = (), known: Sequence[Finding] = ()
) -> int:
    """Check the package that was generated in the folder `root` from a spec outside the tree."""
    return verify((str(root.resolve()), str(spec.resolve()) if spec else ""), names, known)


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
    name, spec = package
    if os.sep in name:
        name = import_folder(Path(name), spec)
    return {op.name: op for op in importlib.import_module(f"{name}.registry").OPS}


def import_folder(folder: Path, spec_file: str = "") -> str:
    """Import a package from where it lies; returns its name. Its spec is where it says, or the file that is named."""
    name = f"verified_{folder.name}"
    if name not in sys.modules:
        place = folder / "__init__.py"
        spec = importlib.util.spec_from_file_location(name, place, submodule_search_locations=[str(folder)])
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
        if spec_file:
            vars(sys.modules[name])["_spec_file"] = spec_file
    return name
