"""Filling a tensor in place with random numbers of skewed or heavy-tailed distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dispatch import checks
from ..errors import UnsupportedDtypeError
from ..modes.intercept import interceptable
from ..namespace import op
from ..random import Generator
from .options import from_array
from .sampling import stream


@interceptable("random")
def geometric_(self: Any, p: float, *, generator: Generator | None = None) -> Any:
    """Fill with numbers of trials until the first success: k with the probability (1 - p)^(k - 1) p.

    Args:
        p: the probability of a success, between 0 and 1.
        generator: where the randomness comes from; the default generator when not given.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError: p does not lie between 0 and 1, or the dtype is bool or complex.
    """
    chance = checks.floating("geometric_", "p", p)
    if not 0 < chance < 1:
        raise RuntimeError(f"geometric_(): expected p between 0 and 1, but got p={chance}")
    if self.dtype.kind in "bc":
        raise UnsupportedDtypeError(f"geometric_(): expected integers or real numbers, but got {self.dtype}")
    drawn = stream("geometric_", generator).geometric(chance, self.shape)
    return op.copy_(self, from_array(np.asarray(drawn), self.dtype))


@interceptable("random")
def cauchy_(self: Any, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None) -> Any:
    """Fill with numbers of the density sigma / (pi ((x - median)^2 + sigma^2)).

    Args:
        median: the middle of the distribution.
        sigma: half of its width at half of its height, larger than 0.
        generator: where the randomness comes from; the default generator when not given.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError: `sigma` is not larger than 0, or the dtype is not floating point.
    """
    middle, width = checks.floating("cauchy_", "median", median), checks.floating("cauchy_", "sigma", sigma)
    _require("cauchy_", "sigma", width, self)
    drawn = stream("cauchy_", generator).standard_cauchy(self.shape)
    return op.copy_(self, from_array(np.asarray(middle + width * drawn), self.dtype))


@interceptable("random")
def log_normal_(self: Any, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None) -> Any:
    """Fill with numbers whose logarithm has the normal distribution N(mean, std^2).

    Args:
        mean: the mean of the logarithm.
        std: the standard deviation of the logarithm, larger than 0.
        generator: where the randomness comes from; the default generator when not given.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError: `std` is not larger than 0, or the dtype is not floating point.
    """
    middle, width = checks.floating("log_normal_", "mean", mean), checks.floating("log_normal_", "std", std)
    _require("log_normal_", "std", width, self)
    drawn = stream("log_normal_", generator).standard_normal(self.shape)
    with np.errstate(over="ignore"):
        return op.copy_(self, from_array(np.asarray(np.exp(middle + width * drawn)), self.dtype))


def _require(name: str, parameter: str, value: float, self: Any) -> None:
    """A width is positive, and the tensor holds fractions."""
    if not value > 0:
        raise RuntimeError(f"{name}(): expected {parameter} > 0, but got {parameter}={value}")
    if self.dtype.kind != "f":
        raise UnsupportedDtypeError(f"{name}(): expected a floating point dtype, but got {self.dtype}")
