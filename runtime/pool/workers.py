"""Several threads for one large computation: workers that are hired when they are first needed, and anew after a fork.

An exception may reach a thread between any two steps of Python: Ctrl-C, or one that another thread sets. So there is
no state of the job that Python has to put right. Having the job, describing it, running it, waiting for others and
leaving it is one call of machine code, `together`; so is hiring, and so is a change of the number of workers. Before
such a call nothing has happened, behind it everything has. What a part of a job raises, Ctrl-C included, waits in
machine code until all parts that others began have ended, for they use the arrays; then the call raises it.

At the interpreter's end workers are told to go, for good; whatever computes later does so alone.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from ..kernels.compile.loading import load_compiler
from . import layout
from .layout import (
    ABSENT,
    ADDRESS,
    ALONE,
    BED,
    DONE,
    FORKED,
    HIRE,
    MOST_WORKERS,
    NEVER,
    PYTHON,
    RESIZE,
    TOGETHER,
    J,
    R,
    words,
)
from .thread_count import get_num_threads

NONE_FOR_GOOD = -1  # workers
PATIENCE = 1.0  # seconds in which workers may finish what they do when the interpreter ends
_Word = ctypes.c_ssize_t


@cache
def _managers() -> tuple[Any, Any]:
    """`manage` of manager.py, called with the interpreter, and called so that other threads have it meanwhile."""
    load_compiler()
    from .manager import compiled

    manage, live = compiled()
    for code in (manage, live):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(code))  # workers run it until the process is gone
    words[[J.manager // 8, J.life // 8]] = manage.address, live.address
    _want()
    kinds = (ctypes.PYFUNCTYPE, ctypes.CFUNCTYPE)
    return tuple(kind(_Word, _Word, _Word, _Word)(manage.address) for kind in kinds)  # type: ignore[return-value]


def _want() -> None:
    """Note how many workers there may be, and from which size on they are worth their while."""
    if words[J.wanted // 8] > NONE_FOR_GOOD:
        wanted = min(get_num_threads() - 1, MOST_WORKERS)
        words[J.large // 8] = layout.LARGE if wanted else NEVER
        words[J.wanted // 8] = wanted


@cache
def hirer() -> Callable[[], int]:
    """What starts the workers and says how many there are: a call of machine code, so that nothing interrupts it."""
    return partial(_managers()[0], ADDRESS, HIRE, 0)


def has_workers() -> bool:
    """Whether there are any, who are hired if need be."""
    return bool(words[J.workers // 8]) or (words[J.wanted // 8] > NONE_FOR_GOOD and hirer()() > 0)


def together(request: np.ndarray) -> int:
    """Run a job of compiled code, described as Request says; ALONE where others have the workers, or there are none."""
    if not has_workers():
        return ALONE
    return int(_managers()[1](ADDRESS, TOGETHER, request.__array_interface__["data"][0]))


def in_parts(count: int, unit: int, task: Callable[[int, int], object]) -> None:
    """task(first, last) for ranges that cover range(count), one for each thread; they begin at multiples of `unit`."""
    if count <= unit or get_num_threads() == 1 or not has_workers():
        task(0, count)
        return
    units = -(-count // unit)
    parts = min(get_num_threads(), units, MOST_WORKERS + 1)
    ends = [min(units * k // parts * unit, count) for k in range(parts + 1)]
    calls = tuple(zip(ends, ends[1:], strict=False))
    request = np.zeros(len(R), np.int64)
    request[:] = PYTHON, id(task), 0, count, unit, parts, id(calls), 0, 0, 0
    if _managers()[0](ADDRESS, TOGETHER, request.ctypes.data) != DONE:  # or it has raised
        task(0, count)


def resize() -> None:
    """As many workers as `set_num_threads` allows; they come when they are needed, and go by themselves."""
    if not words[J.manager // 8]:
        return  # nobody was hired yet, and who loads the manager asks
    wanted = min(get_num_threads() - 1, MOST_WORKERS)
    words[J.large // 8] = layout.LARGE if wanted and words[J.wanted // 8] > NONE_FOR_GOOD else NEVER
    _managers()[0](ADDRESS, RESIZE, wanted)


def present() -> int:
    """How many workers there are that have not gone."""
    beds = words[J.beds // 8 : (J.beds + BED * MOST_WORKERS) // 8 : BED // 8]
    return int(np.count_nonzero(beds != ABSENT))


def _close() -> None:
    """The interpreter ends: no more jobs. Workers finish what they do, in a second or else when the process is gone."""
    words[J.large // 8] = NEVER
    if words[J.manager // 8]:
        _managers()[0](ADDRESS, RESIZE, NONE_FOR_GOOD)
    words[J.wanted // 8] = NONE_FOR_GOOD
    patience = time.monotonic() + PATIENCE
    while present() and time.monotonic() < patience:
        time.sleep(0.0002)


def _forked() -> None:
    """In a process that was forked there is nobody but the thread that did it."""
    if words[J.manager // 8]:
        _managers()[0](ADDRESS, FORKED, 0)


atexit.register(_close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
