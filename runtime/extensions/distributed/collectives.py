"""Collectives that join or copy one tensor of each rank: all_reduce, reduce, broadcast, and the barriers."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from . import buffers
from .groups import algorithms, point_to_point
from .groups.algorithms import Arithmetic, nothing, once
from .groups.errors import DistBackendError
from .groups.process_group import ProcessGroup
from .groups.reduce_op import ReduceOp
from .groups.reduce_op import checked as checked_op
from .groups.work import Work, raw, until
from .world import get_default_group, member_for, rank_in


def finished(work: Work, async_op: bool, timeout: timedelta | None = None) -> Work | None:
    if not async_op:
        work.wait(timeout)
    return work if async_op else None


def arithmetic(name: str, op: Any, value: Any, group: ProcessGroup) -> Arithmetic:
    return Arithmetic(name, checked_op(name, op), value._dtype.np, group.size())


def call_description(name: str, value: Any, *ways: str) -> str:
    return point_to_point.called(name, value._dtype.name, value._shape, *ways)


def all_reduce(tensor: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Work | None:
    """Join the tensors of all ranks, in place, for all of them.

    Formula: tensor[i] = tensor of rank 0[i] + ... + tensor of rank n-1[i]

    Args:
        tensor: the tensor, of one shape and dtype on all ranks.
        op: how numbers are joined, a ReduceOp.
        group: the process group; the default one when left out.
        async_op: whether the call returns at once.

    Returns:
        A Work to wait for if `async_op`, else None.

    Raises:
        DistBackendError: other ranks did not come in time, called something else, or have failed.
    """
    chosen = member_for("all_reduce", group)
    value = buffers.tensor("all_reduce", tensor)
    if chosen is None:
        return None
    how = arithmetic("all_reduce", op, value, chosen)
    values, then = buffers.target("all_reduce", value)
    steps, count = algorithms.all_reduce(chosen.link, values.view(how.kind), how, then)
    return finished(chosen.begin(call_description("all_reduce", value, how.name), steps, count, [value]), async_op)


def all_reduce_coalesced(tensors: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Any:
    """As `all_reduce`, for several tensors of one dtype at once.

    Args:
        tensors: the tensors.
        op, group, async_op: as of `all_reduce`, as is what is returned.
    """
    chosen = member_for("all_reduce_coalesced", group)
    values = buffers.tensors("all_reduce_coalesced", tensors, "tensors")
    if chosen is None or not values:
        return None
    buffers.same_dtype(*values)
    how = arithmetic("all_reduce_coalesced", op, values[0], chosen)
    every, then = buffers.parts(values)
    every[...] = buffers.concatenated(values)
    steps, count = algorithms.all_reduce(chosen.link, every.view(how.kind), how, then)
    shapes = ",".join(str(list(value._shape)) for value in values)
    line = point_to_point.called("all_reduce_coalesced", values[0]._dtype.name, None, shapes, how.name)
    return finished(chosen.begin(line, steps, count, values), async_op)


def reduce(
    tensor: Any,
    dst: int | None = None,
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Join the tensors of all ranks, in place, for one of them; those of the others stay.

    Args:
        dst: the rank in the world that gets the result.
        group_dst: the rank in the group instead of `dst`.
        tensor, op, group, async_op: as of `all_reduce`, as is what is returned.
    """
    chosen = member_for("reduce", group)
    value = buffers.tensor("reduce", tensor)
    if chosen is None:
        return None
    root = rank_in("reduce", chosen, dst, group_dst)
    how = arithmetic("reduce", op, value, chosen)
    values, then = buffers.target("reduce", value) if chosen.rank() == root else (buffers.numbers(value), nothing)
    steps = algorithms.reduce(chosen.link, values.view(how.kind), how, root, then)
    line = call_description("reduce", value, how.name, f"to {root}")
    return finished(chosen.begin(line, steps, 1, [value]), async_op)


def broadcast(
    tensor: Any, src: int | None = None, group: Any = None, async_op: bool = False, group_src: int | None = None
) -> Work | None:
    """Write the tensor of one rank into those of all others.

    Args:
        src: the rank in the world whose tensor it is.
        group_src: the rank in the group instead of `src`.
        tensor, group, async_op: as of `all_reduce`, as is what is returned.
    """
    chosen = member_for("broadcast", group)
    value = buffers.tensor("broadcast", tensor)
    if chosen is None:
        return None
    root = rank_in("broadcast", chosen, src, group_src)
    values, then = (buffers.numbers(value), nothing) if chosen.rank() == root else buffers.target("broadcast", value)
    steps = once(then, chosen.link.broadcast, raw(values), root)
    return finished(chosen.begin(call_description("broadcast", value, f"from {root}"), steps, 1, [value]), async_op)


def barrier(
    group: Any = None, async_op: bool = False, device_ids: Sequence[int] | None = None, timeout: timedelta | None = None
) -> Work | None:
    """Wait until all ranks have come.

    Args:
        device_ids: not looked at.
        timeout: how long to wait; the group's when left out.
        group, async_op: as of `all_reduce`, as is what is returned.
    """
    chosen = member_for("barrier", group)
    if chosen is None:
        return None
    work = chosen.begin(point_to_point.called("barrier"), algorithms.barrier(chosen.link), 1)
    return finished(work, async_op, timeout)


_pending: list[Any] = []  # messages that nobody may have received


def monitored_barrier(group: Any = None, timeout: timedelta | None = None, wait_all_ranks: bool = False) -> None:
    """Wait until all ranks have come; the group's first rank names those that have not in a DistBackendError.

    Args:
        group: the process group; the default one when left out.
        timeout: how long to wait; the group's when left out.
        wait_all_ranks: whether all ranks that have not come are named, and not the first alone.
    """
    chosen = member_for("monitored_barrier", group)
    if chosen is None:
        return
    chosen.monitored += 1
    seconds = (timeout or chosen.timeout).total_seconds()
    if chosen.rank() == 0:
        _first(chosen, seconds, wait_all_ranks)
    else:
        _other(chosen, seconds)
    _pending[:] = [request for request in _pending if not request.done()]


def _tag(group: ProcessGroup) -> int:
    return group.control.last_tag - 1


def _count(group: ProcessGroup) -> np.ndarray:
    return np.array([group.monitored], np.int64).view(np.uint8)


def _first(group: ProcessGroup, seconds: float, wait_all_ranks: bool) -> None:
    missing = set(range(1, group.size()))

    def settled() -> bool:
        missing.difference_update(_arrived(group))
        return not missing or not missing.isdisjoint(_lost(group))

    until(settled, seconds)
    if missing:
        late = [group.ranks[rank] for rank in sorted(missing)]
        named = ", ".join(map(str, late if wait_all_ranks else late[:1]))
        raise DistBackendError(
            f"[Rank {group.ranks[0]}]: Ranks {named} failed to pass monitoredBarrier in {seconds * 1000:.0f} ms"
            + "".join(f"; rank {group.ranks[rank]} {text}" for rank, text in _lost(group).items())
        )
    for rank in range(1, group.size()):
        _pending.append(group.control.send(_count(group), rank, _tag(group)))


def _lost(group: ProcessGroup) -> dict[int, str]:
    """Who will not come any more, by their ranks in the group, and why."""
    return {group.ranks.index(rank): text for rank, text in group.lost().items()}


def _arrived(group: ProcessGroup) -> list[int]:
    """Who has come to this barrier; marks of barriers that were given up are passed over."""
    matches = []
    while (notice := group.control.arrived(_tag(group))) is not None:
        mark = np.empty(notice[1], np.uint8)
        request = group.control.receive(mark, notice[0], _tag(group))
        until(request.done, group.timeout.total_seconds())
        if (mark == _count(group)).all():
            matches.append(notice[0])
    return matches


def _other(group: ProcessGroup, seconds: float) -> None:
    """Tell the first, and wait for its answer."""
    _pending.append(group.control.send(_count(group), 0, _tag(group)))
    answered = False

    def settled() -> bool:
        nonlocal answered
        answered = answered or 0 in _arrived(group)
        return answered or bool(_lost(group))

    until(settled, seconds)
    if not answered:
        world = get_default_group().rank()
        raise DistBackendError(
            f"[Rank {world}]: Rank {group.ranks[0]} did not answer in monitoredBarrier in {seconds * 1000:.0f} ms: it, "
            "or another rank, has not come" + "".join(f"; rank {rank} {text}" for rank, text in group.lost().items())
        )
