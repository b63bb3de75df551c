"""Libraries in processes of their own, and one workload timed in all of them by turns."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from time import monotonic, sleep
from typing import Any

from .report import Row
from .results import Sample, difference
from .workloads import COSTS

REST = 0.02  # seconds in which the threads of the library before go to sleep: some look for work for 10 ms
COMMAND = sys.executable, "-m", "benchmarks.worker"
MIN_ROUNDS = 3  # rounds, however long they take


class Worker:
    """A process that has imported one library, and times workloads on request."""

    def __init__(self, library: str, threads: int, env: dict[str, str], command: Sequence[str] = COMMAND) -> None:
        arguments = [*command, library, str(threads)]
        self._process = subprocess.Popen(arguments, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._rest = REST if threads > 1 else 0.0
        self.title = f"{library} {self._answer()}"

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("a benchmark process died; its error is above")
        return json.loads(line)

    def _ask(self, verb: str, name: str) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([verb, name]) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def results(self, name: str) -> list[Sample] | None:
        """Prepare a workload; samples of what it computes, None where the library cannot run it."""
        result = self._ask("results", name)
        return None if result is None else [Sample(*each) for each in result]

    def seconds(self, name: str) -> float | None:
        """Seconds a call, of one batch of calls of the workload that was prepared."""
        sleep(self._rest)
        result: float | None = self._ask("seconds", name)
        return result

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def timed(name: str, workers: Sequence[Worker], rounds: int, seconds: float, min_rounds: int = MIN_ROUNDS) -> Row:
    """One workload with every library: whether they compute the same, then rounds, until these or the seconds are over.

    Every second round goes through the libraries backwards, so that none always comes after the same other one.
    """
    row = Row(name, cost=COSTS.get(name), wrong=compared([worker.results(name) for worker in workers]))
    for worker in workers:
        worker.seconds(name)  # how many calls a batch has
    end = monotonic() + seconds
    while len(row.times) < rounds and (len(row.times) < min_rounds or monotonic() < end):
        times: list[float | None] = [None] * len(workers)
        for worst in list(range(len(workers)))[:: -1 if len(row.times) % 2 else 1]:
            times[worst] = workers[worst].seconds(name)
        row.times.append(times)
    return row


def compared(result: Sequence[list[Sample] | None]) -> str:
    """In what the results of other libraries differ from the first one's; those that have none are not compared."""
    if not result[0]:
        return ""
    wrong = [difference(result[0], other) for other in result[1:] if other]
    return next((each for each in wrong if each), "")
