"""Samples drawn with given probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...runtime.creation import as_tensor, multinomial
from ...runtime.random import Generator
from ...runtime.tensor.dtypes import float64
from .sampler import Sampler


class WeightedRandomSampler(Sampler[int]):
    """Indices 0, 1, ... drawn with probabilities in proportion to weights, as for classes of different sizes.

    Args:
        weights: a number for each index; they need not sum to 1.
        num_samples: how many to draw.
        replacement: whether an index may be drawn more than once.
        generator: source of the random numbers.

    Raises:
        ValueError: the number is not positive, or the weights are no sequence of numbers.

    Example:
        >>> import specgrad as sg
        >>> list(sg.utils.data.WeightedRandomSampler([0.0, 1.0, 0.0], 3))
        [1, 1, 1]
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Generator | None = None
    ) -> None:
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        result: Any = as_tensor(weights, dtype=float64)
        if result.ndim != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(result.shape)}")
        self.weights = result
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        sampled_indices = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        return iter(sampled_indices.tolist())

    def __len__(self) -> int:
        return self.num_samples
