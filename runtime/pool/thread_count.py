"""The number of threads of one operation. `runtime/pool/threads.py` offers this to users; the thread pool asks here."""

from __future__ import annotations

import functools
import os

_chosen: int | None = None


def get_num_threads() -> int:
    """The number set by `set_num_threads`, else the number of CPUs that this process may use."""
    return available_cpus() if _chosen is None else _chosen


def choose(number: int) -> None:
    global _chosen
    _chosen = number


@functools.cache
def available_cpus() -> int:
    """The CPUs that this process may use: a container or a job's scheduler may grant fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
