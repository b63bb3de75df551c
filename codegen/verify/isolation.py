"""Tasks in processes of their own: one that dies or takes too long is killed and replaced, and `Lost` is its answer."""

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

# no package of an earlier run is loaded there, numba may be set up anew
SPAWN_CONTEXT = multiprocessing.get_context("spawn")
LONGEST_CALL = 1000  # bytes
ENDING = 5.0  # seconds for a process to end by itself, once it has been told

Task = tuple[Callable[..., Any], tuple[Any, ...]]  # a function of a module, and what it is called with


arguments_at: dict[int, str] = {}  # by the addresses of arrays: the arguments of the call in hand
QUIET = {"SPECGRAD_COMPILE_LOG": "0"}  # of kernels that are compiled: the command says how far it is


@dataclass(frozen=True)
class Lost:
    how: str  # "killed the process: Segmentation fault", "did not end in 60 s"
    died: bool  # the process did, by itself
    call: str = ""  # what it was last about to call

    def __str__(self) -> str:
        return self.how + (f", at {self.call}" if self.call else "")


class Worker:
    def __init__(self, environment: Mapping[str, str], from_end: bool) -> None:
        self.from_end = from_end
        self.link, theirs = SPAWN_CONTEXT.Pipe()
        self.call = SPAWN_CONTEXT.RawArray("c", LONGEST_CALL)
        self.process = SPAWN_CONTEXT.Process(target=serve, args=(theirs, self.call), daemon=True)
        with patch.dict(os.environ, {**QUIET, **environment}):
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
            return self.lost(f"killed the process: {cause(self.process.exitcode)}", died=True), False

    def lost(self, how: str, died: bool) -> Lost:
        return Lost(how, died, self.call.value.decode(errors="replace"))

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
            yield worker, worker.lost(f"did not end in {seconds:g} s", died=False), False


def cause(status: int | None) -> str:
    if status is not None and status < 0:
        with suppress(ValueError):
            return signal.strsignal(-status) or signal.Signals(-status).name
    return f"exit status {status}"


# What the processes run.


def serve(link: Connection, call: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started us ends us
    _call.append(call)
    with suppress(EOFError):  # who started us is gone
        while (task := link.recv()) is not None:
            function, arguments = task
            call.value = b""
            try:
                answer = function(*arguments)
            except Exception as error:
                answer = error
            link.send((answer, not _spoilt))


_call: list[Any] = []  # memory that the process which waits for the answer sees too
_spoilt: list[str] = []  # why this process is not to be used again


def note_call(text: str) -> None:
    """Tell who waits for the answer what is about to be called: it may be the last thing that this process does."""
    for call in _call:
        call.value = text.encode()[: LONGEST_CALL - 1]


def note_argument(array: np.ndarray, argument: str) -> None:
    """Damage to the array's memory is reported as that of an argument."""
    owner = array if array.base is None else array.base
    if isinstance(owner, np.ndarray):
        arguments_at[owner.__array_interface__["data"][0]] = argument


def forget_arguments() -> None:
    arguments_at.clear()


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
