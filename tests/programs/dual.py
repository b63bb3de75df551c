"""Arrays with their slopes in several directions at once: the derivatives that the model compares gradients with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = Any
LARGEST = 30.0  # beyond it rounding errors of the libraries would be magnified


class Refused(Exception):
    """The library must raise an error of class `kind`, and change nothing."""

    def __init__(self, kind: type[Exception] = RuntimeError) -> None:
        super().__init__(kind.__name__)
        self.kind = kind


class Unsuitable(Exception):
    """What happens is not defined, or not computed well enough to be compared: a kink, a large number."""


class Dual(NamedTuple):
    """Values of some shape, and slopes of that shape with one more dimension, which counts directions."""

    values: Array
    derivatives: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return self.values.shape

    def expanded(self, shape: tuple[int, ...]) -> Dual:
        """Broadcast to a shape."""
        return Dual(
            np.broadcast_to(self.values, shape), np.broadcast_to(self.derivatives, (*shape, self.derivatives.shape[-1]))
        )

    def each(self, function: Callable[[Array], Array]) -> Dual:
        """A linear function that rearranges the leading dimensions."""
        return Dual(function(self.values), function(self.derivatives))

    def scaled(self, values: Array, derivative: Array) -> Dual:
        """`values`, where their derivative is `slope`."""
        return Dual(values, np.asarray(derivative)[..., None] * self.derivatives)


def constant(values: Array, like: Dual) -> Dual:
    """Numbers without slopes."""
    values = np.asarray(values, dtype=np.float64)
    return Dual(values, np.zeros((*values.shape, like.derivatives.shape[-1])))


def checked(dual: Dual) -> Dual:
    """The same, if its numbers are of a size that can be compared."""
    if not (np.abs(dual.values) < LARGEST).all() or not (np.abs(dual.derivatives) < LARGEST**2).all():
        raise Unsuitable
    return dual


def broadcast(*duals: Dual) -> list[Dual]:
    """Duals of their common shape."""
    try:
        shape = np.broadcast_shapes(*(dual.shape for dual in duals))
    except ValueError:
        raise Refused from None
    return [dual.expanded(shape) for dual in duals]


def away_from(kink: Array) -> None:
    """Refuse to compare where a function has two slopes."""
    if (np.abs(kink) < 1e-6).any():
        raise Unsuitable


def added(a: Dual, b: Dual) -> Dual:
    """a + b."""
    a, b = broadcast(a, b)
    return Dual(a.values + b.values, a.derivatives + b.derivatives)


def subtracted(a: Dual, b: Dual) -> Dual:
    """a - b."""
    return added(a, b.scaled(-b.values, np.full(b.shape, -1.0)))


def multiplied(a: Dual, b: Dual) -> Dual:
    """a b."""
    a, b = broadcast(a, b)
    return Dual(a.values * b.values, a.derivatives * b.values[..., None] + a.values[..., None] * b.derivatives)


def divided(a: Dual, b: Dual) -> Dual:
    """a / b."""
    if (np.abs(b.values) < 0.1).any():
        raise Unsuitable
    return multiplied(a, b.scaled(1 / b.values, -1 / b.values**2))


def larger(a: Dual, b: Dual) -> Dual:
    """The larger of two."""
    a, b = broadcast(a, b)
    away_from(a.values - b.values)
    first = a.values > b.values
    return Dual(np.where(first, a.values, b.values), np.where(first[..., None], a.derivatives, b.derivatives))


def product(a: Dual, b: Dual) -> Dual:
    """The matrix product of matrices and vectors."""
    if not a.values.ndim or not b.values.ndim or a.shape[-1] != b.shape[0]:
        raise Refused
    rest = "n" if b.values.ndim == 2 else ""
    rows = "m" if a.values.ndim == 2 else ""
    left = np.einsum(f"{rows}kd,k{rest}->{rows}{rest}d", a.derivatives, b.values)
    right = np.einsum(f"{rows}k,k{rest}d->{rows}{rest}d", a.values, b.derivatives)
    return Dual(a.values @ b.values, left + right)


def sigmoid(a: Dual) -> Dual:
    """1 / (1 + exp(-a))."""
    values = 1 / (1 + np.exp(-a.values))
    return a.scaled(values, values * (1 - values))


def relu(a: Dual) -> Dual:
    """max(a, 0)."""
    away_from(a.values)
    return a.scaled(np.maximum(a.values, 0), a.values > 0)


def absolute(a: Dual) -> Dual:
    """|a|."""
    away_from(a.values)
    return a.scaled(np.abs(a.values), np.sign(a.values))


def clamped(a: Dual, low: float, high: float) -> Dual:
    """a, not below `low` and not above `high`."""
    away_from((a.values - low) * (a.values - high))
    return a.scaled(np.clip(a.values, low, high), (a.values > low) & (a.values < high))


UNARY: dict[str, Callable[[Dual], Dual]] = {
    "sin": lambda a: a.scaled(np.sin(a.values), np.cos(a.values)),
    "tanh": lambda a: a.scaled(np.tanh(a.values), 1 - np.tanh(a.values) ** 2),
    "exp": lambda a: a.scaled(np.exp(a.values), np.exp(a.values)),
    "neg": lambda a: a.scaled(-a.values, np.full(a.shape, -1.0)),
    "square": lambda a: a.scaled(a.values**2, 2 * a.values),
    "sigmoid": sigmoid,
    "relu": relu,
    "abs": absolute,
}
BINARY: dict[str, Callable[[Dual, Dual], Dual]] = {
    "add": added,
    "sub": subtracted,
    "mul": multiplied,
    "div": divided,
    "maximum": larger,
}
