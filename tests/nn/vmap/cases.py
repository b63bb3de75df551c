"""Examples of the arguments of layers and functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import specgrad as sg

EXAMPLES = 3
RNG = np.random.default_rng(11)


def reals(*shape: int) -> Any:
    """Random examples, in double precision."""
    return sg.tensor(RNG.standard_normal((EXAMPLES, *shape)))


def quietly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a function returns that warns that it is deprecated."""
    with warnings.catch_warnings(action="ignore"):
        return function(*args, **kwargs)


def probabilities(*shape: int) -> Any:
    """Random examples between 0 and 1."""
    return sg.tensor(RNG.uniform(0.05, 0.95, (EXAMPLES, *shape)))


def classes(*shape: int, high: int = 4) -> Any:
    """Random class numbers."""
    return sg.tensor(RNG.integers(0, high, (EXAMPLES, *shape)))


def signs(*shape: int) -> Any:
    """Random numbers 1 and -1."""
    return sg.tensor(RNG.choice([-1.0, 1.0], (EXAMPLES, *shape)))


class Case(NamedTuple):
    """A layer, or a function, and examples of its arguments."""

    make: Callable[[], Any]
    inputs: Sequence[Any]
    constants: Sequence[int] = ()  # numbers of arguments that have no gradient
