"""Momentum that moves with the step size: "momentum" of a group, or the first of its "betas"."""

from __future__ import annotations

from typing import Any

from ..optimizer import Optimizer


def needs_momentum(optimizer: Optimizer) -> bool:
    """Whether the optimizer's momentum is the first of betas.

    Raises:
        ValueError: it has none.
    """
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    return "betas" in optimizer.defaults


def set_momentum(group: dict[str, Any], use_beta1: bool, value: float) -> None:
    """Change a group's momentum."""
    if use_beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value
