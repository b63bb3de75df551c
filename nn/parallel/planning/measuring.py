"""The constants of the machine that this runs on, measured by its ranks with each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import log2
from time import perf_counter
from typing import Any

import numpy as np

from ....runtime.creation import from_numpy
from ....runtime.distributed import collectives, gathering
from ....runtime.distributed.groups.process_group import ProcessGroup
from ....runtime.distributed.groups.reduce_op import ReduceOp
from ....runtime.pool.thread_count import available_cpus
from . import costs
from .costs import Network
from .machine import Machine

_SIZES = (8, 2**16, 2**19, 2**21, 2**23)  # bytes
_SECONDS = 0.06  # for each size
_BLOCKS = 12
_SIDE = 256  # of the product that stands for computation


def best(call: Callable[[], object], calls: int, blocks: int = _BLOCKS) -> float:
    """Seconds of a call: of blocks of calls the best, so that what the machine does besides falls out."""
    matches = []
    for _ in range(blocks):
        begin = perf_counter()
        for _ in range(calls):
            call()
        matches.append((perf_counter() - begin) / calls)
    return min(matches)


def _numbers(size: int) -> Any:
    return from_numpy(np.zeros(max(1, size // 4), np.float32))


def _collective(group: ProcessGroup, call: Callable[[], object], about: float) -> float:
    """Seconds of a collective, which takes about so long: in each block those of the rank that was last."""
    calls, result = max(2, int(_SECONDS / _BLOCKS / about)), []
    for _ in range(_BLOCKS):
        collectives.barrier(group)
        result.append(best(call, calls, 1))
    every = from_numpy(np.array(result))
    collectives.all_reduce(every, ReduceOp.MAX, group)
    return float(every.min())


def reductions(group: ProcessGroup) -> list[tuple[int, float]]:
    """Bytes and seconds of all_reduces."""
    matches = []
    for size in _SIZES:
        call = partial(collectives.all_reduce, _numbers(size), group=group)
        matches.append((size, _collective(group, call, _about(size))))
    return matches


def _about(size: int) -> float:
    return 2e-5 + size / 4e9


def joining() -> float:
    """Bytes a second at which arrays are added."""
    some, others = np.ones(2**20, np.float32), np.ones(2**20, np.float32)
    return some.nbytes / best(lambda: np.add(some, others, out=some), 5)


def fitted(result: Sequence[tuple[int, float]], ranks: int, join: float) -> Network:
    """The latency and bandwidth with which the model comes nearest to what all_reduces took, by relative error.

    Args:
        found: bytes and seconds; the first is a short one, which is doubled recursively, and the others are halved.
        ranks: between so many ranks.
        join: the rate of joining, bytes a second.
    """
    steps = log2(ranks)
    part = (ranks - 1) / ranks
    rows = [(steps if not number else 2 * steps, 2 * part * size) for number, (size, _) in enumerate(result)]
    rest = np.array(
        [seconds - (part * size / join if number else 0.0) for number, (size, seconds) in enumerate(result)]
    )
    weights = 1 / np.array([seconds for _, seconds in result])
    latency, per_byte = np.linalg.lstsq(np.array(rows) * weights[:, None], rest * weights, rcond=None)[0]
    return Network(max(float(latency), 1e-9), 1 / max(float(per_byte), 1e-13), join)


def _computation(group: ProcessGroup, products: int) -> Callable[[], None]:
    """Products of matrices, between which a program drives on what is under way."""
    a = np.ones((_SIDE, _SIDE), np.float32)
    product = np.empty_like(a)

    def compute() -> None:
        for _ in range(products):
            np.matmul(a, a, out=product)
            group.advance()

    return compute


def waiting(group: ProcessGroup, cores: int) -> float:
    """Seconds that a step loses where more ranks than cores compute and then wait for each other: until who has
    something to compute gets the core of one that waits, and who has what it waited for gets one."""
    compute, value = _computation(group, 160), _numbers(8)

    def step() -> None:
        compute()
        collectives.all_reduce(value, group=group)

    collectives.barrier(group)
    alone = best(compute, 1) if group.rank() == 0 else 0.0
    return max(0.0, _collective(group, step, 0.04) - group.size() / cores * last(group, alone))


def last(group: ProcessGroup, seconds: float) -> float:
    """The longest time of all ranks'."""
    result = from_numpy(np.array([seconds]))
    collectives.all_reduce(result, ReduceOp.MAX, group)
    return float(result[0])


def core_share(group: ProcessGroup) -> float:
    """The part of an all_reduce's time by which it makes a computation longer that goes on meanwhile."""
    compute = _computation(group, 32)
    value = _numbers(2**22)

    def both() -> None:
        work = collectives.all_reduce(value, group=group, async_op=True)
        compute()
        assert work is not None
        work.wait()

    alone = _collective(group, lambda: collectives.all_reduce(value, group=group), _about(2**22))
    computing, overlapped = (_collective(group, call, 0.01) for call in (compute, both))
    return min(1.0, max(0.0, (overlapped - computing) / alone))


def measured(group: ProcessGroup) -> tuple[Machine, list[tuple[str, int, float, float]]]:
    """The constants, and for collectives: bytes, seconds that they took, and seconds that the model says."""
    result = reductions(group)
    network = fitted(result, group.size(), joining())
    machine = Machine(available_cpus(), network, network, core_share(group))
    size = group.size()
    lines = [("all_reduce", count, seconds, costs.all_reduce(size, count, network)) for count, seconds in result]
    for count in _SIZES[1:]:
        value, every = _numbers(count // size), _numbers(count // size * size)
        calls: dict[str, Callable[[], object]] = {
            "all_gather": partial(gathering.all_gather_into_tensor, every, value, group),
            "broadcast": partial(collectives.broadcast, every, group=group, group_src=0),
        }
        for name, call in calls.items():
            seconds = _collective(group, call, _about(count))
            lines.append((name, count, seconds, getattr(costs, name)(size, count, network)))
    return machine, lines
