"""Dropout."""

from __future__ import annotations

from ..generated.tensor import Tensor
from ..runtime import checks
from . import functional as F
from .module import Module


class Dropout(Module):
    """In training, sets each element to zero with probability p and scales the others; else does nothing.

    Formula: y = x m / (1 - p), m ~ Bernoulli(1 - p)

    Args:
        p: probability of an element to become zero.
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.

    Raises:
        ValueError: p is not in [0, 1].

    Source: Srivastava et al., Dropout: a simple way to prevent neural networks from overfitting (2014).

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Dropout(0.2).eval()(sg.ones(2))
        tensor([1., 1.])
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        checks.floating("Dropout", "p", p)
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"
