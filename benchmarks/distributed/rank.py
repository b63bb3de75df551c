"""One process: ``python -m benchmarks.distributed.rank LIBRARY ADDRESS NAME MEETING`` times steps on request.

MEETING is a file by which PyTorch's ranks meet, "mpi" where mpiexec has started this one, or "alone". A request is a
workload and a number of steps; the answer is the seconds of each.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from multiprocessing.connection import Client
from time import perf_counter
from typing import Any

from .workloads import WORKLOADS, step_of

WARM = 5  # steps that are not counted: kernels are compiled, buckets found, memory is there


def join_group(torch: Any, meeting: str) -> int:
    """Become a rank; which one."""
    if meeting == "alone":
        return 0
    dist = torch.distributed
    if meeting == "mpi":
        dist.init_process_group("mpi")
    else:
        rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=size)
    return int(dist.get_rank())


def prepared(torch: Any, name: str, alone: bool) -> Callable[[], object]:
    """A workload's step, which has run."""
    torch.manual_seed(0)
    training = WORKLOADS[name](torch)
    model = training.model if alone else torch.nn.parallel.DistributedDataParallel(training.model)
    step = step_of(torch, training, model)
    for _ in range(WARM):
        step()
    return step


def timed(step: Callable[[], object], count: int) -> list[float]:
    """Seconds of each step."""
    matches = []
    for _ in range(count):
        begin = perf_counter()
        step()
        matches.append(perf_counter() - begin)
    return matches


def main(library: str, address: str, name: str, meeting: str) -> None:
    """Answer requests until there are no more."""
    torch = importlib.import_module(library)
    importlib.import_module(f"{library}.distributed")
    torch.set_num_threads(1)
    rank = join_group(torch, meeting)
    steps: dict[str, Callable[[], object]] = {}
    with Client(address) as parent:
        parent.send((name, rank))
        while (request := parent.recv()) is not None:
            workload, count = request
            if workload not in steps:
                steps[workload] = prepared(torch, workload, meeting == "alone")
            parent.send(timed(steps[workload], count))


if __name__ == "__main__":
    main(*sys.argv[1:])
