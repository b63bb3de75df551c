"""Time specgrad beside PyTorch, JAX and HIPS autograd, whichever are installed.

``python -m benchmarks [--groups G ...] [--rounds N] [--threads N] [--picture FILE] [WORKLOAD ...]``. Each library
has a process of its own. Rounds alternate between the processes, and a ratio is the median over rounds, so a slow
moment of the machine hits all. A ratio above 1 means that specgrad is faster.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

from .peak import peaks
from .picture import draw
from .report import Row, heading, line, summary
from .startup import first_batch_times, import_times
from .workloads import GROUPS, WORKLOADS

THREADS = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"]


class Worker:
    """A process that has imported one library and times workloads on request."""

    def __init__(self, library: str, threads: int, env: dict[str, str]) -> None:
        command = [sys.executable, "-m", "benchmarks.worker", library, str(threads)]
        self._process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.title = f"{library} {self._answer()}"

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("a benchmark process died; its error is above")
        return json.loads(line)

    def seconds(self, name: str) -> float | None:
        """Time one workload."""
        self._process.stdin.write(name + "\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def timed(name: str, workers: list[Worker], rounds: int) -> Row:
    """One workload with every library, in turn."""
    row = Row(name)
    for _ in range(rounds):
        row.times.append([worker.seconds(name) for worker in workers])
    return row


def show_groups(names: list[str], libraries: list[str], workers: list[Worker], rounds: int) -> dict[str, list[Row]]:
    """Print a line a workload and a summary a group; returns the rows."""
    found: dict[str, list[Row]] = {}
    for group, members in GROUPS.items():
        chosen = [name for name in members if name in names]
        if not chosen:
            continue
        print(heading(group, libraries), flush=True)
        found[group] = []
        for name in chosen:
            found[group].append(timed(name, workers, rounds))
            print(line(found[group][-1], len(libraries)), flush=True)
        print(*summary(found[group], libraries), sep="\n")
    return found


def show_peaks(libraries: list[str], env: dict[str, str]) -> None:
    """Print the peak memory of each model's step, in MiB."""
    beside = [library for library in libraries if library in ("specgrad", "torch")]
    print(f"\n{'peak memory, MiB':22}" + "".join(f"{library:>12}" for library in beside))
    for name in GROUPS["model"]:
        cells = ["-" if b is None else f"{b / 2**20:.1f}" for b in peaks(beside, name, env)]
        print(f"{name:22}" + "".join(f"{cell:>12}" for cell in cells), flush=True)


def show_startup(libraries: list[str], rounds: int, env: dict[str, str]) -> None:
    """Print import times beside numba's, and the time to the first trained batch."""
    imports = import_times(["numba", *libraries], rounds, env)
    print(f"\n{'import':22}{'seconds':>12}{'/ numba':>12}")
    for name, value in imports.items():
        print(f"{name:22}{value:12.3f}{value / imports['numba']:12.2f}")
    print(f"\n{'first trained batch':22}{'seconds':>12}")
    both = [library for library in libraries if library in ("specgrad", "torch")]
    for name, value in first_batch_times(both, rounds, env).items():
        print(f"{name:22}{value:12.3f}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("workload", nargs="*", metavar="WORKLOAD", help=f"of {', '.join(WORKLOADS)}")
    parser.add_argument("--groups", nargs="+", choices=[*GROUPS, "start"], help="only these groups")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--picture", type=Path, help="an SVG file for bars of the ratios to PyTorch")
    given = parser.parse_args()
    unknown = [name for name in given.workload if name not in WORKLOADS]
    if unknown:
        parser.error(f"no workload {', '.join(unknown)}; there is {', '.join(WORKLOADS)}")
    return given


def main() -> None:
    given = arguments()
    groups = given.groups or ([] if given.workload else [*GROUPS, "start"])
    names = given.workload or [name for group in groups for name in GROUPS.get(group, {})]
    libraries = ["specgrad"] + [name for name in ("torch", "jax", "autograd") if importlib.util.find_spec(name)]
    env = {**os.environ, **dict.fromkeys(THREADS, str(given.threads))}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # imports are timed as users have them, from compiled files
    workers = [Worker(library, given.threads, env) for library in libraries]
    title = ", ".join(worker.title for worker in workers)
    print(f"{title} - {given.threads} thread{'s' * (given.threads > 1)}, microseconds a call")
    found = show_groups(names, libraries, workers, given.rounds)
    for worker in workers:
        worker.close()
    if "model" in groups:
        show_peaks(libraries, env)
    if "start" in groups:
        show_startup(libraries, given.rounds, env)
    if given.picture and len(libraries) > 1:
        draw(found, f"{libraries[1]}'s time / specgrad's", given.picture)


if __name__ == "__main__":
    main()
