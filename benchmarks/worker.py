"""One library in one process: read a workload's name a line from stdin, answer with its time in seconds.

``python -m benchmarks.worker LIBRARY`` where LIBRARY is the module to import. Answers are the fastest of
several batches of calls, so that what the machine does besides falls out.
"""

import importlib
import json
import sys
from collections.abc import Callable
from time import perf_counter

from .small import WORKLOADS

BATCHES = 7
BATCH_SECONDS = 0.02


def _time(step: Callable[[], object], calls: int) -> float:
    start = perf_counter()
    for _ in range(calls):
        step()
    return (perf_counter() - start) / calls


def seconds(step: Callable[[], object]) -> float:
    """Seconds a call, the fastest of BATCHES batches, after one call that may compile."""
    step()
    calls = max(1, int(BATCH_SECONDS / max(_time(step, 3), 1e-7)))
    return min(_time(step, calls) for _ in range(BATCHES))


def main(library: str) -> None:
    """Serve workloads until stdin closes."""
    torch = importlib.import_module(library)
    torch.set_num_threads(1)
    steps: dict[str, Callable[[], object]] = {}
    print(json.dumps(torch.__version__), flush=True)
    for line in sys.stdin:
        name = line.strip()
        if name not in steps:
            steps[name] = WORKLOADS[name](torch)
        print(json.dumps(seconds(steps[name])), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
