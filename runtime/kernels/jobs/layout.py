"""The one computation that several threads share: where its description lies in memory, which compiled code reads."""

from __future__ import annotations

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
AWAKE, ASLEEP, ABSENT = range(3)
HAVE, POST, CLAIM, FINISH, AWAIT, LEAVE, WAKE, RUN, SERVE = range(9)  # what somebody wishes of the job


class Job(NamedTuple):
    """Distances of what is known of the job from its address."""

    ticket: int  # the number of the job, the last part that is left + 1, the first part that is left
    finished: int  # how many parts are
    owned: int  # whether a thread has the job
    stop: int  # whether the workers are to end
    large: int  # elements from which work is shared
    workers: int  # how many threads there are beside those that compute anyway
    failed: int  # whether a kernel raised
    manager: int  # the address of the function that is told such wishes
    kind: int
    kernel: int
    arrays: int  # how many it takes, or how many of them are sliced
    extent: int  # how many elements or rows; parts begin at multiples of `unit`
    unit: int
    parts: int
    words: int  # the address of the frame that the kernel is called with
    more: int  # and of what else a job of this kind needs
    place: int  # of the ints that say which part it is
    beds: int  # (AWAKE or ASLEEP or ABSENT, the lock that wakes it) of each worker


J = Job._make([0, LINE, *range(2 * LINE, 2 * LINE + 8 * (len(Job._fields) - 3), 8), 4 * LINE])
INTEGERS = J.beds // 8 + 2 * MOST_WORKERS  # where those of a call that Python describes stand; then its numbers,
NUMBERS = INTEGERS + CALL_INTEGERS
SLICED = NUMBERS + CALL_NUMBERS  # and the places of the arrays among the integers that are sliced
words = np.zeros(SLICED + MOST_SLICED, np.int64)
words[J.large // 8] = LARGE
ADDRESS = words.ctypes.data
