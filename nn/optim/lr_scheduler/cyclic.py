"""Step sizes that go up and down between two bounds, and momentum that goes the other way."""

import math
import types
from collections.abc import Callable
from typing import Any

from ..optimizer import Optimizer
from .base import LRScheduler, checked, per_group, put


def start_momentum(
    optimizer: Optimizer, base_momentum: Any, max_momentum: Any, last_epoch: int
) -> tuple[bool, list[Any], list[Any]]:
    """Whether momentum is the first of betas, and its bounds in each group; at first it is at the upper one."""
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
    if use_beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


_SCALES: dict[str, tuple[Callable[[float, float], float], str]] = {  # of the cycle or the iteration, and gamma
    "triangular": (lambda x, gamma: 1.0, "cycle"),
    "triangular2": (lambda x, gamma: 1 / 2.0 ** (x - 1), "cycle"),
    "exp_range": (lambda x, gamma: gamma**x, "iterations"),
}


class CyclicLR(LRScheduler):
    """The step size up and down between two bounds, along lines; `step` belongs after every batch.

    Formula: lr = base_lr + (max_lr - base_lr) h s, where h goes from 0 to 1 in step_size_up steps and back in
    step_size_down; s is 1 ("triangular"), 1 / 2^(cycle - 1) ("triangular2"), gamma^steps ("exp_range") or scale_fn

    Args:
        base_lr: the lower bound, or a list of one per group.
        max_lr: the upper bound, or a list of one per group.
        step_size_up: steps from the lower bound to the upper.
        step_size_down: steps back; as many as up when left out.
        mode: how cycles shrink.
        gamma: the base of "exp_range".
        scale_fn: a function in place of mode.
        scale_mode: whether it is called with the number of the "cycle" or of the "iterations".
        cycle_momentum: move momentum (or beta1) the other way.
        base_momentum: its lower bound, or a list of one per group.
        max_momentum: its upper bound, where cycles start, or a list of one per group.
        last_epoch: the last step that was made.

    Raises: ValueError: mode is unknown, a list has another length than groups, or the optimizer has no momentum.

    Source: Smith, Cyclical learning rates for training neural networks (2017).

    Example:
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
        >>> scheduler = sg.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.0, max_lr=1.0, step_size_up=2)
        >>> for batch in range(3):
        ...     optimizer.step(); scheduler.step(); round(scheduler.get_last_lr()[0], 6)
        0.5
        1.0
        0.5
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        lower = per_group("base_lr", base_lr, checked(optimizer))
        self.max_lrs = per_group("max_lr", max_lr, optimizer)
        if last_epoch == -1:
            for lr, group in zip(lower, optimizer.param_groups, strict=True):
                put(group, "lr", lr)
        self.total_size = float(step_size_up) + float(step_size_up if step_size_down is None else step_size_down)
        self.step_ratio = float(step_size_up) / self.total_size
        if mode not in _SCALES and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else _SCALES[mode][1]
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            result = start_momentum(optimizer, base_momentum, max_momentum, last_epoch)
            self.use_beta1, self.base_momentums, self.max_momentums = result
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lower

    def scale_fn(self, x: float) -> float:
        """The share of the distance between the bounds that the cycle, or the iteration, `x` uses."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return _SCALES[self.mode][0](x, self.gamma)

    def _lr(self) -> list[Any]:
        cycles = self.last_epoch / self.total_size
        cycle = math.floor(1 + cycles)
        x = 1.0 + cycles - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, self.optimizer.param_groups, strict=True)
            for low, high, group in bounds:
                set_momentum(group, self.use_beta1, high - (high - low) * height * scale)
        pairs = zip(self.base_lrs, self.max_lrs, strict=True)
        return [low + (high - low) * height * scale for low, high in pairs]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer and a function given as scale_fn; of a callable object its attributes."""
        state = super().state_dict()
        scale = state.pop("_scale_fn_custom")
        plain = scale is None or isinstance(scale, types.FunctionType)
        return {**state, "_scale_fn_custom": None if plain else dict(scale.__dict__)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state that `state_dict` returned; a function stays as it is."""
        rest = dict(state_dict)
        attributes = rest.pop("_scale_fn_custom")
        super().load_state_dict(rest)
        if attributes is not None and self._scale_fn_custom is not None:
            self._scale_fn_custom.__dict__.update(attributes)
