"""The schedule of stochastic weight averaging."""

import math
from typing import Any

from ..lr_scheduler.base import LRScheduler, checked, per_group
from ..optimizer import Optimizer


class SWALR(LRScheduler):
    """The step size from where it is to a constant in some epochs, and that constant from then on.

    Formula: lr = a swa_lr + (1 - a) initial_lr, where a goes from 0 to 1 along half a cosine or a line

    Args:
        swa_lr: the constant, or a list of one per group.
        anneal_epochs: epochs from here to there.
        anneal_strategy: "cos" or "linear".

    Raises: ValueError: anneal_strategy is unknown, anneal_epochs negative, or the list has another length than groups.

    Source: Izmailov et al., Averaging weights leads to wider optima and better generalization (2018).

    Example:
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = sg.optim.swa_utils.SWALR(optimizer, swa_lr=0.5, anneal_epochs=2)
        >>> optimizer.step(); scheduler.step(); round(scheduler.get_last_lr()[0], 6)
        0.75
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        constants = per_group("swa_lr", swa_lr, checked(optimizer))
        for constant, group in zip(constants, optimizer.param_groups, strict=True):
            group["swa_lr"] = constant
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._anneal_strategy, self.anneal_epochs = anneal_strategy, anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _lr(self) -> list[Any]:
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._share(step - 1), self._share(step)
        return [_next(group["lr"], group["swa_lr"], before, now) for group in self.optimizer.param_groups]

    def _share(self, step: int) -> float:
        done = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return done if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * done)) / 2


def _next(lr: Any, constant: Any, before: float, now: float) -> Any:
    """The step size after `now` of the way, from that after `before` of it: the start follows from it."""
    start = constant if before == 1 else (lr - before * constant) / (1 - before)
    return constant * now + start * (1 - now)
