"""Pruning of whole channels: a random choice, or those of least norm."""

from __future__ import annotations

from typing import Any

from ....generated.ops import norm
from ....generated.tensor import Tensor
from ....runtime.creation import rand, zeros_like
from .amounts import Amount, check_amount, check_structured, number_to_prune
from .method import BasePruningMethod


class _Channels(BasePruningMethod):
    """Prunes the channels that have the least scores."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Amount, dim: int = -1) -> None:
        check_amount(amount)
        self.amount, self.dim = amount, dim

    def scores(self, t: Tensor) -> Tensor:
        """What the channels of `t` are compared by."""
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """`default_mask` without the channels of `t` that have the least scores."""
        check_structured(t, self.dim)
        channels = t.shape[self.dim]
        number = number_to_prune(self.amount, channels)
        if not number:
            return default_mask
        retained = self.scores(t).topk(channels - number, largest=True)[1]
        mask = zeros_like(t)
        mask[(*(slice(None) for _ in range(self.dim % t.dim())), retained)] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_Channels):
    """Prunes a random choice of channels.

    Args:
        amount: how many, or which part of them.
        dim: the dimension of the channels.

    Raises:
        ValueError: a part that is not between 0 and 1, a negative number, or a tensor without channels.
        IndexError: there is no such dimension.
    """

    def scores(self, t: Tensor) -> Tensor:
        """Random numbers, as many as `t` has channels."""
        return rand(t.shape[self.dim])


class LnStructured(_Channels):
    """Prunes the channels of least norm.

    Args:
        amount: how many, or which part of them.
        n: which norm, as of `norm`.
        dim: the dimension of the channels.

    Raises:
        ValueError: a part that is not between 0 and 1, a negative number, or a tensor without channels.
        IndexError: there is no such dimension.
    """

    def __init__(self, amount: Amount, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def scores(self, t: Tensor) -> Tensor:
        """The norms of the channels of `t`."""
        others = [d for d in range(t.dim()) if d != self.dim % t.dim()]
        return norm(t, p=self.n, dim=others)
