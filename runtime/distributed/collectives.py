"""Collectives that join or copy one tensor of each rank: all_reduce, reduce, broadcast, and the barriers."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from . import buffers
from .groups import algorithms, header
from .groups.arithmetic import Arithmetic
from .groups.process_group import ProcessGroup
from .groups.reduce_op import ReduceOp
from .groups.reduce_op import checked as checked_op
from .groups.work import Work
from .world import member_for, rank_in


def finished(work: Work, async_op: bool) -> Work | None:
    if async_op:
        return work
    work.wait()
    return None


def arithmetic(name: str, op: Any, value: Any, group: ProcessGroup) -> Arithmetic:
    return Arithmetic(name, checked_op(name, op), value._dtype.np, group.size())


def call_description(name: str, value: Any, *ways: str) -> str:
    return header.called(name, value._dtype.name, value._shape, *ways)


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
        op: how numbers are joined, a ReduceOp.
        group: the process group; the default one when left out.
        async_op: whether the call returns at once.

    Returns:
        A Work to wait for if `async_op`, else None.
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
    line = header.called("all_reduce_coalesced", values[0]._dtype.name, None, shapes, how.name)
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
        tensor: the tensor, of one shape and dtype on all ranks.
        dst: the rank in the world that gets the result.
        op: how numbers are joined, a ReduceOp.
        group: the process group; the default one when left out.
        async_op: whether the call returns at once.
        group_dst: the rank in the group instead of `dst`.

    Returns:
        A Work to wait for if `async_op`, else None.
    """
    chosen = member_for("reduce", group)
    value = buffers.tensor("reduce", tensor)
    if chosen is None:
        return None
    root = rank_in("reduce", chosen, dst, group_dst)
    how = arithmetic("reduce", op, value, chosen)
    values, then = buffers.target("reduce", value) if chosen.rank() == root else (buffers.numbers(value), _nothing)
    steps = algorithms.reduce(chosen.link, values.view(how.kind), how, root, then)
    return finished(
        chosen.begin(call_description("reduce", value, how.name, f"to {root}"), steps, 1, [value]), async_op
    )


def _nothing() -> None: ...


def broadcast(
    tensor: Any, src: int | None = None, group: Any = None, async_op: bool = False, group_src: int | None = None
) -> Work | None:
    """Write the tensor of one rank into those of all others.

    Args:
        tensor: the tensor, of one shape and dtype on all ranks.
        src: the rank in the world whose tensor it is.
        group: the process group; the default one when left out.
        async_op: whether the call returns at once.
        group_src: the rank in the group instead of `src`.

    Returns:
        A Work to wait for if `async_op`, else None.
    """
    chosen = member_for("broadcast", group)
    value = buffers.tensor("broadcast", tensor)
    if chosen is None:
        return None
    root = rank_in("broadcast", chosen, src, group_src)
    values, then = (buffers.numbers(value), _nothing) if chosen.rank() == root else buffers.target("broadcast", value)
    steps = algorithms.broadcast(chosen.link, values, root, then)
    return finished(chosen.begin(call_description("broadcast", value, f"from {root}"), steps, 1, [value]), async_op)


def barrier(
    group: Any = None,
    async_op: bool = False,
    device_ids: Sequence[int] | None = None,
    timeout: datetime.timedelta | None = None,
) -> Work | None:
    """Wait until all ranks have come.

    Args:
        group: the process group; the default one when left out.
        async_op: whether the call returns at once.
        device_ids: not looked at.
        timeout: how long to wait; the group's when left out.

    Returns:
        A Work to wait for if `async_op`, else None.
    """
    chosen = member_for("barrier", group)
    if chosen is None:
        return None
    work = chosen.begin(header.called("barrier"), algorithms.barrier(chosen.link), 1)
    if async_op:
        return work
    work.wait(timeout)
    return None
