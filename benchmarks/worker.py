"""One library in one process: reads a request a line from stdin, and answers each with a line of JSON.

``python -m benchmarks.worker LIBRARY THREADS`` where LIBRARY is the module to import. A request is a list of a verb and
a workload's name: `results` prepares it, runs it once and gives samples of what it has computed, null where the
library lacks what the workload uses; `seconds` times one batch of calls.
"""

import gc
import importlib
import json
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

from .arrays import ARRAYS, NUMPY, gradient_of
from .results import samples
from .workloads import WORKLOADS

Prepare = Callable[[str, Any, str], Callable[[], object] | None]
BATCH_SECONDS = 0.005  # short, so that a busy machine leaves some batches alone


def prepared(library: str, torch: Any, name: str) -> Callable[[], object] | None:
    """A workload ready to be timed; None where the library cannot run it."""
    if library in NUMPY:
        return gradient_of(library, name) if name in ARRAYS else None
    try:
        step = WORKLOADS[name](torch)
        step()
    except AttributeError as missing:
        print(f"{library} cannot run {name}: {missing}", file=sys.stderr)
        return None
    return step


class Stage:
    """The workload that is being timed: one at a time, as others' memory would stay."""

    def __init__(self, library: str, torch: Any, prepare: Prepare, clock: Callable[[], float]) -> None:
        self.library, self.torch, self.prepare, self.clock = library, torch, prepare, clock
        self.step: Callable[[], object] | None = None
        self.calls = 0

    def results(self, name: str) -> list | None:
        """Prepare a workload; samples of what its first call computes, empty where nothing can be compared."""
        self.step, self.calls = None, 0
        gc.collect()
        if self.library in NUMPY:
            self.step = self.prepare(self.library, self.torch, name)
            return None if self.step is None else []
        step = self.prepare(self.library, self.torch, name)
        if step is None:
            return None
        result = samples(step)
        self.step = step
        return result

    def seconds(self, name: str) -> float | None:
        """Seconds a call, of one batch of calls; the first batch says how many calls the next ones have."""
        if self.step is None:
            return None
        if not self.calls:
            once = self._time(1)
            if once < BATCH_SECONDS:
                once = min(once, self._time(1), self._time(1))
            self.calls = max(1, int(BATCH_SECONDS / max(once, 1e-7)))
        return self._time(self.calls)

    def _time(self, calls: int) -> float:
        step = self.step
        assert step is not None
        start = self.clock()
        for _ in range(calls):
            step()
        return (self.clock() - start) / calls


def main(library: str, threads: int, prepare: Prepare = prepared, clock: Callable[[], float] = perf_counter) -> None:
    """Serve requests until stdin closes."""
    torch = importlib.import_module(library)
    if library not in NUMPY:
        torch.set_num_threads(threads)
    print(json.dumps(getattr(torch, "__version__", "")), flush=True)
    stage = Stage(library, torch, prepare, clock)
    for line in sys.stdin:
        verb, name = json.loads(line)
        print(json.dumps({"results": stage.results, "seconds": stage.seconds}[verb](name)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
