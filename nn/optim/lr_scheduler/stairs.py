"""Step sizes that fall from one level to the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..optimizer import Optimizer
from .base import LRScheduler


class StepLR(LRScheduler):
    """The step size times gamma every step_size epochs.

    Formula: lr = initial_lr gamma^floor(epoch / step_size)

    Args:
        optimizer: the optimizer.
        step_size: epochs between two changes.
        gamma: the factor.
        last_epoch: the last epoch that was run.

    Example:
        >>> import specgrad as sg
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = sg.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.25)
        >>> optimizer.step(); scheduler.step(); scheduler.get_last_lr()
        [0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: float, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = positive("step_size", step_size)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The step sizes of this epoch."""
        self._warn_outside_step()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._current()
        return [lr * self.gamma for lr in self._current()]

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """The step size times gamma in each of the given epochs.

    Formula: lr = initial_lr gamma^(how many milestones are <= epoch)

    Args:
        optimizer: the optimizer.
        milestones: the epochs in which it changes.
        gamma: the factor.
        last_epoch: the last epoch that was run.

    Example:
        >>> import specgrad as sg
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = sg.optim.lr_scheduler.MultiStepLR(optimizer, [1, 5], gamma=0.25)
        >>> optimizer.step(); scheduler.step(); scheduler.get_last_lr()
        [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The step sizes of this epoch."""
        self._warn_outside_step()
        times = self.milestones[self.last_epoch]
        return [lr * self.gamma**times for lr in self._current()] if times else self._current()

    def _get_closed_form_lr(self) -> list[Any]:
        times = sum(count for milestone, count in self.milestones.items() if milestone <= self.last_epoch)
        return [base * self.gamma**times for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """The step size times gamma in every epoch.

    Formula: lr = initial_lr gamma^epoch

    Args:
        optimizer: the optimizer.
        gamma: the factor.
        last_epoch: the last epoch that was run.

    Example:
        >>> import specgrad as sg
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = sg.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> optimizer.step(); scheduler.step(); scheduler.get_last_lr()
        [0.5]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The step sizes of this epoch."""
        self._warn_outside_step()
        return self._current() if self._is_initial else [lr * self.gamma for lr in self._current()]

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


def positive(name: str, value: Any) -> Any:
    """A number of epochs, which may be a fraction."""
    if not value > 0:
        raise ValueError(f"{name} should be positive, but got {name}={value}")
    return value
