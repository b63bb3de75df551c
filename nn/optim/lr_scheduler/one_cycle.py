"""Step sizes of the one-cycle policy: up to a maximum, then down to far below the start."""

from __future__ import annotations

import math
from typing import Any

from ..optimizer import Optimizer
from .base import LRScheduler, checked, per_group
from .momentum import set_momentum, start_momentum


class OneCycleLR(LRScheduler):
    """The step size up to max_lr and down again, once; `step` belongs after every batch.

    Formula: from max_lr / div_factor to max_lr in pct_start total_steps steps, and to
    max_lr / (div_factor final_div_factor) in the others, each along half a cosine or a line; momentum the other way

    Args:
        optimizer: the optimizer.
        max_lr: the greatest step size, or a list of one per group.
        total_steps: steps of the cycle; epochs times steps_per_epoch when left out.
        epochs: epochs of training.
        steps_per_epoch: steps of each.
        pct_start: the part of the cycle that goes up.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: move momentum (or beta1) the other way.
        base_momentum: its least value, or a list of one per group.
        max_momentum: its greatest value, or a list of one per group.
        div_factor: max_lr / the first step size.
        final_div_factor: the first step size / the last.
        three_phase: go down to the first step size as long as up, and then to the last.
        last_epoch: the last step that was made.

    Raises:
        ValueError: the number of steps is missing or not positive, a part is not in [0, 1], or a name is unknown; and
            in a step after the last.

    Source: Smith and Topin, Super-convergence: very fast training of neural networks using large learning rates (2018).

    Example:
        >>> import specgrad as sg
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
        >>> scheduler = sg.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=5, pct_start=0.4)
        >>> for batch in range(3):
        ...     round(scheduler.get_last_lr()[0], 4); optimizer.step(); scheduler.step()
        0.04
        1.0
        0.75
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        checked(optimizer)
        self.total_steps = _steps(total_steps, epochs, steps_per_epoch)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        self._anneal_func_type = anneal_strategy
        highest = per_group("max_lr", max_lr, optimizer)
        if last_epoch == -1:
            for high, group in zip(highest, optimizer.param_groups, strict=True):
                group["initial_lr"], group["max_lr"] = high / div_factor, high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1, _, _ = start_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The step sizes of this step; momentum is set at once."""
        self._warn_outside_step()
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        phase, done = self._place()
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                start, end = group[phase["start_momentum"]], group[phase["end_momentum"]]
                set_momentum(group, self.use_beta1, self._between(start, end, done))
        return [
            self._between(group[phase["start_lr"]], group[phase["end_lr"]], done)
            for group in self.optimizer.param_groups
        ]

    def _place(self) -> tuple[dict[str, Any], float]:
        """The phase of this step, and how much of it is done."""
        start = 0.0
        for phase in self._schedule_phases:
            if self.last_epoch <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            start = phase["end_step"]
        return phase, (self.last_epoch - start) / (phase["end_step"] - start)

    def _between(self, start: float, end: float, done: float) -> float:
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (1 + math.cos(math.pi * done))
        return start + (end - start) * done


def _steps(total: Any, epochs: Any, per_epoch: Any) -> int:
    given = {"total_steps": total} if total is not None else {"epochs": epochs, "steps_per_epoch": per_epoch}
    if None in given.values():
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in given.items():
        if value <= 0 or not isinstance(value, int):
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return math.prod(given.values())


def _phases(steps: int, part: float, three: bool) -> list[dict[str, Any]]:
    """Where each phase ends, and between which hyperparameters of the group it goes."""
    up = _phase(float(part * steps) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
    if not three:
        return [up, _phase(steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
    down = _phase(float(2 * part * steps) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum")
    return [up, down, _phase(steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum")]


def _phase(end: float, *names: str) -> dict[str, Any]:
    keys = ("start_lr", "end_lr", "start_momentum", "end_momentum")
    return {"end_step": end, **dict(zip(keys, names, strict=True))}
