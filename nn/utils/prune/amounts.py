"""How much is pruned: a number of units, or the part of them that it is."""

from __future__ import annotations

import numbers

from ....generated.tensor import Tensor

Amount = int | float


def check_amount(amount: Amount) -> None:
    """Refuse what is no number of units and no part of them."""
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if (isinstance(amount, numbers.Integral) and amount < 0) or (
        not isinstance(amount, numbers.Integral) and not 0.0 <= float(amount) <= 1.0
    ):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def number_to_prune(amount: Amount, units: int) -> int:
    """The number that an amount of units is.

    Raises:
        ValueError: there are fewer units.
    """
    if isinstance(amount, numbers.Integral):
        if amount > units:
            raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={units}")
        return int(amount)
    return round(amount * units)


def check_structured(t: Tensor, dim: int) -> None:
    """Refuse a tensor without channels, and a dimension that it does not have."""
    if t.dim() <= 1:
        raise ValueError(
            f"Structured pruning can only be applied to multidimensional tensors. Found tensor of shape {t.shape} with "
            f"{t.dim()} dims"
        )
    if dim >= t.dim() or dim < -t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")
