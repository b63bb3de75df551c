"""Shape rules of normalization: the shape of the input, and of what its statistics are kept in."""

from collections.abc import Sequence
from typing import Any

from ...shapes import Shape


def _with_ones(shape: Sequence[int], dim: Sequence[int]) -> Shape:
    gone = {d % len(shape) for d in dim}
    return tuple([1 if d in gone else n for d, n in enumerate(shape)])


def standardized(self: Any, weight: Any, bias: Any, dim: Sequence[int], *rest: Any) -> list[Shape]:
    statistics = _with_ones(self.shape, dim)
    return [tuple(self.shape), statistics, statistics]


def standardized_groups(self: Any, weight: Any, bias: Any, groups: int, eps: float) -> list[Shape]:
    statistics = (self.shape[0], groups, 1, 1)
    return [tuple(self.shape), statistics, statistics]
