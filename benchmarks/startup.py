"""What a user waits for before anything runs: import, and the first trained batch of a fresh process."""

import subprocess
import sys
from statistics import median

_IMPORT = "from time import perf_counter as t; a = t(); import {0}; print(t() - a)"
_FIRST_BATCH = """
from time import perf_counter as t
a = t()
import {0} as torch
from benchmarks.workloads import WORKLOADS
WORKLOADS["train_convolutional"](torch)()
print(t() - a)
"""


def _seconds(code: str, env: dict[str, str]) -> float:
    done = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True)
    return float(done.stdout)


def _rounds(codes: dict[str, str], rounds: int, env: dict[str, str]) -> dict[str, float]:
    """The median time of each program, run in turn; the first run of each (cold caches) is not counted."""
    times = [{name: _seconds(code, env) for name, code in codes.items()} for _ in range(rounds + 1)]
    return {name: median(t[name] for t in times[1:]) for name in codes}


def import_times(modules: list[str], rounds: int, env: dict[str, str]) -> dict[str, float]:
    """Seconds that ``import module`` takes in a fresh interpreter."""
    return _rounds({name: _IMPORT.format(name) for name in modules}, rounds, env)


def first_batch_times(libraries: list[str], rounds: int, env: dict[str, str]) -> dict[str, float]:
    """Seconds from the start of the import to the end of the first training step, kernels already cached."""
    return _rounds({name: _FIRST_BATCH.format(name) for name in libraries}, rounds, env)
