"""Filling a tensor with random numbers in place."""

from __future__ import annotations

from typing import Any

from ..dispatch import checks
from ..modes.intercept import interceptable
from ..namespace import op
from ..random import Generator
from ..tensor.limits import iinfo
from .drawing import exponential, trials
from .options import from_array
from .sampling import integers, normal, stream, uniform


@interceptable("random")
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


@interceptable("random")
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


@interceptable("random")
def random_(self: Any, from_: int = 0, to: int | None = None, *, generator: Generator | None = None) -> Any:
    """Fill with integers drawn uniformly from [from_, to); `random_(to)` starts at 0.

    Args:
        from_: the lower bound.
        to: the upper bound; without bounds, what the dtype holds exactly.
        generator: where the randomness comes from; the default generator when not given.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError: `from_` is not smaller than `to`, or the dtype does not hold these numbers.
    """
    low, high = checks.integer("random_", "from", from_), checks.optional_integer("random_", "to", to)
    if high is None:
        low, high = (0, low) if low else (0, _largest_exact(self.dtype) + 1)
    return op.copy_(self, integers("random_", stream("random_", generator), (low, high), self.shape, self.dtype))


def _largest_exact(kind: Any) -> int:
    """The greatest integer up to which a dtype holds all."""
    if kind.kind in "bi":
        return 1 if kind.kind == "b" else iinfo(kind).max
    return {"float16": 2**11, "bfloat16": 2**8, "float32": 2**24}.get(kind.name, 2**53)


@interceptable("random")
def bernoulli_(self: Any, p: Any = 0.5, *, generator: Generator | None = None) -> Any:
    """Fill with 1 with probability p and with 0 otherwise.

    Args:
        p: a probability, or a tensor of one for each element.
        generator: where the randomness comes from; the default generator when not given.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError: p is no probability.
    """
    return op.copy_(self, from_array(trials("bernoulli_", p, self.shape, generator), self.dtype))


@interceptable("random")
def exponential_(self: Any, lambd: float = 1.0, *, generator: Generator | None = None) -> Any:
    """Fill with numbers of the density lambd * exp(-lambd * x).

    Args:
        lambd: the rate, larger than 0.
        generator: where the randomness comes from; the default generator when not given.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError: `lambd` is not larger than 0, or the dtype is not floating point.
    """
    rate = checks.floating("exponential_", "lambd", lambd)
    if not rate > 0:
        raise RuntimeError(f"exponential_(): expected lambd > 0, but got lambd={rate}")
    return op.copy_(self, exponential(stream("exponential_", generator), rate, self.shape, self.dtype))
