"""Step sizes along a cosine."""

from __future__ import annotations

import math
from typing import Any

from ..optimizer import Optimizer
from .base import LRScheduler
from .stairs import positive


class CosineAnnealingLR(LRScheduler):
    """The step size along half a cosine, from its initial value down to eta_min in T_max epochs, then up again.

    Formula: lr = eta_min + (initial_lr - eta_min) (1 + cos(pi epoch / T_max)) / 2

    Each value is computed from the one before, so that another scheduler may change it in between.

    Args:
        optimizer: the optimizer.
        T_max: epochs from top to bottom.
        eta_min: the bottom.
        last_epoch: the last epoch that was run.

    Source: Loshchilov and Hutter, SGDR: stochastic gradient descent with warm restarts (2017), without restarts.

    Example:
        >>> import specgrad as sg
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = sg.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
        >>> optimizer.step(); scheduler.step(); round(scheduler.get_last_lr()[0], 6)
        0.5
    """

    def __init__(self, optimizer: Optimizer, T_max: float, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = positive("T_max", T_max)
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _height(self, epoch: int) -> float:
        return (1 + math.cos(math.pi * epoch / self.T_max)) / 2

    def get_lr(self) -> list[Any]:
        """The step sizes of this epoch."""
        self._warn_outside_step()
        epoch = self.last_epoch
        if self._is_initial:
            return self._current()
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # at the bottom the ratio is undefined
            rise = self._height(epoch) - self._height(epoch - 1)
            pairs = zip(self.base_lrs, self._current(), strict=True)
            return [lr + (base - self.eta_min) * rise for base, lr in pairs]
        ratio = self._height(epoch) / self._height(epoch - 1)
        return [self.eta_min + (lr - self.eta_min) * ratio for lr in self._current()]

    def _get_closed_form_lr(self) -> list[Any]:
        height = self._height(self.last_epoch)
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """The step size along half a cosine from its initial value down to eta_min, again and again from the top.

    Formula: lr = eta_min + (initial_lr - eta_min) (1 + cos(pi T_cur / T_i)) / 2, where T_cur counts epochs since the
    last restart and T_i is the length of the current period: T_0, then T_mult times the one before

    Args:
        optimizer: the optimizer.
        T_0: epochs of the first period.
        T_mult: how much longer each period is than the one before.
        eta_min: the bottom.
        last_epoch: the last epoch that was run; the period and the place in it follow from it.

    Raises:
        ValueError: T_0 or T_mult is no whole number from 1 on, or eta_min no number.

    Source: Loshchilov and Hutter, SGDR: stochastic gradient descent with warm restarts (2017).

    Example:
        >>> import specgrad as sg
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = sg.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
        >>> for epoch in range(2):
        ...     optimizer.step(); scheduler.step(); round(scheduler.get_last_lr()[0], 6)
        0.5
        1.0
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        if last_epoch > 0:
            self._jump(last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The step sizes of this epoch."""
        self._warn_outside_step()
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go to the next epoch, or to `epoch`, which may be a fraction: epoch + batch / batches."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            self._jump(epoch)
        self._update_lr(math.floor(epoch))

    def _jump(self, epoch: float) -> None:
        """To the period that an epoch lies in, and how far into it."""
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        start, self.T_i = (epoch // self.T_0 * self.T_0 if self.T_mult == 1 else 0), self.T_0
        while epoch >= start + self.T_i:
            start, self.T_i = start + self.T_i, self.T_i * self.T_mult
        self.T_cur = epoch - start
