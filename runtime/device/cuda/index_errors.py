"""Indices out of bounds on a device: kernels skip them, and note the first in memory that is read when a program waits.
Each stream of a device, and each graph, has three int64: a ticket, which stands for an error and its text, 0 where all
is well, the index and the number of places."""

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ...errors import BadIndexError
from ...locks import new_lock
from . import graph_capture
from .allocator import allocate
from .array import DeviceArray
from .current import current_stream
from .driver import chosen, driver
from .dry_run import beyond_launches, unrehearsed, word_noted
from .graph_capture import Capture

INT64 = np.dtype(np.int64)
SIZE = 3


class Ticket(NamedTuple):
    error: type[Exception]
    text: str  # of {index} and {size}


class Word:
    """The word of a stream, or of a graph; `state`: 1 where a kernel has got it since it was read, in memory."""

    def __init__(self, device: Any, stream: int) -> None:
        with unrehearsed():
            block = allocate(device.index, SIZE * 8)
            self.array = DeviceArray(block.address, (SIZE,), INT64, block, device)
            self.stream = stream
            self.state = np.zeros(1, INT64)
            self.clear()

    def clear(self) -> None:
        driver().fill(self.array.address, 0, SIZE * 8, self.stream)

    def forget(self) -> None:
        _names.pop((chosen(), self.array.device.index, ~id(self)), None)

    def read(self) -> tuple[int, ...]:
        result = np.empty(SIZE, INT64)
        self.state[0] = 0  # first: a kernel that gets it from now on may be missed
        try:
            driver().copy(result.ctypes.data, self.array.address, SIZE * 8, "d2h", self.stream)
        except BaseException:
            self.state[0] = 1
            raise
        return tuple(result.tolist())


_names: dict[tuple[Any, int, int], Word] = {}  # by driver, device and stream
_tickets: dict[Ticket, int] = {}
_making = new_lock()


def word_for(device: Any) -> DeviceArray:
    capture = graph_capture.here_on(device.index)
    if capture is not None:
        return _word_of(capture, device)
    key = chosen(), device.index, current_stream(device.index)
    with _making:
        cached = _names.get(key)
        if cached is None:
            cached = _names[key] = Word(device, key[2])
    cached.state[0] = 1
    word_noted(cached)
    return cached.array


def _word_of(capture: Capture, device: Any) -> DeviceArray:
    if capture.word is None:
        with capture.aside():
            capture.word = Word(device, capture.side)
    return capture.word.array


def replayed(word: Word, stream: int) -> None:
    """A stream was given the kernels of a graph: what they find is raised where a program waits for that stream."""
    with _making:
        word.stream, word.state[0] = stream, 1
        _names[chosen(), word.array.device.index, ~id(word)] = word


def ticket(op: str, dim: int) -> Any:
    return fault(BadIndexError, f"{op}(): index {{index}} is out of bounds for dimension {dim} with size {{size}}")


def fault(error: type[Exception], text: str) -> Any:
    with _making:
        return np.int64(_tickets.setdefault(Ticket(error, text), len(_tickets) + 1))


def raise_at_once(device: Any) -> None:
    """After a launch: `CUDA_LAUNCH_BLOCKING=1` asks for errors where they are made."""
    if os.environ.get("CUDA_LAUNCH_BLOCKING") == "1" and graph_capture.here_on(device.index) is None:
        beyond_launches()
        raise_if_any(device.index, current_stream(device.index))


def raise_if_any(device: int, stream: int | None = None) -> None:
    """Raise what kernels of a stream, or of a device, have found: an IndexError that is a RuntimeError, too, or a
    RuntimeError for a refused value."""
    for word in _pending(device, stream):
        number, index, size = word.read()
        word.forget()
        if number:
            word.clear()
            error, text = list(_tickets)[number - 1]
            raise error(text.format(index=index, size=size))


def _pending(device: int, stream: int | None) -> Iterable[Word]:
    if not _names:
        return ()
    known = chosen()
    return [
        word
        for (owner, target_device, _), word in list(_names.items())
        if owner is known and target_device == device and word.state[0] and stream in (None, word.stream)
    ]


def _forget() -> None:
    """A child has no device; a function of this module, as the interpreter keeps what it calls beyond all modules."""
    _names.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
