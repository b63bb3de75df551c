"""Several threads for one large computation: a pool that is made when it is first needed, and anew after a fork."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from ..threads import get_num_threads


@lru_cache(maxsize=1)
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """The threads beside the caller's; those of another process, or of another number, are of no use."""
    return ThreadPoolExecutor(threads - 1, "specgrad")


def in_parts(count: int, unit: int, task: Callable[[int, int], None]) -> None:
    """task(first, last) for ranges that cover range(count), one for each thread; they begin at multiples of `unit`."""
    threads = get_num_threads()
    units = -(-count // unit)
    parts = min(threads, units)
    if parts < 2:
        task(0, count)
        return
    ends = [min(units * (k + 1) // parts * unit, count) for k in range(parts)]
    ranges = list(zip([0, *ends], ends, strict=False))
    others = [_pool(os.getpid(), threads).submit(task, *each) for each in ranges[1:]]
    task(*ranges[0])
    for other in others:
        other.result()
