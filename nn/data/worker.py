"""A worker process: fetches batches and sends them to the process that trains.

Messages to a worker: NEW_PASS, or (what the sampler gave,), or None to end. Messages back: (kind, value).
"""

from __future__ import annotations

import contextlib
import io
import queue
import random
import threading
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

from ...generated.tensor import Tensor
from ...runtime.device.threads.parallel_for import set_num_threads
from ...runtime.tensor.generator import manual_seed
from .collate import Source
from .dataset import IterableDataset
from .worker_info import WorkerInfo, set_worker_info

NEW_PASS = "new pass"
DATA, ERROR, END = range(3)


class Failure:
    """An exception of a worker as it travels to the parent: its class and its traceback as text."""

    def __init__(self, error: BaseException, where: str) -> None:
        self.name = type(error).__name__
        self.kind: type | None = type(error)
        self.where = where
        self.text = "".join(traceback.format_exception(error))

    def reraise(self) -> None:
        message = f"Caught {self.name} {self.where}.\nOriginal {self.text}"
        if self.kind is KeyError:
            message = _Unquoted(message)
        try:
            error = RuntimeError(message) if self.kind in (None, StopIteration) else self.kind(message)
        except Exception:
            error = RuntimeError(message)
        raise error


class _Unquoted(str):
    """A message that KeyError shows as it is instead of with escaped line ends."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class _Pickler(ForkingPickler):
    """Sends a tensor's own elements, by value: not the whole storage that it may be a small view of, and no descriptor
    of memory, which the worker would have to live for."""

    def reducer_override(self, obj: Any) -> Any:
        if not isinstance(obj, Tensor):
            return NotImplemented
        if obj.numel() < len(obj._storage):
            obj = obj.detach().clone().requires_grad_(obj.requires_grad)
        return obj.__reduce_ex__(2)


def _packed(message: tuple[int, Any], where: str) -> bytes:
    buffer = io.BytesIO()
    try:
        _Pickler(buffer, 5).dump(message)
        return buffer.getvalue()
    except Exception as error:
        kind, value = message
        failure = value if kind == ERROR else Failure(error, where)
        failure.kind = None if kind == ERROR else failure.kind  # a class that cannot be pickled is named in the text
        return _packed((ERROR, failure), where)


class _Sender:
    """Sends from a thread of its own, so that the next batch is fetched while the parent is busy."""

    def __init__(self, results: Connection) -> None:
        self.results = results
        self.messages: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        with contextlib.suppress(OSError):  # the parent has gone or has dropped the iterator
            while (message := self.messages.get()) is not None:
                self.results.send_bytes(message)

    def finish(self) -> None:
        self.messages.put(None)
        self.thread.join()


def run(
    number: int,
    count: int,
    seed: int,
    source: Source,
    init_fn: Callable[[int], Any] | None,
    tasks: Connection,
    results: Connection,
    foreign: Sequence[Connection],
) -> None:
    """The worker's life: until the parent says None or is gone. `foreign` are the parent's ends of pipes."""
    for end in foreign:
        end.close()
    set_worker_info(WorkerInfo(number, count, seed, source.dataset))
    where = f"in DataLoader worker process {number}"
    set_num_threads(1)  # there are as many processes as the user wants at work
    _seed(seed)
    sender = _Sender(results)
    answer = _Answering(source, init_fn, number, where)
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while (task := tasks.recv()) is not None:
            if task == NEW_PASS:
                answer.start_pass()
            else:
                sender.messages.put(_packed(answer(task[0]), where))
        sender.finish()


class _Answering:
    """Turns tasks into messages; an exception, also one at the start, is a message like others."""

    def __init__(self, source: Source, init_fn: Callable[[int], Any] | None, number: int, where: str) -> None:
        self.source, self.where = source, where
        self.failed: Failure | None = None
        self.fetch: Callable[[Any], Any] | None = None
        try:
            if init_fn is not None:
                init_fn(number)
        except Exception as error:
            self.failed = Failure(error, where)

    def start_pass(self) -> None:
        self.fetch = None

    def __call__(self, index: Any) -> tuple[int, Any]:
        if self.failed is not None:
            return ERROR, self.failed
        try:
            if self.fetch is None:
                self.fetch = self.source.fetcher()
            return DATA, self.fetch(index)
        except StopIteration as error:
            is_end = isinstance(self.source.dataset, IterableDataset)
            return (END, None) if is_end else (ERROR, Failure(error, self.where))
        except Exception as error:
            return ERROR, Failure(error, self.where)


def _seed(seed: int) -> None:
    random.seed(seed)
    manual_seed(seed)
    np.random.seed(seed % 2**32)
