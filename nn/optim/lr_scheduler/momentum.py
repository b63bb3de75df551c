"""Momentum that moves with the step size: "momentum" of a group, or the first of its "betas"."""

from __future__ import annotations

from typing import Any

from ..optimizer import Optimizer
from .base import per_group


def start_momentum(
    optimizer: Optimizer, base_momentum: Any, max_momentum: Any, last_epoch: int
) -> tuple[bool, list[Any], list[Any]]:
    """Whether momentum is the first of betas, and its bounds in each group; at first it is at the upper one.

    Raises:
        ValueError: the optimizer has no momentum.
    """
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    use_beta1 = "betas" in optimizer.defaults
    lower = per_group("base_momentum", base_momentum, optimizer)
    upper = per_group("max_momentum", max_momentum, optimizer)
    if last_epoch == -1:
        for high, low, group in zip(upper, lower, optimizer.param_groups, strict=True):
            set_momentum(group, use_beta1, high)
            group["max_momentum"], group["base_momentum"] = high, low
    return use_beta1, lower, upper


def set_momentum(group: dict[str, Any], use_beta1: bool, value: float) -> None:
    """Change a group's momentum."""
    if use_beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value
