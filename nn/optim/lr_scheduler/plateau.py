"""Step sizes that fall when a metric stops getting better."""

from __future__ import annotations

import math
from typing import Any

from ....runtime.errors import warn_user
from ....runtime.modes.grad_mode import no_grad
from ..optimizer import Optimizer
from .base import _EPOCH_GIVEN, LRScheduler, checked, put


class ReduceLROnPlateau(LRScheduler):
    """The step size times factor when a metric did not get better for more than patience epochs.

    Args:
        optimizer: the optimizer.
        mode: whether lower ("min") or higher ("max") is better.
        factor: the factor.
        patience: how many epochs without progress are allowed.
        threshold: how much better counts as progress.
        threshold_mode: whether that is a fraction of the best ("rel") or a difference ("abs").
        cooldown: epochs after a change in which no epoch counts as one without progress.
        min_lr: the least step size, or a list of one per group.
        eps: changes that are not greater are not made.

    Raises:
        ValueError: factor is not below 1, a mode is unknown, or min_lr has another length than groups.

    Example:
        >>> import specgrad as sg
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = sg.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
        >>> for loss in (3.0, 2.0, 2.0, 2.0):
        ...     optimizer.step(); scheduler.step(loss)
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        self.optimizer = checked(optimizer)
        self._limit_from_below(min_lr)
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = self._current()
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self._reset()

    def _limit_from_below(self, least: float | list[float]) -> None:
        groups = len(self.optimizer.param_groups)
        if isinstance(least, list | tuple):
            if len(least) != groups:
                raise ValueError(f"expected {groups} min_lrs, got {len(least)}")
            self.default_min_lr: float | None = None
            self.min_lrs: list[Any] = list(least)
        else:
            self.default_min_lr = least
            self.min_lrs = [least] * groups

    def _reset(self) -> None:
        """Forget the best metric and what was counted."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Go to the next epoch, with the metric of this one.

        Args:
            metrics: the metric, a number or a tensor of one.
            epoch: the number of the epoch, which is deprecated.
        """
        current = float(metrics)
        if epoch is not None:
            warn_user(_EPOCH_GIVEN)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = self._current()

    def _is_better(self, a: float, best: float) -> bool:
        lower = self.mode == "min"
        margin = -self.threshold if lower else self.threshold
        bound = best * (1 + margin) if self.threshold_mode == "rel" else best + margin
        return a < bound if lower else a > bound

    def _reduce_lr(self, epoch: int) -> None:
        groups = self.optimizer.param_groups
        missing = len(groups) - len(self.min_lrs)
        if missing and self.default_min_lr is None:
            raise RuntimeError(
                f"The number of param groups in the `optimizer` ({len(groups)}) differs from when `ReduceLROnPlateau` "
                f"was initialized ({len(self.min_lrs)}), usually due to a new param group being added to the "
                "optimizer. Please modify the `min_lrs` field to match the length of the `optimizer` param groups."
            )
        self.min_lrs += [self.default_min_lr] * missing
        with no_grad():
            for group, least in zip(groups, self.min_lrs, strict=True):
                before = float(group["lr"])
                after = max(before * self.factor, float(least))
                if before - after > self.eps:
                    put(group, "lr", after)

    @property
    def in_cooldown(self) -> bool:
        """Whether epochs without progress do not count now."""
        return self.cooldown_counter > 0
