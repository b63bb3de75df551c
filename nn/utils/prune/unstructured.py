"""Pruning of single elements: none, a random choice, those of least magnitude, those of a mask."""

from __future__ import annotations

from typing import Any

from ....generated.tensor import Tensor
from ....runtime.creation import rand_like
from ....runtime.tensor.memory_format import contiguous_format
from ...modules.module.base import Module
from .amounts import Amount, check_amount, number_to_prune
from .method import BasePruningMethod


class Identity(BasePruningMethod):
    """Prunes nothing: the parameter gets a mask of ones."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """`default_mask` itself, whatever `t` is."""
        return default_mask


class _LowestScores(BasePruningMethod):
    """Prunes the elements that have the least scores."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Amount) -> None:
        check_amount(amount)
        self.amount = amount

    def scores(self, t: Tensor) -> Tensor:
        """What elements of `t` are compared by."""
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """`default_mask` without the elements of `t` that have the least scores."""
        number = number_to_prune(self.amount, t.numel())
        mask = default_mask.clone(memory_format=contiguous_format)
        if number:
            mask.view(-1)[self.scores(t).reshape(-1).topk(number, largest=False)[1]] = 0
        return mask


class RandomUnstructured(_LowestScores):
    """Prunes a random choice of elements.

    Args:
        amount: how many, or which part of them.

    Raises:
        ValueError: a part that is not between 0 and 1, or a negative number.
    """

    def scores(self, t: Tensor) -> Tensor:
        """Random numbers, as many as `t` has elements."""
        return rand_like(t)


class L1Unstructured(_LowestScores):
    """Prunes the elements of least magnitude.

    Args:
        amount: how many, or which part of them.

    Raises:
        ValueError: a part that is not between 0 and 1, or a negative number.
    """

    def scores(self, t: Tensor) -> Tensor:
        """The magnitudes of `t`."""
        return t.abs()


class CustomFromMask(BasePruningMethod):
    """Prunes what is 0 in a mask.

    Args:
        mask: of the parameter's shape.
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The product of both masks: `default_mask` and that of the class, whatever `t` is."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError("mask should have the shape of the parameter")
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Module, name: str, mask: Tensor, **kwargs: Any) -> BasePruningMethod:  # type: ignore[override]
        """Prune the parameter `name` of `module` by a mask.

        Args:
            module: the module.
            name: the parameter.
            mask: what is 0 in it is pruned.
        """
        return super().apply(module, name, mask=mask, **kwargs)
