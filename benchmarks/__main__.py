"""Time specgrad beside PyTorch, JAX and HIPS autograd, whichever are installed.

``python -m benchmarks [--groups G ...] [--rounds N] [--seconds S] [--threads N] [--json FILE] [--picture FILE]
[WORKLOAD ...]``. Each library has a process of its own, a new one for each group. First they are seen to compute the
same, then batches of calls alternate between the processes; the best batch of each counts, so that slow moments of the
machine fall out. A ratio above 1 means that specgrad is faster. What is slower runs three times more, in new processes.
"""

import argparse
import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from codegen.project.progress import Progress

from .machine import Machine, measured
from .peak import peaks
from .picture import draw
from .report import NAME, Row, heading, line, overview, record, summary
from .startup import PROGRAMS, first_batch_compiled, first_batch_times, import_times
from .timing import Worker, timed
from .workloads import GROUPS, WORKLOADS

THREADS = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"]
START_ROUNDS = 5
COLD_ROUNDS = 3
AGAIN = 3  # runs of what was slower than another library


def show_groups(
    names: Sequence[str], libraries: Sequence[str], machine: Machine, value: argparse.Namespace, env: dict[str, str]
) -> dict[str, list[Row]]:
    """Print a line a workload and a summary a group; returns the rows."""
    results: dict[str, list[Row]] = {}
    with Progress(len(names), "workloads") as progress:
        for group, members in GROUPS.items():
            chosen = [name for name in members if name in names]
            if not chosen:
                continue
            progress.say(heading(group, libraries))
            workers = [Worker(library, value.threads, env) for library in libraries]
            rows = results.setdefault(group, [])
            for name in chosen:
                rows.append(timed(name, workers, value.rounds, value.seconds))
                progress.step()
                progress.say(line(rows[-1], len(libraries), machine))
            for worker in workers:
                worker.close()
            progress.say("\n".join(summary(rows, libraries)))
    return results


def ratios_again(name: str, libraries: Sequence[str], value: argparse.Namespace, env: dict[str, str]) -> list[float]:
    """The ratios of a workload in a few more runs beside the second library, each with new processes.

    Where a process has its memory decides how large arrays share the caches, for as long as it lives.
    """
    matches = []
    for _ in range(AGAIN):
        workers = [Worker(library, value.threads, env) for library in libraries[:2]]
        matches.append(timed(name, workers, value.rounds, value.seconds).ratio(1))
        for worker in workers:
            worker.close()
    return [ratio for ratio in matches if ratio is not None]


def show_peaks(libraries: Sequence[str], env: dict[str, str]) -> None:
    """Print the peak memory of each model's step, in MiB."""
    beside = [library for library in libraries if library in ("specgrad", "torch")]
    print(f"\n{'peak memory, MiB':{NAME}}" + "".join(f"{library:>12}" for library in beside))
    with Progress(len(GROUPS["model"]), "models") as progress:
        for name in GROUPS["model"]:
            cells = ["-" if b is None else f"{b / 2**20:.1f}" for b in peaks(beside, name, env)]
            progress.say(f"{name:{NAME}}" + "".join(f"{cell:>12}" for cell in cells))
            progress.step()


def show_startup(libraries: Sequence[str], env: dict[str, str]) -> None:
    """Print import times beside numba's, and the time to the first trained batch, also where nothing is compiled."""
    imports = import_times(["numba", *libraries], START_ROUNDS, env)
    print(f"\n{'import':{NAME}}{'seconds':>12}{'/ numba':>12}")
    for name, value in imports.items():
        print(f"{name:{NAME}}{value:12.3f}{value / imports['numba']:12.2f}")
    both = [library for library in libraries if library in ("specgrad", "torch")]
    print(f"\n{'first batch, in seconds':{NAME}}" + "".join(f"{name:>12}" for name in (*both, "compiling")))
    for program in PROGRAMS:
        result = first_batch_times(both, program, START_ROUNDS, env)
        compiled = first_batch_compiled(program, COLD_ROUNDS, env)
        print(f"{program:{NAME}}" + "".join(f"{value:12.3f}" for value in (*result.values(), compiled)))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("workload", nargs="*", help="a workload, or a pattern as softmax* (--list prints all)")
    parser.add_argument("--list", action="store_true", help="print the workloads of each group, and time none")
    parser.add_argument("--groups", nargs="+", choices=[*GROUPS, "start"], help="only these groups")
    parser.add_argument("--rounds", type=int, default=60, help="batches of calls, at most")
    parser.add_argument("--seconds", type=float, default=1.5, help="after which a workload gets no more rounds")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write all figures")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="an SVG file for bars of the ratios to PyTorch")
    value = parser.parse_args()
    unknown = [each for each in value.workload if not matching(each)]
    if unknown:
        parser.error(f"no workload {', '.join(unknown)}; there is {', '.join(WORKLOADS)}")
    return value


def matching(pattern: str) -> list[str]:
    """The workloads that a name or a pattern means."""
    return [name for name in WORKLOADS if fnmatchcase(name, pattern)]


def show_list() -> None:
    """Print what there is."""
    for group, members in GROUPS.items():
        print(f"{group}: {len(members)}", *members, sep="\n  ")


def main() -> int:
    """Run the command; the exit status is 1 where libraries do not compute the same."""
    value = arguments()
    if value.list:
        show_list()
        return 0
    groups = value.groups or ([] if value.workload else [*GROUPS, "start"])
    of_groups = [name for group in groups for name in GROUPS.get(group, {})]
    names = [name for pattern in value.workload for name in matching(pattern)] or of_groups
    libraries = ["specgrad"] + [name for name in ("torch", "jax", "autograd") if importlib.util.find_spec(name)]
    env = {**os.environ, **dict.fromkeys(THREADS, str(value.threads))}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # imports are timed as users have them, from compiled files
    machine = show_machine(libraries, value.threads, env)
    result = show_groups(names, libraries, machine, value, env)
    if len(libraries) > 1:
        print(*overview(result, libraries[1], lambda name: ratios_again(name, libraries, value, env)), sep="\n")
    if value.json:
        about = {"threads": value.threads, **machine._asdict()}
        figures = {**about, "workloads": record(result, libraries, machine)}
        value.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    if value.picture and len(libraries) > 1:
        threads = f"{value.threads} thread{'s' * (value.threads > 1)}"
        draw(result, f"{libraries[1]}'s time / specgrad's, {threads}", value.picture)
    if "model" in groups:
        show_peaks(libraries, env)
    if "start" in groups:
        show_startup(libraries, env)
    return 1 if any(row.wrong for rows in result.values() for row in rows) else 0


def show_machine(libraries: Sequence[str], threads: int, env: dict[str, str]) -> Machine:
    """Print which libraries are timed, and what the machine can do."""
    workers = [Worker(library, threads, env) for library in libraries]
    for worker in workers:
        worker.close()
    machine = measured(threads, env)
    title = ", ".join(worker.title for worker in workers)
    print(f"{title} - {threads} thread{'s' * (threads > 1)}, microseconds a call")
    streams = ", ".join(f"{size / 1e6:.0f} MB {rate / 1e9:.1f} GB/s" for size, rate in machine.bandwidths.items())
    print(f"c = a + b by NumPy in place: {streams}; its BLAS: {machine.products / 1e9:.0f} Gflop/s")
    return machine


if __name__ == "__main__":
    sys.exit(main())
