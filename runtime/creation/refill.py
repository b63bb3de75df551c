"""Filling a tensor with random numbers in place."""

from __future__ import annotations

from typing import Any

from .. import checks
from ..namespace import op
from ..random import Generator
from .sampling import normal, stream, uniform


def uniform_(self: Any, from_: float = 0.0, to: float = 1.0, *, generator: Generator | None = None) -> Any:
    """Fill with numbers drawn uniformly from [from_, to).

    Args:
        from_: the lower bound.
        to: the upper bound.
        generator: where the randomness comes from; the default generator when not given.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError: `from_` is larger than `to`.
    """
    low, high = checks.floating("uniform_", "from", from_), checks.floating("uniform_", "to", to)
    if low > high:
        raise RuntimeError(f"uniform_(): expected from <= to, but got from={low} > to={high}")
    values = uniform("uniform_", stream("uniform_", generator), self.shape, self.dtype)
    return op.copy_(self, values.mul_(high - low).add_(low))


def normal_(self: Any, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None) -> Any:
    """Fill with numbers drawn from the normal distribution N(mean, std^2).

    Args:
        mean: the mean.
        std: the standard deviation.
        generator: where the randomness comes from; the default generator when not given.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError: `std` is negative.
    """
    middle, width = checks.floating("normal_", "mean", mean), checks.floating("normal_", "std", std)
    if width < 0:
        raise RuntimeError(f"normal_(): expected std >= 0, but got std={width}")
    values = normal("normal_", stream("normal_", generator), self.shape, self.dtype)
    return op.copy_(self, values.mul_(width).add_(middle))
