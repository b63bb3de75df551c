"""Hyperparameters of optimizers: checked before a group gets them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...generated.tensor import Tensor
from ...runtime.errors import type_name

_NAMES_IN_ERRORS = {"lr": "learning rate", "eps": "epsilon value"}  # of the other names errors say "... value"


def check_not_negative(name: str, value: Any) -> None:
    """A hyperparameter must be a number, or a tensor of one, that is not negative."""
    if isinstance(value, Tensor) and value.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not isinstance(value, (int, float, np.number, Tensor)):
        raise TypeError(f"{name} must be a number, not {type_name(value)}")
    if not value >= 0:
        raise ValueError(f"Invalid {name}: {value}")


def check_betas(betas: Any) -> None:
    """The shares that two running estimates keep must be a pair of numbers in [0, 1)."""
    if not isinstance(betas, (tuple, list)) or len(betas) != 2:
        raise TypeError(f"betas must be a pair of numbers, not {betas!r}")
    for position, beta in enumerate(betas):
        check_not_negative(f"beta parameter at index {position}", beta)
        if not beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {position}: {beta}")


def checked(arguments: dict[str, Any], *not_negative: str) -> dict[str, Any]:
    """The hyperparameters among the `locals()` of an optimizer's constructor: the defaults of its groups.

    Args:
        arguments: what the constructor was called with, by name.
        not_negative: the names of those that must not be negative numbers.
    """
    found = {name: value for name, value in arguments.items() if name not in ("self", "params", "__class__")}
    for name in not_negative:
        check_not_negative(_NAMES_IN_ERRORS.get(name, f"{name} value"), found[name])
    if "betas" in found:
        check_betas(found["betas"])
    if found.get("fused") and found["differentiable"]:  # autograd does not look into a kernel
        raise RuntimeError("`fused` does not support `differentiable`")
    if found.get("fused") and found["foreach"]:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
    return found
