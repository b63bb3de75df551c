"""Time specgrad on small workloads, beside PyTorch where it is installed.

``python -m benchmarks [--rounds N] [WORKLOAD ...]``. Each library has a process of its own with one thread.
Rounds alternate between the processes, and the ratio is the median over rounds, so a slow moment of the
machine hits both.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from statistics import median

from .small import WORKLOADS
from .startup import first_batch_times, import_times

ONE_THREAD = dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"], "1")


class Worker:
    """A process that has imported one library and times workloads on request."""

    def __init__(self, library: str, env: dict[str, str]) -> None:
        command = [sys.executable, "-m", "benchmarks.worker", library]
        self._process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.title = f"{library} {self._answer()}"

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("a benchmark process died; its error is above")
        return json.loads(line)

    def seconds(self, name: str) -> float:
        """Time one workload."""
        self._process.stdin.write(name + "\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def _row(name: str, workers: list[Worker], rounds: int) -> str:
    times = [[worker.seconds(name) for worker in workers] for _ in range(rounds)]
    cells = [f"{1e6 * median(column):12.1f}" for column in zip(*times, strict=True)]
    ratio = f"{median(other[0] / own for own, *other in times):12.2f}" if len(workers) > 1 else ""
    return f"{name:22}{''.join(cells)}{ratio}"


def show_workloads(names: list[str], libraries: list[str], rounds: int, env: dict[str, str]) -> None:
    """Print one line per workload: microseconds with each library, and how many times faster specgrad is."""
    workers = [Worker(library, env) for library in libraries]
    print(", ".join(worker.title for worker in workers), "- one thread, microseconds a call")
    heads = [*libraries, "torch/specgrad"] if len(libraries) > 1 else libraries
    print(f"{'workload':22}" + "".join(f"{head:>12}" if head in libraries else f"  {head}" for head in heads))
    for name in names:
        print(_row(name, workers, rounds), flush=True)
    for worker in workers:
        worker.close()


def show_startup(libraries: list[str], rounds: int, env: dict[str, str]) -> None:
    """Print import times beside numba's, and the time to the first trained batch."""
    imports = import_times(["numba", *libraries], rounds, env)
    print(f"\n{'import':22}{'seconds':>12}{'/ numba':>12}")
    for name, value in imports.items():
        print(f"{name:22}{value:12.3f}{value / imports['numba']:12.2f}")
    print(f"\n{'first trained batch':22}{'seconds':>12}")
    for name, value in first_batch_times(libraries, rounds, env).items():
        print(f"{name:22}{value:12.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("workload", nargs="*", metavar="WORKLOAD", help=f"of {', '.join(WORKLOADS)}")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    unknown = [name for name in given.workload if name not in WORKLOADS]
    if unknown:
        parser.error(f"no workload {', '.join(unknown)}; there is {', '.join(WORKLOADS)}")
    libraries = ["specgrad"] + (["torch"] if importlib.util.find_spec("torch") else [])
    env = {**os.environ, **ONE_THREAD}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # imports are timed as users have them, from compiled files
    show_workloads(given.workload or list(WORKLOADS), libraries, given.rounds, env)
    if not given.workload:
        show_startup(libraries, given.rounds, env)


if __name__ == "__main__":
    main()
