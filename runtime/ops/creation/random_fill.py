"""Filling a tensor in place with random numbers: `normal_`, `uniform_`, `cauchy_` and the like."""

from __future__ import annotations

from math import log1p, pi
from typing import Any

from ...dispatch import argument_checks
from ...errors import UnsupportedDtypeError, warn_user
from ...namespace import Tensor, op
from ...tensor.dtypes import finfo, float64, iinfo
from ...tensor.generator import Generator
from ...tensor.observers import sampling
from .distributions import trials
from .fast_calls import Creation
from .random import converted, exponential, integers, normal, stream, uniform

UNIFORM = Creation("uniform_", "uniform", "Tnng")
NORMAL = Creation("normal_", "normal", "Tnng")
EXPONENTIAL = Creation("exponential_", "exponential", "Tnng")
TRIALS = Creation("bernoulli_", "trials", "Tnng")


@sampling
def uniform_(self: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers drawn uniformly from [from_, to).

    Args:
        from_: the lower bound.
        to: the upper bound.
        generator: where the randomness comes from; the default generator when not given.


    Raises:
        RuntimeError: `from_` is larger than `to`.
    """
    if UNIFORM.launch(self, from_, to, generator) is not None:
        return self
    low, high = _floats("uniform_", **{"from": from_, "to": to})
    if low > high:
        raise RuntimeError(f"uniform_(): expected from <= to, but got from={low} > to={high}")
    return op.copy_(self, _sampled("uniform_", uniform, self, generator, self._dtype, low, high))


def _floats(name: str, **numbers: Any) -> list[float]:
    return [argument_checks.floating(name, argument, value) for argument, value in numbers.items()]


def _sampled(name: str, draw: Any, like: Any, generator: Generator | None, kind: Any, *numbers: float) -> Any:
    """Numbers of a distribution in the shape of a tensor, where that lies."""
    return draw(name, stream(name, generator), like._shape, kind, *numbers, like._device)


@sampling
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers drawn from the normal distribution N(mean, std^2).

    Args:
        mean: the mean.
        std: the standard deviation.
        generator: where the randomness comes from; the default generator when not given.


    Raises:
        RuntimeError: `std` is negative.
    """
    if NORMAL.launch(self, mean, std, generator) is not None:
        return self
    mean_value, width = _floats("normal_", mean=mean, std=std)
    if width < 0:
        raise RuntimeError(f"normal_(): expected std >= 0, but got std={width}")
    return op.copy_(self, _sampled("normal_", normal, self, generator, self._dtype, mean_value, width))


@sampling
def random_(self: Tensor, from_: Any = ..., to: Any = ..., *, generator: Generator | None = None) -> Tensor:
    """Fill with integers drawn uniformly from [from_, to); `random_(to)` starts at 0.

    Args:
        from_: the lower bound.
        to: the upper bound; None: what the dtype holds exactly. Without bounds, these numbers from 0.
        generator: where the randomness comes from; the default generator when not given.


    Raises:
        RuntimeError: `from_` is not smaller than `to`, or the dtype does not hold these numbers.
    """
    if to is ...:
        from_, to = (0, _largest_exact(self._dtype) + 1) if from_ is ... else (0, from_)
    low = argument_checks.integer("random_", "from", 0 if from_ is ... else from_)
    high = argument_checks.optional_integer("random_", "to", to)
    if high is None:
        high = _largest_exact(self._dtype) + 1
    if self._dtype.kind == "f":
        low, high = _in_floats(low, high, self._dtype)
    chosen = stream("random_", generator)
    return op.copy_(self, integers("random_", chosen, (low, high), self._shape, self._dtype, self._device))


def _in_floats(low: int, high: int, kind: Any) -> tuple[int, int]:
    """Bounds between which numbers are rounded to none outside, as on PyTorch.

    Raises:
        RuntimeError: the dtype does not have them.
    """
    exact = _largest_exact(kind)
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if abs(bound) > finfo(kind).max:
            raise RuntimeError(f"random_(): {name} is out of bounds for {kind}")
        if abs(bound) > exact:
            warn_user(
                f"random_(): {name} is out of bounds [-{exact}, {exact}]. Due to precision limitations {kind} can "
                "support discrete uniform distribution only within this range. This warning will become an error in "
                "later release, please fix the code in advance"
            )
    inside = low + (-low // exact if low < -exact else 0), high - (high // exact if high - 1 > exact else 0)
    return inside if inside[0] < inside[1] else (low, high)


def _largest_exact(kind: Any) -> int:
    if kind.kind in "bi":
        return 1 if kind.kind == "b" else iinfo(kind).max
    return {"float16": 2**11, "bfloat16": 2**8, "float32": 2**24}.get(kind.name, 2**53)


@sampling
def bernoulli_(self: Tensor, p: Tensor | float = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with 1 with probability p and with 0 otherwise.

    Args:
        p: a probability, or a tensor of one for each element.
        generator: where the randomness comes from; the default generator when not given.


    Raises:
        RuntimeError: p is no probability.
    """
    if TRIALS.launch(self, p, 0, generator) is not None:
        return self
    return op.copy_(self, trials("bernoulli_", p, self._shape, self._dtype, generator, self._device))


@sampling
def exponential_(self: Tensor, lambd: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers of the density lambd * exp(-lambd * x).

    Args:
        lambd: the rate, larger than 0.
        generator: where the randomness comes from; the default generator when not given.


    Raises:
        RuntimeError: `lambd` is not larger than 0, or the dtype is not floating point.
    """
    if EXPONENTIAL.launch(self, lambd, 0, generator) is not None:
        return self
    rate = argument_checks.floating("exponential_", "lambd", lambd)
    if not rate > 0:
        raise RuntimeError(f"exponential_(): expected lambd > 0, but got lambd={rate}")
    return op.copy_(self, _sampled("exponential_", exponential, self, generator, self._dtype, rate))


_MAX_CACHED = 2.0**62  # trials, that an int64 holds
_RARE = 1e-16  # a probability above which so many do not happen


@sampling
def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers of trials until the first success: k with the probability (1 - p)^(k - 1) p.

    Args:
        p: the probability of a success, between 0 and 1.
        generator: where the randomness comes from; the default generator when not given.


    Raises:
        RuntimeError: p does not lie between 0 and 1, or the dtype is bool or complex.
    """
    chance = argument_checks.floating("geometric_", "p", p)
    if not 0 < chance < 1:
        raise RuntimeError(f"geometric_(): expected p between 0 and 1, but got p={chance}")
    if self._dtype.kind in "bc":
        raise UnsupportedDtypeError(f"geometric_(): expected integers or real numbers, but got {self._dtype}")
    waiting = _sampled("geometric_", exponential, self, generator, float64, -log1p(-chance))
    counts = waiting.ceil_() if chance > _RARE else waiting.ceil_().clamp_max_(_MAX_CACHED)
    return op.copy_(self, converted(counts, self._dtype))


@sampling
def cauchy_(self: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers of the density sigma / (pi ((x - median)^2 + sigma^2)).

    Args:
        median: the middle of the distribution.
        sigma: half of its width at half of its height, larger than 0.
        generator: where the randomness comes from; the default generator when not given.


    Raises:
        RuntimeError: `sigma` is not larger than 0, or the dtype is not floating point.
    """
    mean_value, width = _floats("cauchy_", median=median, sigma=sigma)
    _require("cauchy_", "sigma", width, self)
    shares = _sampled("cauchy_", uniform, self, generator, float64, -pi / 2, pi / 2)
    sampled = shares.tan_() if width == 1 and mean_value == 0 else shares.tan_().mul_(width).add_(mean_value)
    return op.copy_(self, converted(sampled, self._dtype))


@sampling
def log_normal_(self: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers whose logarithm has the normal distribution N(mean, std^2).

    Args:
        mean: the mean of the logarithm.
        std: the standard deviation of the logarithm, larger than 0.
        generator: where the randomness comes from; the default generator when not given.


    Raises:
        RuntimeError: `std` is not larger than 0, or the dtype is not floating point.
    """
    mean_value, width = _floats("log_normal_", mean=mean, std=std)
    _require("log_normal_", "std", width, self)
    sampled = _sampled("log_normal_", normal, self, generator, float64, mean_value, width)
    return op.copy_(self, converted(sampled.exp_(), self._dtype))


def _require(name: str, parameter: str, value: float, self: Any) -> None:
    if not value > 0:
        raise RuntimeError(f"{name}(): expected {parameter} > 0, but got {parameter}={value}")
    if self._dtype.kind != "f":
        raise UnsupportedDtypeError(f"{name}(): expected a floating point dtype, but got {self._dtype}")
