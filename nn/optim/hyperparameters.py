"""Hyperparameters of optimizers: checked before a group gets them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...generated.tensor import Tensor
from ...runtime.errors import type_name


def check_not_negative(name: str, value: Any) -> None:
    """A hyperparameter must be a number, or a tensor of one, that is not negative."""
    if isinstance(value, Tensor) and value.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not isinstance(value, (int, float, np.number, Tensor)):
        raise TypeError(f"{name} must be a number, not {type_name(value)}")
    if not value >= 0:
        raise ValueError(f"Invalid {name}: {value}")


def check_rate(lr: Any, eps: float | None = None, weight_decay: float = 0) -> None:
    """What nearly every rule has: a step size, a small number under the fraction, a weight of the penalty."""
    check_not_negative("learning rate", lr)
    if eps is not None:
        check_not_negative("epsilon value", eps)
    check_not_negative("weight_decay value", weight_decay)


def check_betas(betas: Any) -> None:
    """How much of two running estimates is kept: a pair of numbers in [0, 1)."""
    if not isinstance(betas, (tuple, list)) or len(betas) != 2:
        raise TypeError(f"betas must be a pair of numbers, not {betas!r}")
    for position, beta in enumerate(betas):
        check_not_negative(f"beta parameter at index {position}", beta)
        if not beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {position}: {beta}")


def check_ways(fused: bool | None, foreach: bool | None, differentiable: bool) -> None:
    """One kernel cannot also be many, and autograd does not look into it."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
