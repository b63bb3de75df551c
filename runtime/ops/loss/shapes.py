"""Shape rules of losses: one number, unless the losses are not reduced."""

from math import prod
from typing import Any

from ...shapes import Shape


def likelihoods(self: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> list[Shape]:
    return [() if reduction else tuple(target.shape), ()]


def likelihoods_gradient(grad_output: Any, target: Any, weight: Any, total: Any, shape: Any, *rest: Any) -> Shape:
    return tuple(shape)


def entropies(self: Any, target: Any, weight: Any, reduction: int, *rest: Any) -> list[Shape]:
    return [() if reduction else tuple(target.shape), (prod(target.shape) + 1,)]


def samples(log_probs: Any, *rest: Any) -> Shape:
    """One loss for each sample of (steps, samples, classes)."""
    return (log_probs.shape[1],)
