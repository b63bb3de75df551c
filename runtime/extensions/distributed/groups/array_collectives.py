"""Collectives of arrays that give a new one: what kernels of the ops `all_reduce`, `all_gather`, ... begin on a rank.

Each call begins and returns what waits for it, so that a process that stands for several ranks can begin all of them.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ....dispatch.ranks import Finish, Ranks
from . import algorithms, point_to_point
from .algorithms import Arithmetic, nothing, once
from .reduce_op import RedOpType, ReduceOp
from .work import Steps, raw

_WAYS = {"sum": RedOpType.SUM, "mean": RedOpType.AVG, "amax": RedOpType.MAX, "amin": RedOpType.MIN}
_TAG = 0  # of messages, as of those that name none


class OnArrays(Ranks):
    link: Any
    ranks: list[int]
    begin: Any

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

    def _start(
        self, name: str, shape: Sequence[int], steps: Steps, result: np.ndarray, *ways: str, count: int = 1
    ) -> Finish:
        line = point_to_point.called(name, result.dtype.name, shape, *ways)
        return _all_done([self.begin(line, steps, count)], result)

    def all_reduce(self, own: np.ndarray, reduce: str) -> Finish:
        result = np.array(own, order="C")
        how = Arithmetic("all_reduce", ReduceOp(_WAYS[reduce]), result.dtype, self.size())
        flat = result.reshape(-1).view(how.kind)
        steps, count = algorithms.all_reduce(self.link, flat, how, nothing)
        return self._start("all_reduce", own.shape, steps, result, how.name, count=count)

    def reduce(self, own: np.ndarray, dst: int) -> Finish:
        """The sum of all ranks for one, zeros for the others."""
        result = np.array(own, order="C")
        how = Arithmetic("reduce", ReduceOp(RedOpType.SUM), result.dtype, self.size())
        flat = result.reshape(-1).view(how.kind)
        then = nothing if self.link.rank == dst else lambda: result.fill(0)
        steps = algorithms.reduce(self.link, flat, how, dst, then)
        return self._start("reduce", own.shape, steps, result, how.name, f"to {dst}")

    def broadcast(self, own: np.ndarray, src: int) -> Finish:
        result = np.array(own, order="C")
        steps = once(nothing, self.link.broadcast, raw(result), src)
        return self._start("broadcast", own.shape, steps, result, f"from {src}")

    def all_gather(self, own: np.ndarray) -> Finish:
        """One after the other along a new first dimension."""
        result = np.empty((self.size(), *own.shape), own.dtype)
        steps = once(nothing, self.link.all_gather, raw(result), raw(np.ascontiguousarray(own)))
        return self._start("all_gather", own.shape, steps, result)

    def gather(self, own: np.ndarray, dst: int) -> Finish:
        """As `all_gather`, for one rank; zeros for the others."""
        result = np.zeros((self.size(), *own.shape), own.dtype)
        every = raw(result) if self.link.rank == dst else None
        steps = once(nothing, self.link.gather, every, raw(np.ascontiguousarray(own)), dst)
        return self._start("gather", own.shape, steps, result, f"to {dst}")

    def scatter(self, own: np.ndarray, src: int) -> Finish:
        """The part for this rank along the first dimension, which is gone then."""
        every = raw(np.ascontiguousarray(own)) if self.link.rank == src else None
        result = np.empty(own.shape[1:], own.dtype)
        steps = once(nothing, self.link.scatter, raw(result), every, src)
        return self._start("scatter", own.shape, steps, result, f"from {src}")

    def reduce_scatter(self, own: np.ndarray) -> Finish:
        """The sum of the parts for this rank along the first dimension, which is gone then."""
        result = np.empty(own.shape[1:], own.dtype)
        how = Arithmetic("reduce_scatter", ReduceOp(RedOpType.SUM), result.dtype, self.size())
        flat, into = (array.reshape(-1).view(how.kind) for array in (np.ascontiguousarray(own), result))
        steps = algorithms.reduce_scatter(self.link, into, flat, how, nothing)
        return self._start("reduce_scatter", own.shape, steps, result, how.name)

    def all_to_all(self, own: np.ndarray, into: Sequence[int], out: Sequence[int]) -> Finish:
        value = np.ascontiguousarray(own)
        result = np.empty((sum(into), *own.shape[1:]), own.dtype)
        row = prod(own.shape[1:])
        sizes_in, sizes_out = [count * row for count in into], [count * row for count in out]
        steps = algorithms.all_to_all(self.link, result, sizes_in, value, sizes_out, nothing, self.ranks)
        return self._start("all_to_all", own.shape[1:], steps, result, count=2)

    def send_recv(self, own: np.ndarray, dst: int, src: int) -> Finish:
        """Send to a rank and receive from one, both at once; -1 for none. Zeros where nothing is received."""
        value, result = np.ascontiguousarray(own), np.zeros(own.shape, own.dtype)
        works = []
        if src >= 0:
            works.append(point_to_point.receive(self, own.dtype.name, own.shape, result, src, _TAG, nothing))
        if dst >= 0:
            works.append(point_to_point.send(self, own.dtype.name, own.shape, value, dst, _TAG))
        return _all_done(works, result)


def _all_done(works: Sequence[Any], result: np.ndarray) -> Finish:
    def finish() -> np.ndarray:
        for work in works:
            work.wait()
        return result

    return finish
