"""Random counts and choices: Poisson and binomial numbers, and places drawn by weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dispatch import checks
from ..dispatch.writing import write_out
from ..errors import UnsupportedDtypeError
from ..modes.intercept import interceptable
from ..random import Generator
from ..tensor.base import compute_array
from ..tensor.dtypes import int64
from ..tensor.shapes import broadcast_shapes
from .options import allocating, from_array
from .sampling import stream

_MOST = 2.0**62  # counts are drawn as 64-bit integers


@interceptable("random")
def poisson(input: Any, generator: Generator | None = None) -> Any:
    """For each element the number of events when so many are expected: k with the probability e^-r r^k / k!.

    Args:
        input: the expected numbers r.
        generator: where the randomness comes from; the default generator when not given.

    Returns:
        Tensor: of the shape and dtype of `input`; no gradient flows through.

    Raises:
        RuntimeError: an element is negative or too large, or the dtype is not floating point.

    Example:
        >>> import specgrad as sg
        >>> sg.poisson(sg.zeros(2))
        tensor([0., 0.])
    """
    rates = _numbers("poisson", "input", input)
    if not ((rates >= 0) & (rates <= _MOST)).all():
        raise RuntimeError(f"poisson(): expected numbers from 0 to 2**62, but got {rates.min()} to {rates.max()}")
    return from_array(np.asarray(stream("poisson", generator).poisson(rates)), input._dtype)


@interceptable("random")
def binomial(count: Any, prob: Any, generator: Generator | None = None) -> Any:
    """For each element the number of successes in `count` trials of probability `prob`.

    Args:
        count: how many trials, as floating-point numbers.
        prob: the probabilities; what lies outside of [0, 1] counts as the nearer bound.
        generator: where the randomness comes from; the default generator when not given.

    Returns:
        Tensor: of the broadcast shape and the dtype of `count`; no gradient flows through.

    Raises:
        RuntimeError: a count is negative or too large, a probability is nan, or a dtype is not floating point.

    Example:
        >>> import specgrad as sg
        >>> sg.binomial(sg.tensor([3.0, 5.0]), sg.tensor([1.0, 0.0]))
        tensor([3., 0.])
    """
    trials, chances = _numbers("binomial", "count", count), _numbers("binomial", "prob", prob)
    if not ((trials >= 0) & (trials <= _MOST)).all() or np.isnan(chances).any():
        raise RuntimeError(f"binomial(): expected counts from 0 to 2**62 and probabilities, but got {count} and {prob}")
    shape = broadcast_shapes("binomial", count._shape, prob._shape)
    drawn = stream("binomial", generator).binomial(trials.astype(np.int64), chances.clip(0, 1), shape)
    return from_array(np.asarray(drawn), count._dtype)


def _numbers(name: str, argument: str, value: Any) -> np.ndarray:
    """The elements of a floating-point tensor in 64 bits."""
    checks.tensor(name, argument, value)
    if value._dtype.kind != "f":
        raise UnsupportedDtypeError(f"{name}(): expected {argument} of a floating point dtype, but got {value._dtype}")
    return compute_array(value).astype(np.float64)


@interceptable("random")
def multinomial(
    input: Any, num_samples: int, replacement: bool = False, *, generator: Generator | None = None, out: Any = None
) -> Any:
    """Places drawn from each row with probabilities in proportion to its elements.

    Args:
        input: weights that are not negative, in a vector or in the rows of a matrix.
        num_samples: how many to draw from each row.
        replacement: whether a place may be drawn again.
        generator: where the randomness comes from; the default generator when not given.
        out: a tensor that takes the places.

    Returns:
        Tensor: int64, the places drawn from each row in the order in which they were drawn.

    Raises:
        RuntimeError: a weight is negative, infinite or nan, a row has no positive one, or too few to draw from.

    Example:
        >>> import specgrad as sg
        >>> sg.multinomial(sg.tensor([0.0, 3.0, 0.0]), 2, replacement=True)
        tensor([1, 1])
    """
    weights = _numbers("multinomial", "input", input)
    count = checks.integer("multinomial", "num_samples", num_samples)
    again = checks.boolean("multinomial", "replacement", replacement)
    _require_weights(weights, count, again)
    rng, rows = stream("multinomial", generator), weights.reshape(-1, weights.shape[-1])
    with allocating("multinomial"):
        drawn = _with_replacement(rng, rows, count) if again else _without_replacement(rng, rows, count)
    found = from_array(drawn.reshape(*weights.shape[:-1], count), int64)
    return found if out is None else write_out("multinomial", out, found)


def _require_weights(weights: np.ndarray, count: int, again: bool) -> None:
    if weights.ndim not in (1, 2):
        raise RuntimeError(f"multinomial(): expected a vector or a matrix, but got shape {list(weights.shape)}")
    if count <= 0:
        raise RuntimeError(f"multinomial(): expected num_samples > 0, but got {count}")
    if not weights.shape[-1] or (count > weights.shape[-1] and not again):
        raise RuntimeError(f"multinomial(): cannot draw {count} samples of {weights.shape[-1]} without replacement")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise RuntimeError("multinomial(): expected finite weights that are not negative, but got others")
    if not (weights.sum(-1) > 0).all():
        raise RuntimeError("multinomial(): expected a positive weight in each row, but got a sum of 0")


def _with_replacement(rng: np.random.Generator, rows: np.ndarray, count: int) -> np.ndarray:
    """Where a uniform share of the total falls among the running sums."""
    sums = np.cumsum(rows, 1)
    shares = rng.random((len(rows), count)) * sums[:, -1:]
    return np.array([np.searchsorted(s, x, "right") for s, x in zip(sums, shares, strict=True)], np.int64)


def _without_replacement(rng: np.random.Generator, rows: np.ndarray, count: int) -> np.ndarray:
    """The first to arrive where each arrives at its own rate; those of rate 0 come last, in their order."""
    with np.errstate(divide="ignore", over="ignore"):
        arrivals = rng.standard_exponential(rows.shape) / rows
    return np.argsort(arrivals, 1, kind="stable")[:, :count]
