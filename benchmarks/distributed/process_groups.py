"""Sets of processes that work at once: one alone, two that know nothing of each other, and two ranks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, Listener
from pathlib import Path

from specgrad.runtime.extensions.distributed.launcher import mpiexec

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
ONE_THREAD = dict.fromkeys(_THREADS, "1")  # of the environment: each process has one
PATIENCE = 60  # seconds for processes to end by themselves


class RankGroup:
    """Processes that are asked together; between requests they sleep.

    Args:
        library: what they import.
        count: how many there are.
        parallel: whether they are ranks of each other.
        folder: where they meet.
    """

    def __init__(self, library: str, count: int, parallel: bool, folder: Path) -> None:
        self.name = f"{library}, {count} {'ranks' if parallel else 'alone'}"
        address = str(folder / f"{library}-{count}-{parallel}")
        with Listener(address) as listener:
            self._processes = _started(library, address, self.name, count, parallel)
            matches = sorted(((one, one.recv()) for one in _accepted(listener, count)), key=lambda pair: pair[1])
        self._ranks: list[Connection] = [connection for connection, _ in matches]

    def seconds(self, workload: str, steps: int) -> list[float]:
        """Seconds of each step: of the process that was last."""
        for rank in self._ranks:
            rank.send((workload, steps))
        return [max(times) for times in zip(*(rank.recv() for rank in self._ranks), strict=True)]

    def close(self) -> None:
        """End the processes."""
        for rank in self._ranks:
            with suppress(OSError):
                rank.send(None)
            rank.close()
        for process in self._processes:
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()


def _accepted(listener: Listener, count: int) -> list[Connection]:
    return [listener.accept() for _ in range(count)]


def _started(library: str, address: str, name: str, count: int, parallel: bool) -> list[subprocess.Popen[bytes]]:
    environment = {**os.environ, **ONE_THREAD}
    command = [sys.executable, "-m", "benchmarks.distributed.rank", library, address, name]
    if parallel and library == "specgrad":
        return [subprocess.Popen([mpiexec(), "-n", str(count), *command, "mpi"], env=environment)]
    meeting = f"{address}.meeting" if parallel else "alone"
    return [
        subprocess.Popen([*command, meeting], env={**environment, "RANK": str(rank), "WORLD_SIZE": str(count)})
        for rank in range(count)
    ]


def rank_groups(libraries: Sequence[str], count: int, folder: Path) -> dict[tuple[str, str], RankGroup]:
    """For each library: one process, several at once without communication, and as many ranks."""
    kinds = {"one": (1, False), "separate": (count, False), "ranks": (count, True)}
    return {
        (library, kind): RankGroup(library, *value, folder) for library in libraries for kind, value in kinds.items()
    }
