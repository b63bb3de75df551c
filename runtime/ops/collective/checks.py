"""Argument checks of collectives: groups, ranks and dimensions, and shapes that can be shared out.

Tensors of a simulated group have a first dimension with a part for each rank; dimensions are counted behind it.
"""

from collections.abc import Sequence
from typing import Any

from ...dispatch.argument_checks import wrap_dim
from ...dispatch.ranks import Ranks, chosen
from ...dispatch.shape_rules import require_index_dtype
from ...errors import ShapeError
from ...tensor import dtypes

LINEAR = ("sum", "mean")
MIN_MAX = ("amax", "amin")


def _of_ranks(op: str, name: str, tensor: Any, group: Ranks | None) -> tuple[Ranks, Sequence[int]]:
    """The group of a call, and the shape that each of its ranks has of a tensor."""
    result = chosen(group)
    shape = tensor._shape
    if result.leading and (not shape or shape[0] != result.size()):
        raise ShapeError(
            f"{op}(): expected '{name}' with a first dimension of {result.size()}, a part for each rank of the "
            f"simulated group, got shape {list(shape)}"
        )
    return result, shape[result.leading :]


def _rank(op: str, name: str, rank: int, group: Ranks, minimum: int = 0) -> int:
    if not minimum <= rank < group.size():
        last = group.size() - 1
        raise ValueError(f"{op}(): expected '{name}' from {minimum} to {last}, a rank of the group, got {rank}")
    return rank


def _dim(op: str, dim: int, shape: Sequence[int]) -> int:
    return wrap_dim(op, dim, len(shape), wrap_scalar=False)


def _divisible(op: str, shape: Sequence[int], dim: int, group: Ranks) -> None:
    if shape[dim] % group.size():
        raise ShapeError(
            f"{op}(): expected dimension {dim} of shape {list(shape)} to be a multiple of {group.size()}, the number "
            "of ranks"
        )


def _way(op: str, reduce: str, allowed: Sequence[str]) -> str:
    if reduce not in allowed:
        raise ValueError(f"{op}(): expected 'reduce' to be {' or '.join(allowed)}, got {reduce!r}")
    return reduce


def all_reduce(op: str, self: Any, reduce: str, group: Any) -> tuple[Any, ...]:
    """'reduce' is 'sum' or 'mean'."""
    return self, _way(op, reduce, LINEAR), _of_ranks(op, "self", self, group)[0]


def all_reduce_extreme(op: str, self: Any, reduce: str, group: Any) -> tuple[Any, ...]:
    """'reduce' is 'amax' or 'amin'."""
    return self, _way(op, reduce, MIN_MAX), _of_ranks(op, "self", self, group)[0]


def of_ranks(op: str, self: Any, group: Any) -> tuple[Any, ...]:
    """Of a simulated group, a tensor with a part for each rank."""
    return self, _of_ranks(op, "self", self, group)[0]


def all_to_all(op: str, self: Any, output_split_sizes: Any, input_split_sizes: Any, group: Any) -> tuple[Any, ...]:
    """As many sizes as ranks, which add up to the first dimension; it is a multiple of their number without sizes."""
    result, shape = _of_ranks(op, "self", self, group)
    _dim(op, 0, shape)
    count = result.size()
    if input_split_sizes is None or output_split_sizes is None:
        _divisible(op, shape, 0, result)
    equal = [shape[0] // count] * count
    into, out = (equal if value is None else list(value) for value in (output_split_sizes, input_split_sizes))
    for name, sizes in (("output_split_sizes", into), ("input_split_sizes", out)):
        if len(sizes) != count or min(sizes) < 0:
            raise ShapeError(f"{op}(): expected '{name}' to have a size for each of {count} ranks, got {sizes}")
    if sum(out) != shape[0]:
        raise ShapeError(f"{op}(): 'input_split_sizes' {out} do not add up to the first dimension, which is {shape[0]}")
    return self, into, out, result


def replicated(op: str, self: Any, group: Any) -> tuple[Any, ...]:
    """A tensor that all ranks have alike."""
    return self, chosen(group)


def along(op: str, self: Any, dim: int, group: Any) -> tuple[Any, ...]:
    """A dimension of what each rank has."""
    result, shape = _of_ranks(op, "self", self, group)
    return self, _dim(op, dim, shape), result


def parts_along(op: str, self: Any, dim: int, group: Any) -> tuple[Any, ...]:
    """A dimension of what each rank has, with equal parts for all ranks."""
    result, shape = _of_ranks(op, "self", self, group)
    dim = _dim(op, dim, shape)
    _divisible(op, shape, dim, result)
    return self, dim, result


def replicated_parts_along(op: str, self: Any, dim: int, group: Any) -> tuple[Any, ...]:
    """A dimension of a tensor that all ranks have alike, with equal parts for all of them."""
    result = chosen(group)
    dim = _dim(op, dim, self._shape)
    _divisible(op, self._shape, dim, result)
    return self, dim, result


def with_rank(op: str, self: Any, rank: int, group: Any) -> tuple[Any, ...]:
    """A rank of the group."""
    result, _ = _of_ranks(op, "self", self, group)
    return self, _rank(op, "rank", rank, result), result


def scatter_from(op: str, self: Any, rank: int, group: Any) -> tuple[Any, ...]:
    """A rank of the group, and a first dimension with a part for each."""
    result, shape = _of_ranks(op, "self", self, group)
    if not shape or shape[0] != result.size():
        raise ShapeError(
            f"{op}(): expected 'self' with a part for each of {result.size()} ranks in its first dimension, got shape "
            f"{list(shape)}"
        )
    return self, _rank(op, "rank", rank, result), result


def send_recv(op: str, self: Any, dst: Any, src: Any, group: Any) -> tuple[Any, ...]:
    """Ranks of the group, or -1 for none: one that this rank sends to or receives from, or one for each rank."""
    result, _ = _of_ranks(op, "self", self, group)
    for name, ranks in (("dst", dst), ("src", src)):
        if len(ranks) not in (1, result.size()):
            raise ValueError(f"{op}(): expected '{name}' to be a rank, or one for each of {result.size()}, got {ranks}")
        for rank in ranks:
            _rank(op, name, rank, result, minimum=-1)
    return self, list(dst), list(src), result


def column_parallel_linear(op: str, self: Any, weight: Any, bias: Any, group: Any) -> tuple[Any, ...]:
    """An input of two dimensions that all ranks have alike, and rows of the weight that fit it."""
    result, shape = _of_ranks(op, "weight", weight, group)
    if len(shape) != 2 or len(self._shape) != 2 or self._shape[1] != shape[1]:
        raise ShapeError(
            f"{op}(): expected 'self' of shape [n, features] and 'weight' of shape [rows, features] on each rank, got "
            f"{list(self._shape)} and {list(shape)}"
        )
    if bias is not None and _of_ranks(op, "bias", bias, result)[1] != shape[:1]:
        raise ShapeError(f"{op}(): expected 'bias' of shape {[shape[0]]} on each rank, got {list(bias._shape)}")
    return self, weight, bias, result


def vocab_parallel_cross_entropy(op: str, self: Any, target: Any, group: Any) -> tuple[Any, ...]:
    """Logits of this rank's classes, of shape [n, classes], and n classes as integers."""
    result, shape = _of_ranks(op, "self", self, group)
    require_index_dtype(op, "target", target, (dtypes.int64, dtypes.int32))
    if len(shape) != 2 or tuple(target._shape) != tuple(shape[:1]):
        raise ShapeError(
            f"{op}(): expected 'self' of shape [n, classes] on each rank and 'target' of shape [n], got {list(shape)} "
            f"and {list(target._shape)}"
        )
    return self, target, result
