"""One library in one process: read a workload's name a line from stdin, answer with its time in seconds.

``python -m benchmarks.worker LIBRARY THREADS`` where LIBRARY is the module to import. The answer is the fastest of
several batches of calls, so that what the machine does besides falls out; null where the library lacks what the
workload uses.
"""

import importlib
import json
import sys
from collections.abc import Callable
from time import perf_counter

from .arrays import ARRAYS, NUMPY, gradient_of
from .workloads import WORKLOADS

BATCHES = 5
BATCH_SECONDS = 0.02


def _time(step: Callable[[], object], calls: int) -> float:
    start = perf_counter()
    for _ in range(calls):
        step()
    return (perf_counter() - start) / calls


def seconds(step: Callable[[], object]) -> float:
    """Seconds a call, the fastest of BATCHES batches, after two calls that may compile."""
    step()
    step()
    calls = max(1, int(BATCH_SECONDS / max(_time(step, 1), 1e-7)))
    return min(_time(step, calls) for _ in range(BATCHES))


def prepared(library: str, torch, name: str) -> Callable[[], object] | None:
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


def main(library: str, threads: int) -> None:
    """Serve workloads until stdin closes."""
    torch = importlib.import_module(library)
    if library not in NUMPY:
        torch.set_num_threads(threads)
    steps: dict[str, Callable[[], object] | None] = {}
    print(json.dumps(getattr(torch, "__version__", "")), flush=True)
    for line in sys.stdin:
        name = line.strip()
        if name not in steps:
            steps = {name: prepared(library, torch, name)}  # one at a time: others' memory would stay
        step = steps[name]
        print(json.dumps(None if step is None else seconds(step)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
