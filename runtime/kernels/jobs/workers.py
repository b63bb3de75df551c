"""Several threads for one large computation: workers that are hired when they are first needed, and anew after a fork.

What they do is compiled (manager.py), but for parts of jobs that are functions of Python.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

from ...threads import get_num_threads
from . import layout
from .layout import (
    ABSENT,
    ADDRESS,
    AWAIT,
    CLAIM,
    FINISH,
    HAVE,
    LEAVE,
    MOST_WORKERS,
    NEVER,
    POST,
    PYTHON,
    SERVE,
    WAKE,
    J,
    words,
)

PATIENCE = 10_000  # times a millisecond

_threads: list[threading.Thread] = []
_task: list[Any] = []  # what a job of Python runs, and what it raised


@cache
def _manager() -> Any:
    """`manage` of manager.py, during which other threads run."""
    from .manager import manager

    word, address = ctypes.c_ssize_t, manager().address
    _put(J.manager, address)
    return ctypes.CFUNCTYPE(word, word, word, word)(address)


def manage(wish: int, bed: int = 0) -> int:
    """What compiled code answers to a wish about the job."""
    return int(_manager()(ADDRESS, wish, bed))


def _get(distance: int) -> int:
    return int(words[distance // 8])


def _put(distance: int, *these: int) -> None:
    words[distance // 8 : distance // 8 + len(these)] = these


def in_parts(count: int, unit: int, task: Callable[[int, int], None]) -> None:
    """task(first, last) for ranges that cover range(count), one for each thread; they begin at multiples of `unit`."""
    if count <= unit or get_num_threads() == 1 or not manage(HAVE):
        task(0, count)
        return
    units, parts = describe(PYTHON, 0, 0, count, unit)
    ends = [min(units * k // parts * unit, count) for k in range(parts + 1)]
    errors: list[BaseException] = []
    _task[:] = task, ends, errors
    manage(POST)
    while (part := manage(CLAIM)) >= 0:
        _run_part(part)
        manage(FINISH)
    manage(AWAIT)
    _task.clear()  # which holds arrays
    manage(LEAVE)
    if errors:
        raise errors[0]


def describe(
    kind: int, kernel: int, arrays: int, count: int, unit: int, memory: tuple[int, ...] = ()
) -> tuple[int, int]:
    """Say what there is to share; gives how many units these are, and in how many parts they are cut."""
    workers = words[J.workers // 8] or hire()
    units = -(-count // unit)
    parts = min(int(workers) + 1, units)
    _put(J.kind, kind, kernel, arrays, count, unit, parts, *memory)
    return units, parts


def _run_part(part: int) -> None:
    """Run a part of a job that is a function of Python."""
    task, ends, errors = _task
    try:
        task(ends[part], ends[part + 1])
    except BaseException as error:  # raised again by the thread that has the job
        errors.append(error)


def hire() -> int:
    """Start the workers that `set_num_threads` allows, and say how many; for the thread that has the job."""
    count = min(get_num_threads() - 1, MOST_WORKERS)
    _put(J.large, layout.LARGE if count else NEVER)
    if not count:
        return 0
    _manager()  # compiled or loaded before, for a new thread has little of the interpreter's time
    for i in range(count):
        bed = J.beds + 16 * i
        _put(bed, ABSENT, _new_lock())
        _threads.append(threading.Thread(target=_work, args=(ADDRESS + bed,), name=f"specgrad-{i + 1}", daemon=True))
        try:
            _threads[-1].start()
        except RuntimeError:  # the system has no more
            _threads.pop()
            return i
        while _get(bed) == ABSENT:
            time.sleep(0)
        _put(J.workers, i + 1)
    return count


def _new_lock() -> int:
    """A lock that compiled code knows, and that is closed."""
    allocate = ctypes.pythonapi.PyThread_allocate_lock
    allocate.restype = ctypes.c_void_p
    address = int(allocate())
    ctypes.pythonapi.PyThread_acquire_lock(ctypes.c_void_p(address), 1)
    return address


def _work(bed: int) -> None:
    """The life of a worker."""
    while (part := manage(SERVE, bed)) >= 0:
        _run_part(part)
        manage(FINISH)


def dismiss() -> None:
    """End the workers; others are hired when they are needed."""
    if not _threads:
        _put(J.large, layout.LARGE)
        return
    for _ in range(PATIENCE):
        if manage(HAVE):
            break
        time.sleep(0.001)  # another thread's job
    else:
        return  # of a thread that was stopped in the middle of it
    _put(J.stop, 1)
    manage(WAKE)
    for thread in _threads:
        thread.join()
    _forget()


def _forget() -> None:
    """As before the first job; after a fork there is nobody to end."""
    _threads.clear()
    _put(J.workers, 0)
    _put(J.stop, 0)
    _put(J.ticket, 0)
    _put(J.large, layout.LARGE)
    _put(J.owned, 0)


atexit.register(dismiss)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
