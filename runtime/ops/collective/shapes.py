"""The shapes of what collectives give."""

from collections.abc import Sequence
from typing import Any

from ...dispatch.ranks import Ranks
from ...shapes import Shape


def _scaled(shape: Sequence[int], dim: int, by: int, over: int = 1) -> Shape:
    return (*shape[:dim], shape[dim] * by // over, *shape[dim + 1 :])


def all_gather(self: Any, dim: int, group: Ranks) -> Shape:
    return _scaled(self.shape, dim + group.leading, group.size())


def reduce_scatter(self: Any, dim: int, group: Ranks) -> Shape:
    return _scaled(self.shape, dim + group.leading, 1, group.size())


def all_to_all_shape(self: Any, output_split_sizes: Sequence[int], input_split_sizes: Any, group: Ranks) -> Shape:
    first = group.leading
    return (*self.shape[:first], sum(output_split_sizes), *self.shape[first + 1 :])


def gather_to(self: Any, rank: int, group: Ranks) -> Shape:
    first = group.leading
    return (*self.shape[:first], group.size(), *self.shape[first:])


def scatter_from_shape(self: Any, rank: int, group: Ranks) -> Shape:
    first = group.leading
    return (*self.shape[:first], *self.shape[first + 1 :])


def _for_each(shape: Shape, group: Ranks) -> Shape:
    return (*(group.size(),) * group.leading, *shape)


def copy_to_ranks(self: Any, group: Ranks) -> Shape:
    return _for_each(tuple(self.shape), group)


def sum_of_ranks(self: Any, group: Ranks) -> Shape:
    return tuple(self.shape[group.leading :])


def gather_from_ranks(self: Any, dim: int, group: Ranks) -> Shape:
    return _scaled(self.shape[group.leading :], dim, group.size())


def scatter_to_ranks(self: Any, dim: int, group: Ranks) -> Shape:
    return _for_each(_scaled(self.shape, dim, 1, group.size()), group)


def column_parallel_linear_shape(self: Any, weight: Any, bias: Any, group: Ranks) -> Shape:
    return _for_each((self.shape[0], weight.shape[-2]), group)


def vocab_parallel_cross_entropy_shape(self: Any, target: Any, group: Ranks) -> list[Shape]:
    return [tuple(target.shape), tuple(target.shape)]
