"""The one computation that several threads share: where its description lies in memory, which compiled code reads."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

LINE = 64  # bytes that processors hand to each other at once
MOST_WORKERS = 255
LARGE = 1 << 16  # elements of a result from which a second thread is worth its while
NEVER = 1 << 62
SLICE = 1024  # elements; slices begin at multiples of it: so each has whole vectors and, but for the last, nothing else
CALL_INTEGERS, CALL_NUMBERS = 96, 8  # of a call; processors pass more numbers than these another way
MOST_SLICED = 16
PYTHON, FLAT, ROWS, STEP, RANGE, SLICES = range(6)  # kinds of jobs: which function runs a part of it
ABSENT, AWAKE, ASLEEP = range(3)
RUN, TOGETHER, HIRE, RESIZE, FORKED = range(5)  # what somebody wishes of the job
ALONE, DONE, FAILED = range(3)  # what came of the wish for work TOGETHER: there was nobody, or another has the job


class Job(NamedTuple):
    """Distances of what is known of the job from its address."""

    ticket: int  # the number of the job, the last part that is left + 1, the first part that is left
    finished: int  # how many parts are
    owned: int  # whether a thread has the job
    wanted: int  # how many workers there may be; those beyond end
    large: int  # elements from which work is shared
    workers: int  # how many threads were hired, beside those that compute anyway
    failed: int  # whether a kernel raised
    manager: int  # the address of the function that is told such wishes
    life: int  # the address of the function that workers run
    forks: int  # how many processes lie between this one and the one that loaded this module
    kind: int
    kernel: int
    arrays: int  # how many it takes, or how many of them are sliced
    extent: int  # how many elements or rows; parts begin at multiples of `unit`
    unit: int
    parts: int
    words: int  # the address of the frame that the kernel is called with
    more: int  # and of what else a job of this kind needs
    place: int  # of the ints that say which part it is
    beds: int  # (ABSENT or AWAKE or ASLEEP, the lock that wakes it, the job) of each worker


class Request(NamedTuple):
    """Distances of what Python says of a job from the address where it says it."""

    kind: int
    kernel: int  # of compiled code the address, of Python the function
    arrays: int
    extent: int
    unit: int
    parts: int  # of Python: how many
    words: int  # of Python: a tuple of the arguments of each part
    more: int
    place: int
    integers: int  # those of a call; then its numbers, and the places of the arrays that are sliced


J = Job._make([0, LINE, *range(2 * LINE, 2 * LINE + 8 * (len(Job._fields) - 3), 8), 5 * LINE])
R = Request(*range(0, 8 * len(Request._fields), 8))
BED = 32  # bytes
NUMBERS = CALL_INTEGERS  # where those of a call stand, counted from its integers,
SLICED = NUMBERS + CALL_NUMBERS  # and to the places of the arrays among the integers that are sliced
CALL_REQUEST = R.integers // 8 + SLICED + MOST_SLICED
words = np.zeros((J.beds + BED * MOST_WORKERS) // 8, np.int64)
words[J.large // 8] = LARGE
ADDRESS = words.ctypes.data
ctypes.pythonapi.Py_IncRef(ctypes.py_object(words))  # for workers look at it until the process is gone
