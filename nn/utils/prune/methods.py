"""Pruning of single elements, and of whole channels: a random choice, those of least norm, those of a mask."""

from typing import Any

from ....generated.ops import norm
from ....generated.tensor import Tensor
from ....runtime.ops.creation import rand, rand_like, zeros_like
from ....runtime.tensor.memory_format import contiguous_format
from ...docstrings import completed_from
from ...modules.module.base import Module
from .method import Amount, BasePruningMethod, check_amount, check_structured, number_to_prune


class Identity(BasePruningMethod):
    """Prunes nothing: the parameter gets a mask of ones."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """`default_mask` itself, whatever `t` is."""
        return default_mask


class _LowestScores(BasePruningMethod):
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

    Raises: ValueError: a part that is not between 0 and 1, or a negative number.
    """

    def scores(self, t: Tensor) -> Tensor:
        return rand_like(t)


@completed_from(RandomUnstructured)
class L1Unstructured(_LowestScores):
    """Prunes the elements of least magnitude."""

    def scores(self, t: Tensor) -> Tensor:
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
        """Prune the parameter `name` of `module` where `mask` is 0."""
        return super().apply(module, name, mask=mask, **kwargs)


class _Channels(BasePruningMethod):
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
        return rand(t.shape[self.dim])


@completed_from(RandomStructured)
class LnStructured(_Channels):
    """Prunes the channels of least norm.

    Args:
        n: which norm, as of `norm`.
    """

    def __init__(self, amount: Amount, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def scores(self, t: Tensor) -> Tensor:
        others = [d for d in range(t.dim()) if d != self.dim % t.dim()]
        return norm(t, p=self.n, dim=others)
