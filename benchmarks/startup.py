"""What a user waits for before anything runs: import, and the first trained batch of a fresh process."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

PROGRAMS = ("train_perceptron", "train_convolutional")
PATIENCE = 120  # seconds, for processes that compile ahead
_IMPORT = "from time import perf_counter as t; a = t(); import {0}; print(t() - a)"
_FIRST_BATCH = """
from time import perf_counter as t
a = t()
import {0} as torch
from benchmarks.workloads import WORKLOADS
WORKLOADS["{1}"](torch)()
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


def first_batch_times(libraries: list[str], program: str, rounds: int, env: dict[str, str]) -> dict[str, float]:
    """Seconds from the start of the import to the end of the first training step, kernels already cached."""
    return _rounds({name: _FIRST_BATCH.format(name, program) for name in libraries}, rounds, env)


def first_batch_compiled(program: str, rounds: int, env: dict[str, str]) -> float:
    """The same for specgrad where nothing has been compiled before: the first program on a machine."""
    return median(_with_empty_cache(program, env) for _ in range(rounds))


def _with_empty_cache(program: str, env: dict[str, str]) -> float:
    with tempfile.TemporaryDirectory() as folder, _left_alone(Path(folder)):
        return _seconds(_FIRST_BATCH.format("specgrad", program), {**env, "SPECGRAD_CACHE_DIR": folder})


@contextmanager
def _left_alone(folder: Path) -> Iterator[None]:
    """Wait at the end until nothing is written any more: processes that compile ahead go on without their program."""
    yield
    begin = last = time.monotonic()
    seen: set[str] = set()
    while time.monotonic() - last < 3 and time.monotonic() - begin < PATIENCE:
        time.sleep(0.2)
        matches = {path.name for path in folder.rglob("*")}
        last, seen = (time.monotonic(), matches) if matches != seen else (last, seen)
