"""The job of the thread pool: where its description lies in memory, which compiled code reads."""

from __future__ import annotations

import ctypes
from struct import pack_into
from typing import Any

import numpy as np

from ...compiler.language.structs import (
    CALL_INTEGERS,
    CALL_NUMBERS,
    WORD_BYTES,
    Atomic,
    Items,
    Struct,
    at,
    capacity,
    fields,
    length,
)

LINE = 64  # bytes that processors hand to each other at once
MAX_WORKERS = 255
LARGE = 1 << 15  # elements of a result from which a second thread is worth its while, which is awake
NEVER = 1 << 62
ALTERNATING_ELEMENTS = 1 << 17  # elements from which computations go through memory to and fro: see turning.py
SECTION = 1 << 15  # elements that are done at a time then, a multiple of SLICE
STANDING = 4096  # elements of an array that stands for as many as there are: all are one number
SLICE = 1024  # elements; slices begin at multiples of it: so each has whole vectors and, but for the last, nothing else
MAX_SLICED = 16
MAX_LOOPS = 6  # over rows: see rows.py
# Kinds of jobs: which function runs a part of it. From STEP on a call for a part may prepare what all results need.
PYTHON, FLAT, ROWS, SLICES, STEP, RANGE = range(6)
ABSENT, AWAKE, ASLEEP = range(3)  # states of a worker's parking slot
RUN, ACQUIRE_AND_RUN, START_WORKERS, RESIZE, FORKED = range(5)  # commands of the scheduler
ALONE, DONE, FAILED = range(3)  # answers to ACQUIRE_AND_RUN; ALONE: there are no workers, or another has the job


class ParkingSlot(Struct):
    """Where a worker waits for work. Which worker occupies it, from ABSENT to AWAKE, starts the thread."""

    state: Atomic
    lock: int  # CPython's lock that wakes it
    job: Job
    reserved: int


class Job(Struct):
    """The one computation that threads share. What is written at different moments lies in different cache lines."""

    cursor: Atomic  # the number of the job, the last part that is left + 1, the first part that is left
    finished: Atomic = at(LINE)  # how many parts are
    requested: Atomic = at(2 * LINE)  # how many workers there may be; those beyond end
    large: int  # elements from which work is shared
    workers: Atomic  # how many threads were started, beside those that compute anyway
    scheduler: int  # the address of the function that runs commands
    worker: int  # the address of the function that workers run
    forks: Atomic  # how many processes lie between this one and the one that loaded this module
    kind: int = at(3 * LINE)
    kernel: int  # of compiled code the address, of Python the function
    arrays: int  # how many it takes, or how many of them are sliced
    extent: int  # how many elements or rows; parts begin at multiples of `unit`
    unit: int
    parts: int
    frame: int  # the address of the frame that the kernel is called with
    more: int  # and of what else a job of this kind needs
    owned: Atomic = at(4 * LINE)  # whether a thread has acquired the job
    failed: Atomic  # whether a kernel raised
    position: int  # of the ints that say which part it is
    work: int  # how much there is to do, in elements
    missed: int  # elements that were computed alone because the workers slept
    sweep_direction: int  # whether the last large computation went backward
    own: int  # the parts of the thread that has a job that goes backward, else 0
    slots: Items[ParkingSlot] = at(5 * LINE, MAX_WORKERS)


class Request(Struct):
    kind: int
    kernel: int
    arrays: int
    extent: int
    unit: int
    parts: int  # of Python: how many
    frame: int  # of Python: a tuple of the arguments of each part
    more: int
    position: int
    integers: Items[int] = capacity(CALL_INTEGERS)  # those of a call
    numbers: Items[float] = capacity(CALL_NUMBERS)
    sliced: Items[int] = capacity(MAX_SLICED)  # the places of the arrays among the integers that are sliced


def request_of(
    head: tuple[int, ...], position: int, integers: list[int], numbers: list[float], sliced: list[int]
) -> Any:
    """The words of a request, as `Request.pack` gives them, in a fifth of the time; `head` is its first fields."""
    made = np.zeros(_REQUEST, np.int64)
    slot_values = made.data
    pack_into(f"{len(head)}q", slot_values, 0, *head)
    pack_into("q", slot_values, _JOB_OFFSETS["position"], position)
    pack_into(f"{len(integers)}q", slot_values, _JOB_OFFSETS["integers"], *integers)
    pack_into(f"{len(numbers)}d", slot_values, _JOB_OFFSETS["numbers"], *numbers)
    pack_into(f"{len(sliced)}q", slot_values, _JOB_OFFSETS["sliced"], *sliced)
    return made


_REQUEST, _JOB_OFFSETS = length(Request), {name: field.distance for name, field in fields(Request).items()}


def _from_a_line_on(value: np.ndarray) -> np.ndarray:
    longer = np.zeros(value.size + LINE // WORD_BYTES, np.int64)
    first = -longer.ctypes.data % LINE // WORD_BYTES
    longer[first : first + value.size] = value
    return longer[first : first + value.size]


slot_values = _from_a_line_on(Job.pack(large=LARGE))
ADDRESS = slot_values.ctypes.data
ctypes.pythonapi.Py_IncRef(ctypes.py_object(slot_values))  # for workers look at it until the process is gone
