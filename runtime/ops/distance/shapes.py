"""Shape rules of distances."""

from typing import Any

from ...shapes import Shape


def above_diagonal(self: Any) -> Shape:
    return (*self.shape[:-2], self.shape[-1] * (self.shape[-1] - 1) // 2)
