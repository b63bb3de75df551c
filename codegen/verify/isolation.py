"""Tasks in processes of their own: one that dies or takes too long is killed and replaced, and `Lost` is its answer.

With SPECGRAD_GUARDS=1 the memory of NumPy's arrays lies between guards, as AddressSanitizer has them: GUARD bytes of
0xFF, which are NaN as floats, looked at when the array is freed. Freed memory is filled with it and waits until KEPT
others have been freed, so that a write to it is found out as well.
"""

import functools
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from specgrad.runtime.compiler.language.functions import Half, external, native
from specgrad.runtime.compiler.language.memory import load, store
from specgrad.runtime.compiler.native_unit import Unit
from specgrad.runtime.native.objects.c_api import handler, set_handler

# no package of an earlier run is loaded there, numba may be set up anew
SPAWN_CONTEXT = multiprocessing.get_context("spawn")
ENDING = 5.0  # seconds for a process to end by itself, once it has been told

Task = tuple[Callable[..., Any], tuple[Any, ...]]  # a function of a module, and what it is called with


@dataclass(frozen=True)
class Lost:
    how: str  # "killed the process: Segmentation fault", "did not end in 60 s"
    died: bool  # the process did, by itself


class Worker:
    def __init__(self, environment: Mapping[str, str], from_end: bool) -> None:
        self.from_end = from_end
        self.link, theirs = SPAWN_CONTEXT.Pipe()
        self.process = SPAWN_CONTEXT.Process(target=serve, args=(theirs,), daemon=True)
        with patch.dict(os.environ, environment):
            self.process.start()
        theirs.close()  # the process alone has that end: the pipe breaks when it dies
        self.number = -1  # of the task in hand
        self.deadline = 0.0

    def give(self, number: int, task: Task, seconds: float) -> None:
        self.number, self.deadline = number, time.monotonic() + seconds
        with suppress(OSError):  # it has died meanwhile, which is seen where its answer is waited for
            self.link.send(task)

    def answer(self) -> Any:
        try:
            return self.link.recv()
        except (EOFError, OSError):
            self.process.join(ENDING)
            return Lost(f"killed the process: {cause(self.process.exitcode)}", died=True), False

    def end(self, at_once: bool = False) -> None:
        if not at_once:
            with suppress(OSError):
                self.link.send(None)
            self.process.join(ENDING)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.link.close()


def answers(
    tasks: Sequence[Task],
    seconds: float,
    processes: int,
    environment: Mapping[str, str] | None = None,
    spare: list[Worker] | None = None,
) -> Iterator[tuple[int, Any]]:
    """(number, answer or `Lost`) of every task, as they end; what one raises is raised.

    A task may take so many seconds, the start of a process included. Every second process begins at the end of the
    list: neighbours often want the same to be compiled, and two processes side by side would both compile it. `spare`
    processes to begin with are given back, with others that may be used again.
    """
    waiting = deque(enumerate(tasks))
    idle: list[Worker] = [] if spare is None else spare
    busy: list[Worker] = []
    try:
        while waiting or busy:
            while waiting and len(busy) < processes:
                from_end = sum(worker.from_end for worker in busy) < len(busy) / 2
                worker = next((w for w in idle if w.from_end == from_end), None) or Worker(environment or {}, from_end)
                idle[:] = [w for w in idle if w is not worker]
                busy.append(worker)
                worker.give(*(waiting.pop() if from_end else waiting.popleft()), seconds)
            for worker, answer, usable in _ended(busy, seconds):
                busy.remove(worker)
                if usable:
                    idle.append(worker)
                else:
                    worker.end(at_once=True)
                if isinstance(answer, Exception):
                    raise answer
                yield worker.number, answer
    finally:
        for worker in busy:
            worker.end(at_once=True)
        if spare is None:
            end_all(idle)


def end_all(workers: Sequence[Worker]) -> None:
    for worker in workers:
        worker.end()


def _ended(busy: Sequence[Worker], seconds: float) -> Iterator[tuple[Worker, Any, bool]]:
    rest = min(worker.deadline for worker in busy) - time.monotonic()
    ready = wait([worker.link for worker in busy], timeout=max(rest, 0))
    now = time.monotonic()
    for worker in list(busy):
        if worker.link in ready:
            yield worker, *worker.answer()
        elif worker.deadline <= now:
            yield worker, Lost(f"did not end in {seconds:g} s", died=False), False


def cause(status: int | None) -> str:
    if status is not None and status < 0:
        with suppress(ValueError):
            return signal.strsignal(-status) or signal.Signals(-status).name
    return f"exit status {status}"


# What the processes run.


def serve(link: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started us ends us
    with suppress(EOFError):  # who started us is gone
        while (task := link.recv()) is not None:
            function, arguments = task
            try:
                answer = function(*arguments)
            except Exception as error:
                answer = error
            link.send((answer, not _spoilt))


_spoilt: list[str] = []  # why this process is not to be used again


def spoil(why: str) -> None:
    _spoilt.append(why)


def limit_memory(more: int) -> None:
    try:
        import resource

        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        max_bytes = used + more if hard == resource.RLIM_INFINITY else min(used + more, hard)
        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        return


GUARD = 64  # bytes; before an array the first eight hold its size
RING_BLOCKS = 512  # blocks
DAMAGED, FREED, SIZE, NEXT, RING = range(5)  # words of the state; of the last damaged array its size

_malloc = external("malloc", int, int)
_free = external("free", None, int)
_fill = external("memset", int, int, Half, int)
_copy = external("memcpy", int, int, int, int)
state = np.zeros(RING + RING_BLOCKS, np.int64)
STATE = state.ctypes.data


@native
def is_intact(block: int, first: int, last: int) -> bool:
    fine, slot_count = True, (last - first) // 8
    for i in range(slot_count):
        fine &= load(block, first + 8 * i) == -1
    for i in range(8 * slot_count, last - first):
        fine &= load(block, first + i - 7) >> 56 & 0xFF == 0xFF
    return fine


@native
def allocated(size: int) -> int:
    block = _malloc(size + 2 * GUARD)
    if block == 0:
        return block
    _fill(block, 0xFF, size + 2 * GUARD)
    store(block, 0, size)
    return block + GUARD


@native
def retired(address: int, table: int) -> int:
    block, size = address - GUARD, load(address - GUARD, 0)
    if not is_intact(block, 8, GUARD) or not is_intact(block, GUARD + size, 2 * GUARD + size):
        store(table, 8 * DAMAGED, load(table, 8 * DAMAGED) + 1)
        store(table, 8 * SIZE, size)
    _fill(block + 8, 0xFF, size + 2 * GUARD - 8)
    slot = 8 * (RING + load(table, 8 * NEXT) % RING_BLOCKS)
    store(table, 8 * NEXT, load(table, 8 * NEXT) + 1)
    before = load(table, slot)
    store(table, slot, block)
    if before != 0:
        if not is_intact(before, 8, 2 * GUARD + load(before, 0)):
            store(table, 8 * FREED, load(table, 8 * FREED) + 1)
        _free(before)
    return 0


@native
def malloc(table: int, size: int) -> int:
    return allocated(size)


@native
def calloc(table: int, count: int, size: int) -> int:
    address = allocated(count * size)
    if address != 0:
        _fill(address, 0, count * size)
    return address


@native
def realloc(table: int, address: int, size: int) -> int:
    if address == 0:
        return allocated(size)
    made, before = allocated(size), load(address - GUARD, 0)
    if made != 0:
        _copy(made, address, before if before < size else size)
        retired(address, table)
    return made


@native
def free(table: int, address: int, size: int) -> int:
    return retired(address, table) if address != 0 else 0


@functools.cache
def guarding() -> Any:
    unit = Unit("guards", (malloc, calloc, realloc, free), Path(__file__).read_text)
    return handler(b"specgrad guards", STATE, [*map(unit.address, unit.functions)])


def guard() -> None:
    set_handler(guarding())


def damage() -> dict[str, int]:
    return {"written outside": int(state[DAMAGED]), "written after its end": int(state[FREED])}


def last_size() -> int:
    return int(state[SIZE])
