"""Time ops over rows, windows, indices and scans at nine shapes, beside PyTorch and beside another checkout.

``python -m benchmarks.kernels [--families F ...] [--shapes S ...] [--passes P ...] [--seconds S] [--beside CHECKOUT]
[--torch-python PYTHON] [OP ...]``. Each library has a process; batches of calls alternate between these, and the best
batch of each counts. A ratio above 1 means that specgrad is faster. What is slower is timed again in new processes.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.__main__ import THREADS
from benchmarks.report import Row
from benchmarks.timing import Worker, timed
from codegen.project.progress import Progress

from .cases import CASES, PASSES, SHAPES, matching
from .report import is_behind, summary, table

MIN_ROUNDS, MAX_ROUNDS = 5, 1000  # between them the seconds end a case
MORE = 3  # times as long for what is timed again
HAS_TORCH = "import importlib.util as u; print(bool(u.find_spec('torch')))"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernels", description=__doc__.splitlines()[0])
    parser.add_argument("op", nargs="*", default=["*"], help="an op, or a pattern as max_pool* (--list prints all)")
    parser.add_argument("--list", action="store_true", help="print the ops of the families, and time none")
    parser.add_argument("--families", nargs="+", choices=CASES, default=list(CASES), metavar="FAMILY")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES), metavar="SHAPE")
    parser.add_argument("--passes", nargs="+", choices=PASSES, default=list(PASSES), metavar="PASS")
    parser.add_argument("--seconds", type=float, default=0.1, help="for each case, all libraries")
    parser.add_argument("--again", type=int, default=1, help="how often what is slower is timed again")
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT", help="another checkout of specgrad")
    parser.add_argument("--torch-python", metavar="PYTHON", help="an interpreter with PyTorch, or TORCH_PYTHON")
    value = parser.parse_args()
    if not matching(value.families, value.op):
        parser.error(f"no op {' '.join(value.op)} in {' '.join(value.families)}; --list prints all")
    if value.beside and not (value.beside / "specgrad").is_dir():
        parser.error(f"{value.beside} is no checkout of specgrad")
    return value


def libraries_of(value: argparse.Namespace) -> dict[str, str]:
    """The interpreter of each library that is timed: this specgrad, PyTorch, the other checkout."""
    result = {"specgrad": sys.executable}
    python = value.torch_python or os.environ.get("TORCH_PYTHON", sys.executable)
    if subprocess.run([python, "-c", HAS_TORCH], capture_output=True, check=True, text=True).stdout.strip() == "True":
        result["torch"] = python
    if value.beside:
        result[f"specgrad@{value.beside.resolve()}"] = sys.executable
    return result


def workers_of(libraries: dict[str, str], threads: int) -> list[Worker]:
    """A new process for each library; nothing is compiled ahead meanwhile."""
    env = {**os.environ, **dict.fromkeys(THREADS, str(threads)), "SPECGRAD_COMPILE_AHEAD": "0"}
    command = "-W", "ignore", "-m", "benchmarks.kernels.worker"
    return [Worker(library, threads, env, [python, *command]) for library, python in libraries.items()]


def run(names: Sequence[str], libraries: dict[str, str], seconds: float, progress: Progress) -> list[Row]:
    """Time cases in new processes: those with one thread, then those with two."""
    rows = []
    for threads in (1, 2):
        chosen = [name for name in names if (name.split()[1] == "threads") == (threads == 2)]
        workers = workers_of(libraries, threads) if chosen else []
        for name in chosen:
            rows.append(timed(name, workers, MAX_ROUNDS, seconds, MIN_ROUNDS))
            progress.step()
        for worker in workers:
            worker.close()
    return [row for row in rows if row.seconds(0) is not None]


def run_again(rows: Sequence[Row], libraries: dict[str, str], seconds: float) -> None:
    """Add rounds in new processes to the cases that are behind."""
    behind = {row.name: row for row in rows if is_behind(row, list(libraries))}
    with Progress(len(behind), "cases again") as progress:
        for row in run(list(behind), libraries, seconds, progress):
            behind[row.name].times.extend(row.times)


def main() -> None:
    """Run the command."""
    value = arguments()
    if value.list:
        print("\n".join(f"{family}: {' '.join(CASES[family])}" for family in value.families))
        return
    libraries = libraries_of(value)
    labels = ["beside" if "@" in library else library for library in libraries]
    shapes = [shape for shape in SHAPES if shape in value.shapes]
    ops = matching(value.families, value.op)
    cases = [f"{op} {shape} {each}" for op in ops for shape in shapes for each in value.passes]
    with Progress(len(cases), "cases") as progress:
        rows = run(cases, libraries, value.seconds, progress)
    for _ in range(value.again if len(libraries) > 1 else 0):
        run_again(rows, libraries, MORE * value.seconds)
    print("microseconds a call:", ", ".join(libraries), end="\n\n")
    print(*table(rows, labels), *summary(rows, labels, list(libraries)), sep="\n")


if __name__ == "__main__":
    main()
