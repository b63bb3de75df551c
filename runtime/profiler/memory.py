"""Follows the memory of what ops return: it counts when an op returns it and again, negatively, when it is freed.

Counted is the memory behind tensors that ops returned and that no argument of the op lies in: each allocation once,
with all its bytes, however many views there are of it. Not counted are tensors made without an op (`randn`, `zeros`),
those that were there before, and what a kernel needs only while it runs.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..autograd.saved.mutation import owner_of
from ..locks import new_lock
from ..tensor.base import TensorBase


class Change(NamedTuple):
    """Memory came (`size` above 0) or went, and how much there was then."""

    when: int
    thread: int
    address: int
    size: int
    total: int


class Tally:
    """The memory of the results of one recording: `total` now, `peak` at most, and every change in its order."""

    def __init__(self, innermost: Callable[[], Any]) -> None:
        self.innermost = innermost
        self.alive: dict[int, Any] = {}  # id of the array that owns the memory -> a weak reference
        self.changes: list[Change] = []
        self.total = self.peak = 0
        self.lock = new_lock()  # an array may be freed, and call back, while this thread holds it

    def count(self, result: Any, args: Any, kwargs: Any, record: Any) -> None:
        """Charge `record` with the new memory among what its op returned."""
        made = [array for array in map(owner_of, _tensors((result,))) if id(array) not in self.alive]
        if not made:
            return
        values = {id(owner_of(t)) for t in (*_tensors(args), *_tensors(kwargs.values()))}
        for array in made:
            if id(array) not in values and id(array) not in self.alive:
                self._follow(array, record)

    def _follow(self, array: np.ndarray, record: Any) -> None:
        key, size = id(array), array.nbytes

        def freed(_: Any) -> None:
            if self.alive.pop(key, None) is not None:
                self._change(key, -size, self.innermost())

        self.alive[key] = weakref.ref(array, freed)
        self._change(key, size, record)

    def _change(self, address: int, size: int, record: Any) -> None:
        if record is not None:
            record.bytes += size
        with self.lock:
            self.total += size
            self.peak = max(self.peak, self.total)
            now = time.perf_counter_ns()
            self.changes.append(Change(now, threading.get_native_id(), address, size, self.total))

    def stop(self) -> None:
        """Later frees no longer count, and nothing leads back to the session."""
        self.alive.clear()
        self.innermost = lambda: None


def _tensors(values: Any) -> Iterator[TensorBase]:
    for value in values:
        if isinstance(value, TensorBase):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)
