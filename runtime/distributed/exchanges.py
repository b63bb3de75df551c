"""Collectives in which each rank has something for each: all_to_all."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from . import buffers
from .collectives import finished
from .groups import algorithms, header
from .groups.work import Work
from .world import member_for


def all_to_all(output_tensor_list: Any, input_tensor_list: Any, group: Any = None, async_op: bool = False) -> Any:
    """Send each rank a tensor of a list, and write those that come into another.

    Args:
        output_tensor_list: a tensor for what comes from each rank; shapes may differ.
        input_tensor_list: a tensor for each rank.
        group: the process group; the default one when left out.
        async_op: whether the call returns at once.

    Returns:
        A Work to wait for if `async_op`, else None.

    Raises:
        ValueError: there are not as many tensors as ranks, or their dtypes differ.
        DistBackendError: a rank sends more or fewer numbers than another expects.
    """
    chosen = member_for("all_to_all", group)
    into = buffers.tensors("all_to_all", output_tensor_list, "output_tensor_list")
    arg = buffers.tensors("all_to_all", input_tensor_list, "input_tensor_list")
    if chosen is None:
        return None
    for result, parameter in ((into, "output_tensor_list"), (arg, "input_tensor_list")):
        if len(result) != chosen.size():
            raise ValueError(
                f"all_to_all(): {parameter} has {len(result)} tensors, but the group {chosen.size()} ranks"
            )
    buffers.same_dtype(*arg, *into)
    every, then = buffers.parts(into)
    sizes_in, sizes_out = [value.numel() for value in into], [value.numel() for value in arg]
    concatenated = buffers.concatenated(arg)
    steps = algorithms.all_to_all(chosen.link, every, sizes_in, concatenated, sizes_out, then, chosen.ranks)
    return finished(chosen.begin(header.called("all_to_all", arg[0]._dtype.name), steps, 2, into), async_op)


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
        group: the process group; the default one when left out.
        async_op: whether the call returns at once.

    Returns:
        A Work to wait for if `async_op`, else None.

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
    return finished(chosen.begin(header.called(name, value._dtype.name), steps, 2, [into]), async_op)


def _splits(value: Any, rows: Sequence[int] | None, size: int) -> list[int]:
    """How many elements go to or come from each rank; a RuntimeError where the rows cannot be split so."""
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
