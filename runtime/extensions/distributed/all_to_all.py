"""Collectives that bring tensors of ranks together, share them out, or have something of each rank for each."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from . import buffers
from .collectives import arithmetic, call_description, finished
from .groups import algorithms, point_to_point
from .groups.algorithms import nothing, once
from .groups.reduce_op import ReduceOp
from .groups.work import Work, raw
from .world import member_for, rank_in


def _list(name: str, values: Any, parameter: str, size: int, each: Any) -> list[Any]:
    result = buffers.tensors(name, values, parameter)
    _for_each_rank(name, parameter, result, size)
    buffers.same_dtype(each, *result)
    buffers.same_shape(name, each._shape, result, parameter)
    return result


def _for_each_rank(name: str, parameter: str, values: Sequence[Any], size: int) -> None:
    if len(values) != size:
        raise ValueError(f"{name}(): {parameter} has {len(values)} tensors, but the group {size} ranks")


def all_gather(tensor_list: Any, tensor: Any, group: Any = None, async_op: bool = False) -> Work | None:
    """Write the tensors of all ranks into a list.

    Args:
        tensor_list: a tensor for each rank, like `tensor`.
        tensor, group, async_op: as of `all_reduce`, as are what is returned and raised.
    """
    chosen = member_for("all_gather", group)
    value = buffers.tensor("all_gather", tensor)
    if chosen is None:
        return None
    into = _list("all_gather", tensor_list, "tensor_list", chosen.size(), value)
    every, then = buffers.parts(into)
    steps = once(then, chosen.link.all_gather, raw(every), raw(buffers.numbers(value)))
    return finished(chosen.begin(call_description("all_gather", value), steps, 1, into), async_op)


def all_gather_into_tensor(output_tensor: Any, input_tensor: Any, group: Any = None, async_op: bool = False) -> Any:
    """Write the tensors of all ranks into one, along the first dimension or along a new one.

    Args:
        output_tensor: of n times as many elements, of shape (n * s, ...) or (n, s, ...).
        input_tensor: this rank's, of shape (s, ...), of one shape and dtype on all ranks.
        group, async_op: as of `all_reduce`, as is what is returned.

    Raises:
        ValueError: the output's size does not fit.
    """
    name = "all_gather_into_tensor"
    chosen = member_for(name, group)
    into, value = buffers.tensor(name, output_tensor, "output_tensor"), buffers.tensor(name, input_tensor)
    if chosen is None:
        return None
    _sizes(name, into, value, chosen.size(), "output", "input")
    every, then = buffers.target(name, into)
    steps = once(then, chosen.link.all_gather, raw(every), raw(buffers.numbers(value)))
    return finished(chosen.begin(call_description(name, value), steps, 1, [into]), async_op)


def _sizes(name: str, full: Any, part: Any, size: int, full_name: str, part_name: str) -> None:
    buffers.same_dtype(full, part)
    if full.numel() != size * part.numel():
        raise ValueError(
            f"{name}(): {full_name} tensor size must be equal to world_size times {part_name} tensor size, but got "
            f"{list(full._shape)} and {list(part._shape)} for {size} ranks"
        )


def gather(
    tensor: Any,
    gather_list: Any = None,
    dst: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Write the tensors of all ranks into a list of one of them.

    Args:
        gather_list: where the result is wanted, a tensor for each rank.
        dst: the rank in the world that gets it; the group's first when left out.
        group_dst: the rank in the group instead of `dst`.
        tensor, group, async_op: as of `all_reduce`, as is what is returned.

    Raises:
        ValueError: the list is missing, or there where the result is not wanted.
    """
    chosen = member_for("gather", group)
    value = buffers.tensor("gather", tensor)
    if chosen is None:
        return None
    root = rank_in("gather", chosen, dst, group_dst, 0)
    _only_at("gather_list", gather_list, chosen.rank() == root, "destination")
    into = _list("gather", gather_list, "gather_list", chosen.size(), value) if gather_list else []
    every, then = buffers.parts(into) if into else (None, nothing)
    steps = once(then, chosen.link.gather, None if every is None else raw(every), raw(buffers.numbers(value)), root)
    return finished(chosen.begin(call_description("gather", value, f"to {root}"), steps, 1, into), async_op)


def _only_at(parameter: str, values: Any, requested: bool, rank_role: str) -> None:
    if requested and not values:
        raise ValueError(f"Argument ``{parameter}`` must be specified on {rank_role} rank.")
    if not requested and values:
        raise ValueError(f"Argument ``{parameter}`` must NOT be specified on non-{rank_role} ranks.")


def scatter(
    tensor: Any,
    scatter_list: Any = None,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Write a tensor of one rank's list into each rank's tensor.

    Args:
        tensor: what is written to, of one shape and dtype on all ranks.
        scatter_list: of the rank that shares out, a tensor for each rank.
        src: that rank in the world; the group's first when left out.
        group_src: the rank in the group instead of `src`.
        group, async_op: as of `all_reduce`, as is what is returned.

    Raises:
        ValueError: the list is missing, or there where nothing is shared out.
    """
    chosen = member_for("scatter", group)
    value = buffers.tensor("scatter", tensor)
    if chosen is None:
        return None
    root = rank_in("scatter", chosen, src, group_src, 0)
    _only_at("scatter_list", scatter_list, chosen.rank() == root, "source")
    arg = _list("scatter", scatter_list, "scatter_list", chosen.size(), value) if scatter_list else []
    own, then = buffers.target("scatter", value)
    steps = once(then, chosen.link.scatter, raw(own), raw(buffers.concatenated(arg)) if arg else None, root)
    return finished(chosen.begin(call_description("scatter", value, f"from {root}"), steps, 1, [value]), async_op)


def reduce_scatter(
    output: Any, input_list: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Join the lists of all ranks, tensor by tensor, and give each rank the one of its number.

    Args:
        output: what is written to, of one shape and dtype on all ranks.
        input_list: a tensor for each rank, like `output`.
        op, group, async_op: as of `all_reduce`, as is what is returned.
    """
    chosen = member_for("reduce_scatter", group)
    into = buffers.tensor("reduce_scatter", output, "output")
    if chosen is None:
        return None
    value = _list("reduce_scatter", input_list, "input_list", chosen.size(), into)
    return _reduce_scatter("reduce_scatter", into, buffers.concatenated(value), op, chosen, async_op)


def reduce_scatter_tensor(
    output: Any, input: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Join the tensors of all ranks and give each rank its part along the first dimension.

    Args:
        output: what is written to, of one shape and dtype on all ranks.
        input: n times as many elements; else a ValueError.
        op, group, async_op: as of `all_reduce`, as is what is returned.
    """
    name = "reduce_scatter_tensor"
    chosen = member_for(name, group)
    into, value = buffers.tensor(name, output, "output"), buffers.tensor(name, input, "input")
    if chosen is None:
        return None
    _sizes(name, value, into, chosen.size(), "input", "output")
    return _reduce_scatter(name, into, buffers.numbers(value), op, chosen, async_op)


def _reduce_scatter(name: str, into: Any, value: np.ndarray, op: Any, group: Any, async_op: bool) -> Work | None:
    how = arithmetic(name, op, into, group)
    own, then = buffers.target(name, into)
    steps = algorithms.reduce_scatter(group.link, own.view(how.kind), value.view(how.kind), how, then)
    return finished(group.begin(call_description(name, into, how.name), steps, 1, [into]), async_op)


def all_gather_coalesced(
    output_tensor_lists: Sequence[Sequence[Any]],
    input_tensor_list: Sequence[Any],
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """As `all_gather`, for several tensors.

    Args:
        output_tensor_lists: for each rank, a list of tensors like `input_tensor_list`.
        input_tensor_list: this rank's.
        group, async_op: as of `all_reduce`.

    Returns:
        A Work to wait for (of the last tensor: groups begin calls in order) if `async_op`, else None.
    """
    for name, arg in (("output_tensor_lists", output_tensor_lists), ("input_tensor_list", input_tensor_list)):
        if not isinstance(arg, list | tuple):
            raise TypeError(f"all_gather_coalesced(): {name} must be a list, but got {type(arg).__name__}")
    lists = zip(*output_tensor_lists, strict=True)
    works = [all_gather([*into], value, group, True) for into, value in zip(lists, input_tensor_list, strict=True)]
    last = works.pop() if async_op and works else None
    for work in works:
        if work is not None:
            work.wait()
    return last


def all_to_all(output_tensor_list: Any, input_tensor_list: Any, group: Any = None, async_op: bool = False) -> Any:
    """Send each rank a tensor of a list, and write those that come into another.

    Args:
        output_tensor_list: a tensor for what comes from each rank; shapes may differ.
        input_tensor_list: a tensor for each rank.
        group, async_op: as of `all_reduce`, as is what is returned.

    Raises:
        ValueError: there are not as many tensors as ranks, or their dtypes differ.
        DistBackendError: a rank sends more or fewer numbers than another expects.
    """
    chosen = member_for("all_to_all", group)
    into = buffers.tensors("all_to_all", output_tensor_list, "output_tensor_list")
    arg = buffers.tensors("all_to_all", input_tensor_list, "input_tensor_list")
    if chosen is None:
        return None
    _for_each_rank("all_to_all", "output_tensor_list", into, chosen.size())
    _for_each_rank("all_to_all", "input_tensor_list", arg, chosen.size())
    buffers.same_dtype(*arg, *into)
    every, then = buffers.parts(into)
    sizes_in, sizes_out = [value.numel() for value in into], [value.numel() for value in arg]
    concatenated = buffers.concatenated(arg)
    steps = algorithms.all_to_all(chosen.link, every, sizes_in, concatenated, sizes_out, then, chosen.ranks)
    return finished(chosen.begin(point_to_point.called("all_to_all", arg[0]._dtype.name), steps, 2, into), async_op)


def all_to_all_single(
    output: Any,
    input: Any,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Send each rank a part of a tensor along the first dimension, and write those that come one after the other.

    Args:
        output: what is written to.
        input: what is sent.
        output_split_sizes: how many rows come from each rank; equally many when left out.
        input_split_sizes: how many rows each rank gets; equally many when left out.
        group, async_op: as of `all_reduce`, as is what is returned.

    Raises:
        RuntimeError: sizes that do not fit.
        DistBackendError: a rank sends more or fewer numbers than another expects.
    """
    name = "all_to_all_single"
    chosen = member_for(name, group)
    into, value = buffers.tensor(name, output, "output"), buffers.tensor(name, input, "input")
    if chosen is None:
        return None
    buffers.same_dtype(value, into)
    sizes_in = _splits(into, output_split_sizes, chosen.size())
    sizes_out = _splits(value, input_split_sizes, chosen.size())
    every, then = buffers.target(name, into)
    flat = buffers.numbers(value)
    steps = algorithms.all_to_all(chosen.link, every, sizes_in, flat, sizes_out, then, chosen.ranks)
    return finished(chosen.begin(point_to_point.called(name, value._dtype.name), steps, 2, [into]), async_op)


def _splits(value: Any, rows: Sequence[int] | None, size: int) -> list[int]:
    """How many elements go to or come from each rank."""
    count = value._shape[0] if value._shape else 1
    if not rows:
        if count % size:
            raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
        rows = [count // size] * size
    if len(rows) != size:
        raise RuntimeError("Number of tensor splits not equal to group size")
    if sum(rows) != count or min(rows) < 0:
        raise RuntimeError("Split sizes doesn't match total dim 0 size")
    width = prod(value._shape[1:])
    return [row * width for row in rows]
