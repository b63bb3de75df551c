"""The thread pool as Python sees it: workers start when first needed, and anew after a fork. An exception may reach a
thread between any two steps of Python, so to acquire the job, describe it, run it, wait for others and release it is
one command of the scheduler. What a part raises, Ctrl-C included, waits until all parts have ended, for they use the
arrays."""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from ...compiler.language.structs import length
from ...compiler.passes.loading import load_compiler
from . import job
from .call_record import memory_of
from .job import (
    ABSENT,
    ACQUIRE_AND_RUN,
    ADDRESS,
    ALONE,
    DONE,
    FORKED,
    MAX_WORKERS,
    NEVER,
    PYTHON,
    RESIZE,
    START_WORKERS,
    Job,
    ParkingSlot,
    Request,
    slot_values,
)

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


NONE_FOR_GOOD = -1  # workers
PATIENCE = 1.0  # seconds in which workers may finish what they do when the interpreter ends
_Word = ctypes.c_ssize_t
_atomic_offsets = {name: Job.word(name) for name in ("workers", "requested", "scheduler")}


@cache
def _schedulers() -> tuple[Any, Any]:
    """`schedule` of commands.py, called with the GIL held, and called so that other threads hold it meanwhile."""
    load_compiler()
    from . import worker_threads

    schedule = worker_threads.UNIT.address(worker_threads.schedule)
    Job.put(slot_values, "scheduler", schedule)
    Job.put(slot_values, "worker", worker_threads.UNIT.address(worker_threads.work))
    _want()
    kinds = (ctypes.PYFUNCTYPE, ctypes.CFUNCTYPE)
    return tuple(kind(_Word, _Word, _Word, _Word)(schedule) for kind in kinds)  # type: ignore[return-value]


def _value(name: str) -> int:
    return int(slot_values[_atomic_offsets[name]])


def _want() -> None:
    # Native code compares with `large` alone: with NEVER it does not even try to acquire the job.
    if _value("requested") > NONE_FOR_GOOD:
        requested = min(get_num_threads() - 1, MAX_WORKERS)
        Job.put(slot_values, "large", job.LARGE if requested else NEVER)
        Job.put(slot_values, "requested", requested)


@cache
def starter() -> Callable[[], int]:
    """Starts the workers and returns how many there are, by one call that nothing interrupts."""
    return partial(_schedulers()[0], ADDRESS, START_WORKERS, 0)


def has_workers() -> bool:
    return bool(_value("workers")) or (_value("requested") > NONE_FOR_GOOD and starter()() > 0)


def run_on_workers(request: np.ndarray) -> int:
    """Run a job of compiled code, described as Request says; ALONE where others have the workers, or there are none."""
    if not has_workers():
        return ALONE
    return int(_schedulers()[1](ADDRESS, ACQUIRE_AND_RUN, memory_of(request)))


def in_parts(count: int, unit: int, task: Callable[[int, int], object]) -> None:
    """task(first, last) for ranges that cover range(count), one for each thread; they begin at multiples of `unit`."""
    if count <= unit or get_num_threads() == 1 or not has_workers():
        task(0, count)
        return
    units = -(-count // unit)
    parts = min(get_num_threads(), units, MAX_WORKERS + 1)
    ends = [min(units * k // parts * unit, count) for k in range(parts + 1)]
    calls = tuple(zip(ends, ends[1:], strict=False))
    request = Request.pack(kind=PYTHON, kernel=id(task), extent=count, unit=unit, parts=parts, frame=id(calls))
    if _schedulers()[0](ADDRESS, ACQUIRE_AND_RUN, request.ctypes.data) != DONE:  # or it has raised
        task(0, count)


def resize() -> None:
    """Allow as many workers as `set_num_threads` says; they start when needed, and those beyond end by themselves."""
    if not _value("scheduler"):
        return  # no worker was started yet, and who starts the first asks
    requested = min(get_num_threads() - 1, MAX_WORKERS)
    Job.put(slot_values, "large", job.LARGE if requested and _value("requested") > NONE_FOR_GOOD else NEVER)
    _schedulers()[0](ADDRESS, RESIZE, requested)


def worker_count() -> int:
    first = Job.word("slots")
    states = slot_values[first : first + MAX_WORKERS * length(ParkingSlot) : length(ParkingSlot)]
    return int(np.count_nonzero(states != ABSENT))


def _close() -> None:
    """Stop the pool at the interpreter's end: jobs are no longer shared, and workers have a second to finish theirs."""
    Job.put(slot_values, "large", NEVER)
    if _value("scheduler"):
        _schedulers()[0](ADDRESS, RESIZE, NONE_FOR_GOOD)
    Job.put(slot_values, "requested", NONE_FOR_GOOD)
    patience = time.monotonic() + PATIENCE
    while worker_count() and time.monotonic() < patience:
        time.sleep(0.0002)


def _forked() -> None:
    """Reset the pool in a forked process, which has no thread but the one that forked."""
    if _value("scheduler"):
        _schedulers()[0](ADDRESS, FORKED, 0)


atexit.register(_close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
