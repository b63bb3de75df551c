"""Norms of tensors of which each rank has rows, taken as one vector with those that are whole on all ranks."""

import math
from collections.abc import Sequence
from typing import Any

from ...runtime.extensions.distributed import collectives
from ...runtime.extensions.distributed.groups.process_group import ProcessGroup
from ...runtime.extensions.distributed.groups.reduce_op import ReduceOp
from ...runtime.extensions.distributed.shard_rows import row_range_of
from ...runtime.ops.creation import tensor
from ...runtime.tensor.dtypes import float64


def total_norm(tensors: Sequence[Any], order: float) -> Any:
    """The `order`-norm of all tensors with the rows of all ranks, in the dtype of the first; all ranks call this.

    The tensors are the same on all ranks; those that are whole count once. A DistBackendError where other ranks did not
    come in time, called something else, or have failed.
    """
    by_ranks: dict[ProcessGroup | None, list[Any]] = {}
    for one in tensors:
        rows = row_range_of(one)
        by_ranks.setdefault(None if rows is None else rows.group, []).append(one)
    parts = [_over(group, _local(some, order), order) for group, some in by_ranks.items()]
    first = tensors[0].abs().dtype if tensors[0].is_complex() else tensors[0].dtype
    return tensor(_root(_combined_norm(parts, order), order), dtype=first)


def _local(tensors: Sequence[Any], order: float) -> float:
    norms = [float(one.detach().norm(order)) for one in tensors if one.numel()]
    if math.isinf(order):
        return _combined_norm(norms, order)
    return math.fsum(norms) if order == 0 else _combined_norm([_power(norm, order) for norm in norms], order)


def _power(norm: float, order: float) -> float:
    if norm == 0:
        return 0.0 if order > 0 else math.inf
    try:
        return norm**order
    except OverflowError:
        return math.inf


def _combined_norm(parts: Sequence[float], order: float) -> float:
    if any(math.isnan(part) for part in parts):
        return math.nan
    if order == math.inf:
        return max(parts, default=0.0)
    if order == -math.inf:
        return min(parts, default=math.inf)
    return float(sum(parts))


def _over(group: ProcessGroup | None, own: float, order: float) -> float:
    if group is None:
        return own
    way = {math.inf: ReduceOp.MAX, -math.inf: ReduceOp.MIN}.get(order, ReduceOp.SUM)
    result = tensor([own], dtype=float64)
    collectives.all_reduce(result, way, group)
    return float(result[0])


def _root(total: float, order: float) -> float:
    if math.isinf(order) or order == 0 or math.isnan(total):
        return total
    if total == 0:
        return 0.0
    return 0.0 if math.isinf(total) and order < 0 else float(total ** (1.0 / order))
