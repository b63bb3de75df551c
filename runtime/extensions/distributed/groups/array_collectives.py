"""Collectives of arrays that give a new one: what kernels of the ops `all_reduce`, `all_gather`, ... begin on a rank.

Each call begins and returns what waits for it, so that a process that stands for several ranks can begin all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dispatch.ranks import Finish, Ranks
from . import algorithms, point_to_point
from .algorithms import Arithmetic
from .reduce_op import RedOpType, ReduceOp
from .work import Steps, raw

_WAYS = {"sum": RedOpType.SUM, "mean": RedOpType.AVG, "amax": RedOpType.MAX, "amin": RedOpType.MIN}
_TAG = 0  # of messages, as of those that name none


def _nothing() -> None: ...


class OnArrays(Ranks):
    link: Any
    ranks: list[int]

    def size(self) -> int:
        return int(self.link.size)

    def members(self) -> list[Any]:
        return [self]

    def parts(self, array: np.ndarray) -> list[np.ndarray]:
        return [array]

    def copies(self, array: np.ndarray) -> list[np.ndarray]:
        return [array]

    def run(self, begun: Sequence[Finish]) -> list[np.ndarray]:
        return [finish() for finish in begun]

    def stacked(self, result: Sequence[np.ndarray]) -> np.ndarray:
        return result[0]

    def _start(self, name: str, own: np.ndarray, steps: Steps, count: int, result: np.ndarray, *ways: str) -> Finish:
        begin: Any = self
        return _all_done(
            [begin.begin(point_to_point.called(name, own.dtype.name, own.shape, *ways), steps, count)], result
        )

    def all_reduce(self, own: np.ndarray, reduce: str) -> Finish:
        result = np.array(own, order="C")
        how = Arithmetic("all_reduce", ReduceOp(_WAYS[reduce]), result.dtype, self.size())
        flat = result.reshape(-1).view(how.kind)
        steps, count = algorithms.all_reduce(self.link, flat, how, _nothing)
        return self._start("all_reduce", own, steps, count, result, how.name)

    def reduce(self, own: np.ndarray, dst: int) -> Finish:
        """The sum of all ranks for one, zeros for the others."""
        result = np.array(own, order="C")
        how = Arithmetic("reduce", ReduceOp(RedOpType.SUM), result.dtype, self.size())
        flat = result.reshape(-1).view(how.kind)
        then = _nothing if self.link.rank == dst else lambda: result.fill(0)
        steps = algorithms.reduce(self.link, flat, how, dst, then)
        return self._start("reduce", own, steps, 1, result, how.name, f"to {dst}")

    def broadcast(self, own: np.ndarray, src: int) -> Finish:
        result = np.array(own, order="C")
        steps = algorithms.broadcast(self.link, result.reshape(-1), src, _nothing)
        return self._start("broadcast", own, steps, 1, result, f"from {src}")

    def all_gather(self, own: np.ndarray) -> Finish:
        """One after the other along a new first dimension."""
        value = np.ascontiguousarray(own)
        result = np.empty((self.size(), *own.shape), own.dtype)
        steps = algorithms.all_gather(self.link, result.reshape(-1), value.reshape(-1), _nothing)
        return self._start("all_gather", own, steps, 1, result)

    def gather(self, own: np.ndarray, dst: int) -> Finish:
        """As `all_gather`, for one rank; zeros for the others."""
        value = np.ascontiguousarray(own)
        result = np.zeros((self.size(), *own.shape), own.dtype)
        every = result.reshape(-1) if self.link.rank == dst else None
        steps = algorithms.gather(self.link, every, value.reshape(-1), dst, _nothing)
        return self._start("gather", own, steps, 1, result, f"to {dst}")

    def scatter(self, own: np.ndarray, src: int) -> Finish:
        """The part for this rank along the first dimension, which is gone then."""
        every = np.ascontiguousarray(own).reshape(-1) if self.link.rank == src else None
        result = np.empty(own.shape[1:], own.dtype)
        steps = algorithms.scatter(self.link, result.reshape(-1), every, src, _nothing)
        return self._start("scatter", own, steps, 1, result, f"from {src}")

    def reduce_scatter(self, own: np.ndarray) -> Finish:
        """The sum of the parts for this rank along the first dimension, which is gone then."""
        value = np.ascontiguousarray(own)
        result = np.empty(own.shape[1:], own.dtype)
        how = Arithmetic("reduce_scatter", ReduceOp(RedOpType.SUM), result.dtype, self.size())
        flat, into = value.reshape(-1).view(how.kind), result.reshape(-1).view(how.kind)
        steps = algorithms.reduce_scatter(self.link, into, flat, how, _nothing)
        return self._start("reduce_scatter", own, steps, 1, result, how.name)

    def all_to_all(self, own: np.ndarray, into: Sequence[int], out: Sequence[int]) -> Finish:
        value = np.ascontiguousarray(own)
        result = np.empty((sum(into), *own.shape[1:]), own.dtype)
        row = result[:1].size if len(result) else int(np.prod(own.shape[1:]))
        sizes = [count * row for count in into], [count * row for count in out]
        steps = algorithms.all_to_all(
            self.link, result.reshape(-1), sizes[0], value.reshape(-1), sizes[1], _nothing, self.ranks
        )
        begin: Any = self
        return _all_done(
            [begin.begin(point_to_point.called("all_to_all", own.dtype.name, own.shape[1:]), steps, 2)], result
        )

    def send_recv(self, own: np.ndarray, dst: int, src: int) -> Finish:
        """Send to a rank and receive from one, both at once; -1 for none. Zeros where nothing is received."""
        value, result = np.ascontiguousarray(own), np.zeros(own.shape, own.dtype)
        begin: Any = self
        works = []
        line = point_to_point.line(own.dtype.name, own.size)
        if src >= 0:
            call_description = point_to_point.called("recv", own.dtype.name, own.shape, f"from rank {self.ranks[src]}")
            steps = point_to_point.received(self, result, line, src, _TAG, _nothing)
            works.append(begin.begin_message(call_description, steps, None))
        if dst >= 0:
            call_description = point_to_point.called("send", own.dtype.name, own.shape, f"to rank {self.ranks[dst]}")
            mark = point_to_point.mark(self, line, dst, _TAG)
            steps = algorithms.message(lambda: self.link.send(raw(value), dst, _TAG), _nothing)
            works.append(begin.begin_message(call_description, steps, mark))
        return _all_done(works, result)


def _all_done(works: Sequence[Any], result: np.ndarray) -> Finish:
    def finish() -> np.ndarray:
        for work in works:
            work.wait()
        return result

    return finish
