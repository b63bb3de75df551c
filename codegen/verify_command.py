"""`python -m codegen verify [OP...]`: runs the checks over a generated package in two processes and reports."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import multiprocessing
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .suggest import did_you_mean
from .verify import verify_op
from .verify_cuda import simulate
from .verify_report import Report

PACKAGE = "specgrad.generated"
PROCESSES = 2
CHUNK = 4  # ops handed to a process at a time
FEW = 8  # ops for which a second process would cost more than it gives


def verify_command(argv: Sequence[str]) -> int:
    """Check the ops in the tree, or the named ones; 1 when something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m codegen verify", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="OP", help="an op, with all its overloads, or one overload")
    return verify(PACKAGE, parser.parse_args(argv).names)


def verify_package(root: Path, names: Sequence[str] = ()) -> int:
    """Check the package that was generated in the folder `root` from a spec outside the tree."""
    return verify(str(root), names)


def verify(package: str, names: Sequence[str]) -> int:
    """Check a package (its import name or its folder), print what is wrong and the figures."""
    begin = time.perf_counter()
    ops = {op.name: op for op in registry(package)}
    chosen = choose(list(ops), names)
    if chosen is None:
        return 1
    try:
        report = checked(package, chosen)
    except BrokenProcessPool:
        print("verify: a process of the checks died; name single ops to find the one that kills it", file=sys.stderr)
        return 1
    wrong = report.lines(list(ops))
    for line in wrong:
        print(line)
    seconds = time.perf_counter() - begin
    print(f"{len(chosen)} ops, {report.checks} checks, {len(wrong)} wrong, {seconds:.0f} s")
    return 1 if wrong else 0


def choose(known: Sequence[str], names: Sequence[str]) -> list[str] | None:
    """The ops that names stand for, all for none; None after saying which name is unknown."""
    chosen = [op for op in known if not names or op in names or op.partition(".")[0] in names]
    found = {part for op in chosen for part in (op, op.partition(".")[0])}
    for name in names:
        if name not in found:
            every = {*known, *(op.partition(".")[0] for op in known)}
            print(f"verify: no op named '{name}'{did_you_mean(name, every)}", file=sys.stderr)
            return None
    return chosen


def registry(package: str) -> list[Any]:
    """The records of a package's ops; a path is imported as a package of the folder's name."""
    importlib.import_module("specgrad")
    if os.sep not in package and not Path(package).is_dir():
        return importlib.import_module(f"{package}.registry").OPS
    folder = Path(package).resolve()
    name = f"verified_{folder.name}"
    if name not in sys.modules:
        place = folder / "__init__.py"
        spec = importlib.util.spec_from_file_location(name, place, submodule_search_locations=[str(folder)])
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return importlib.import_module(f"{name}.registry").OPS


def checked(package: str, names: Sequence[str]) -> Report:
    """The joint report on some ops; many are shared out to two processes."""
    total = Report()
    if len(names) <= FEW or (os.cpu_count() or 1) < PROCESSES:
        total.join(check_chunk(package, names))
    else:
        chunks = [names[i : i + CHUNK] for i in range(0, len(names), CHUNK)]
        with processes(PROCESSES) as pool:
            for report in pool.map(check_chunk, [package] * len(chunks), chunks):
                total.join(report)
    with simulator(), processes(1) as pool:
        total.join(pool.submit(simulate_all, package, names).result())
    return total


def processes(count: int) -> ProcessPoolExecutor:
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


def simulate_all(package: str, names: Sequence[str]) -> Report:
    """The report on the CUDA kernels of some ops, made in a process with the simulator."""
    ops = {op.name: op for op in registry(package)}
    report = Report()
    for name in names:
        simulate(ops[name], ops[name].function.__module__.rpartition(".")[0], report)
    return report


def check_chunk(package: str, names: Iterable[str]) -> Report:
    """The report on some ops, made in this process."""
    ops = {op.name: op for op in registry(package)}
    report = Report()
    for name in names:
        report.join(verify_op(ops[name]))
    return report
