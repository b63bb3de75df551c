"""Collectives that give new tensors, through which gradients pass: torch.distributed.nn.functional.

The gradient of what a rank gives is by the sum of the losses of all ranks; what it is made of is under `collective` in
derivatives.yaml. All ranks must call them, and go backward through them, in the same order.
"""

from collections.abc import Sequence
from typing import Any

from ...namespace import op as ops
from . import buffers, collectives
from .groups.process_group import ProcessGroup
from .groups.reduce_op import RedOpType, ReduceOp
from .groups.reduce_op import checked as checked_op
from .world import get_default_group, member, rank_in

_LINEAR = {RedOpType.SUM: "sum", RedOpType.AVG: "mean"}
_MIN_MAX = {RedOpType.MAX: "amax", RedOpType.MIN: "amin"}
_WITH_GRADIENT = (RedOpType.SUM, RedOpType.AVG, RedOpType.PRODUCT, RedOpType.MIN, RedOpType.MAX)


def _group(name: str, group: Any) -> ProcessGroup:
    result = member(group)
    if result is None:
        raise ValueError(f"{name}(): rank {get_default_group().rank()} is not in the group {group}")
    return result


def _way(name: str, op: Any, *ways: RedOpType) -> RedOpType:
    way = checked_op(name, op).op
    if way not in ways:
        *names, last = (one.name for one in ways)
        raise ValueError(f"{name}(): ReduceOp.{way.name} has no gradient: expected {', '.join(names)} or {last}")
    return way


def all_reduce(tensor: Any, op: Any = ReduceOp.SUM, group: Any = None) -> Any:
    """Join the tensors of all ranks, for all of them.

    Formula: y = x of rank 0 + ... + x of rank n-1

    Args:
        tensor: this rank's, of one shape and dtype on all ranks.
        op: how numbers are joined: SUM, AVG, PRODUCT, MIN or MAX.
        group: the process group; the default one when left out.

    Returns:
        A new tensor.

    Raises:
        ValueError: a way of joining that has no gradient.
    """
    chosen = _group("all_reduce", group)
    if not (tensor.is_floating_point() or tensor.is_complex()):  # there is no gradient
        result = tensor.clone()
        collectives.all_reduce(result, op, chosen)
        return result
    way = _way("all_reduce", op, *_WITH_GRADIENT)
    if way in _LINEAR:
        return ops.all_reduce(tensor, _LINEAR[way], chosen)
    if way in _MIN_MAX:
        return ops.all_reduce_extreme(tensor, _MIN_MAX[way], chosen)
    return ops.all_reduce_prod(tensor, chosen)


def reduce(tensor: Any, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Any:
    """Join the tensors of all ranks for one of them; the others get zeros.

    Args:
        dst: the rank in the world that gets the result.
        op: SUM or AVG.
        tensor, group: as of `all_reduce`, as is what is returned.
    """
    chosen, way = _group("reduce", group), _way("reduce", op, *_LINEAR)
    total = ops.reduce_to(tensor, rank_in("reduce", chosen, dst, None), chosen)
    return total if way == RedOpType.SUM else total / chosen.size()


def broadcast(tensor: Any, src: int, group: Any = None) -> Any:
    """What one rank has, for all.

    Args:
        src: the rank in the world whose tensor it is.
        tensor, group: as of `all_reduce`, as is what is returned.
    """
    chosen = _group("broadcast", group)
    return ops.broadcast_from(tensor, rank_in("broadcast", chosen, src, None), chosen)


def all_gather(tensor: Any, group: Any = None) -> tuple[Any, ...]:
    """The tensors of all ranks, for all: a tuple.

    Args:
        tensor, group: as of `all_reduce`.
    """
    return tuple(ops.all_gather(tensor.unsqueeze(0), 0, _group("all_gather", group)).unbind(0))


def _all_gather_base(output_tensor: Any, input_tensor: Any, group: Any = None) -> Any:
    """The tensors of all ranks one after the other, in the shape of `output_tensor`, which is not written to."""
    return ops.all_gather(input_tensor, 0, _group("_all_gather_base", group)).view(output_tensor.shape)


def gather(tensor: Any, dst: int = 0, group: Any = None) -> tuple[Any, ...]:
    """The tensors of all ranks for one of them, a tuple; the others get zeros.

    Args:
        dst: the rank in the world that gets them.
        tensor, group: as of `all_reduce`.
    """
    chosen = _group("gather", group)
    return tuple(ops.gather_to(tensor, rank_in("gather", chosen, dst, None), chosen).unbind(0))


def scatter(tensors: Sequence[Any], src: int = 0, group: Any = None) -> Any:
    """A tensor of one rank's list for each.

    Args:
        tensors: a tensor for each rank, all of one shape; those of other ranks than `src` say the shape alone.
        src: the rank in the world that shares them out.
        group: as of `all_reduce`, as is what is returned.
    """
    chosen = _group("scatter", group)
    every = ops.stack(buffers.tensors("scatter", list(tensors), "tensors"), 0)
    return ops.scatter_from(every, rank_in("scatter", chosen, src, None), chosen)


def reduce_scatter(output: Any, input_list: Sequence[Any], op: Any = ReduceOp.SUM, group: Any = None) -> Any:
    """Join what the ranks have for each of them.

    Args:
        output: not written to: there as PyTorch has it.
        input_list: a tensor for each rank, all of one shape.
        op, group: as of `all_reduce`, as is what is returned.
    """
    chosen, way = _group("reduce_scatter", group), _way("reduce_scatter", op, *_WITH_GRADIENT)
    every = ops.stack(buffers.tensors("reduce_scatter", list(input_list), "input_list"), 0)
    if way in _LINEAR:
        total = ops.reduce_scatter(every, 0, chosen).squeeze(0)
        return total if way == RedOpType.SUM else total / chosen.size()
    return getattr(ops.all_to_all(every, None, None, chosen), _MIN_MAX.get(way, "prod"))(0)


def all_to_all(output_tensor_list: Sequence[Any], input_tensor_list: Sequence[Any], group: Any = None) -> Any:
    """Send each rank a tensor of a list; those that come, a tuple.

    Args:
        output_tensor_list: tensors whose shapes are those of what comes; not written to.
        input_tensor_list: a tensor for each rank.
        group: as of `all_reduce`.
    """
    chosen = _group("all_to_all", group)
    sent = buffers.tensors("all_to_all", list(input_tensor_list), "input_tensor_list")
    shapes = [like.shape for like in output_tensor_list]
    into, out = [shape.numel() for shape in shapes], [one.numel() for one in sent]
    parts = ops.all_to_all(ops.cat([one.reshape(-1) for one in sent]), into, out, chosen).split(into)
    return tuple(part.view(shape) for part, shape in zip(parts, shapes, strict=True))


def all_to_all_single(
    output: Any,
    input: Any,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: Any = None,
) -> Any:
    """Send each rank rows of a tensor; those that come, one after the other.

    Args:
        output: not written to: there as PyTorch has it.
        input: rows for each rank, one after the other.
        output_split_sizes, input_split_sizes: how many come from and go to each rank; equally many when left out.
        group: as of `all_reduce`.
    """
    sizes = [list(value) if value else None for value in (output_split_sizes, input_split_sizes)]
    return ops.all_to_all(input, *sizes, _group("all_to_all_single", group))


def send_recv(tensor: Any, dst: int | None = None, src: int | None = None, group: Any = None) -> Any:
    """Send a tensor to a rank and receive one from another, both at once. Gradients go the way back.

    A rank that only receives gives a tensor of the shape of what comes; a rank that only sends gets zeros, through
    which backward must pass for the gradient to arrive: `loss = send_recv(x, dst=1).sum()`.

    Args:
        dst: the rank in the world that gets it, if there is one.
        src: the rank in the world whose tensor comes, if there is one.
        tensor, group: as of `all_reduce`.
    """
    chosen = _group("send_recv", group)
    to, of = (-1 if rank is None else rank_in("send_recv", chosen, rank, None) for rank in (dst, src))
    return ops.send_recv(tensor, to, of, chosen)
