"""The parent's side of worker processes: start, tasks, batches in order, and a clear error when one dies."""

import contextlib
import multiprocessing
import os
import signal
import time
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.reduction import ForkingPickler
from pickle import PicklingError
from typing import Any, NamedTuple

from . import worker as worker_side
from .collate import Source

_GRACE = 5.0  # seconds that workers get to end by themselves
_NOT_PICKLED = (
    "Got pickle error when attempting to start a worker Process. This might be because the worker Process arguments "
    "are not picklable. Python 3.14+ changed the multiprocessing start method in non-Mac POSIX platforms to "
    "'forkserver', which requires the worker Process arguments to be picklable. You can also try "
    "multiprocessing.set_start_method('fork')."
)


class _Worker(NamedTuple):
    process: Any
    tasks: Connection
    results: Connection


class WorkerPool:
    """Workers that make the batches of one pass after another.

    Task k goes to the next worker in turn; a worker answers in the order of its tasks, so reading the answers in the
    same turn gives the batches in order. `pending` holds whose answer comes next.
    """

    def __init__(
        self,
        context: Any,
        count: int,
        seed: int,
        source: Source,
        init_fn: Callable[[int], Any] | None,
        prefetch: int,
        timeout: float,
    ) -> None:
        self.timeout, self.prefetch = timeout, prefetch
        self.workers: list[_Worker] = []
        self.pending: deque[int] = deque()
        self.active: list[bool] = []
        self.turn = 0
        self.passes = 0
        self.tasks: Iterator[Any] = iter(())
        self.close = weakref.finalize(self, _end, self.workers, os.getpid())
        for number in range(count):
            arguments = (number, count, seed + number, source, init_fn)
            self.workers.append(_start(context, arguments, self.workers))

    def is_running(self) -> bool:
        return self.close.alive

    def start_pass(self, tasks: Iterator[Any]) -> int:
        while self.pending:
            self._receive(self.pending.popleft())
        self.tasks = tasks
        self.active = [True] * len(self.workers)
        self.turn = 0
        for number in range(len(self.workers)):
            self._send(number, worker_side.NEW_PASS)
        for _ in range(self.prefetch * len(self.workers)):
            self._hand_out()
        self.passes += 1
        return self.passes

    def next_batch(self) -> Any:
        while self.pending:
            number = self.pending.popleft()
            kind, value = self._receive(number)
            if kind == worker_side.END:
                self.active[number] = False
            self._hand_out()
            if kind == worker_side.DATA:
                return value
            if kind == worker_side.ERROR:
                value.reraise()
        raise StopIteration

    def _hand_out(self) -> None:
        count = len(self.workers)
        worker_order = ((self.turn + i) % count for i in range(count))
        number = next((n for n in worker_order if self.active[n]), None)
        if number is None:
            return
        for task in self.tasks:
            self._send(number, (task,))
            self.pending.append(number)
            self.turn = number + 1
            return

    def _send(self, number: int, message: Any) -> None:
        with contextlib.suppress(OSError):  # that a worker is gone is reported when its answer is due
            self.workers[number].tasks.send(message)

    def _receive(self, number: int) -> tuple[int, Any]:
        process, _, results = self.workers[number]
        ready = wait([results, process.sentinel], self.timeout or None)
        if not ready:
            self.pending.appendleft(number)
            raise RuntimeError(f"DataLoader timed out after {self.timeout} seconds")
        try:
            if results in ready:
                return ForkingPickler.loads(results.recv_bytes())
        except (EOFError, OSError):
            pass
        return self._report_death(number)

    def _report_death(self, number: int) -> Any:
        process = self.workers[number].process
        process.join(_GRACE)
        code, pid = process.exitcode, process.pid
        self.pending.clear()
        self.close()
        if code is not None and code < 0:
            cause = f"is killed by signal: {signal.strsignal(-code)}. "
        else:
            cause = f"exited unexpectedly with exit code {code}. Details are lost due to multiprocessing. "
        raise RuntimeError(
            f"DataLoader worker (pid {pid}) {cause}Rerunning with num_workers=0 may give better error trace."
        )


def _start(context: Any, arguments: tuple[Any, ...], earlier: list[_Worker]) -> _Worker:
    task_end, tasks = context.Pipe(duplex=False)
    results, result_end = context.Pipe(duplex=False)
    # Each end of a pipe is held by one process only, so that each sees at once when the other is gone. A forked
    # worker therefore closes the parent's ends, those of the earlier workers too.
    forked = context.get_start_method() == "fork"
    foreign = [tasks, results, *(end for w in earlier for end in (w.tasks, w.results))] if forked else []
    arguments = (*arguments, task_end, result_end, foreign)
    process = context.Process(target=worker_side.run, args=arguments, daemon=True)
    try:
        process.start()
    except (TypeError, AttributeError, PicklingError):  # which one, depends on the object and on Python's version
        warnings.warn(_NOT_PICKLED, stacklevel=2)
        raise
    task_end.close()
    result_end.close()
    return _Worker(process, tasks, results)


def _end(workers: list[_Worker], owner: int) -> None:
    """End all workers: asked first, then forced. Does nothing in a process that only inherited them."""
    if os.getpid() != owner:
        return
    for worker in workers:
        with contextlib.suppress(OSError):
            worker.tasks.send(None)
        worker.tasks.close()
        worker.results.close()
    deadline = time.monotonic() + _GRACE
    for worker in workers:
        worker.process.join(max(0.0, deadline - time.monotonic()))
        if worker.process.is_alive():
            worker.process.terminate()
            worker.process.join(1.0)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
    workers.clear()


def context_of(chosen: Any) -> Any:
    if chosen is None or isinstance(chosen, str):
        valid = multiprocessing.get_all_start_methods()
        if chosen is not None and chosen not in valid:
            raise ValueError(
                f"multiprocessing_context option should specify a valid start method in {valid!r}, but got "
                f"multiprocessing_context={chosen!r}"
            )
        return multiprocessing.get_context(chosen)
    if not isinstance(chosen, BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the start "
            f"method, but got multiprocessing_context={chosen}"
        )
    return chosen
