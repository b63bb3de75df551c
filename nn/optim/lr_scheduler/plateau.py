"""Schedules of schedules, and step sizes that fall when a measure no longer gets better."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from ....runtime.errors import warn_user
from ....runtime.tensor.grad_mode import no_grad
from ..optimizer import Optimizer
from .base import _EPOCH_DEPRECATED, LRScheduler, checked, put


class _Combined(LRScheduler):
    _schedulers: Sequence[Any]

    def _update_lr(self, epoch: int | None = None) -> None:
        """Begin, as the next of another scheduler's schedulers."""
        self._reset_lr()
        self._initial_step()

    def _reset_lr(self) -> None:
        for group in self.optimizer.param_groups:
            put(group, "lr", group["initial_lr"])

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer, with a list of what the schedulers gave."""
        own = {name: v for name, v in self.__dict__.items() if name not in ("optimizer", "_schedulers")}
        return {**own, "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state that `state_dict` returned."""
        rest = dict(state_dict)
        for scheduler, state in zip(self._schedulers, rest.pop("_schedulers"), strict=True):
            scheduler.load_state_dict(state)
        self.__dict__.update(rest)


class SequentialLR(_Combined):
    """Schedulers one after the other: from each milestone on the next one, which starts at its own first epoch.

    Args:
        schedulers: the schedulers, in order, made with this optimizer.
        milestones: the epochs in which the next one takes over, one fewer than schedulers.

    Raises:
        ValueError: no scheduler, one of another optimizer or that needs a metric, or another number of milestones.
        TypeError: something that is no scheduler.

    Example:
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedulers = sg.optim.lr_scheduler
        >>> warmup = schedulers.ConstantLR(optimizer, factor=0.25, total_iters=1)
        >>> decay = schedulers.ExponentialLR(optimizer, gamma=0.5)
        >>> scheduler = schedulers.SequentialLR(optimizer, [warmup, decay], milestones=[1])
        >>> for epoch in range(3):
        ...     scheduler.get_last_lr(); optimizer.step(); scheduler.step()
        [0.25]
        [1.0]
        [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int], last_epoch: int = -1
    ) -> None:
        _check("SequentialLR", optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch = last_epoch
        self.optimizer = optimizer
        self._reset_lr()
        for scheduler in schedulers:
            scheduler._undo_initial_step()
        self._initial_step()

    def _initial_step(self) -> None:
        self.last_epoch += 1
        self._schedulers[0]._initial_step()
        self._last_lr = self._schedulers[0].get_last_lr()

    def _undo_initial_step(self) -> None:
        super()._undo_initial_step()
        self._schedulers[0]._undo_initial_step()

    def step(self) -> None:  # type: ignore[override]
        """Go to the next epoch."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Combined):
    """Schedulers all at once: in every epoch each changes what the one before it has set.

    Args:
        schedulers: the schedulers, in order.
        optimizer: the optimizer; that of the first scheduler when left out.

    Raises:
        ValueError: no scheduler, or one of another optimizer or that needs a metric.
        TypeError: something that is no scheduler.

    Example:
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedulers = sg.optim.lr_scheduler
        >>> both = [schedulers.ExponentialLR(optimizer, 0.5), schedulers.StepLR(optimizer, 1, 0.5)]
        >>> scheduler = schedulers.ChainedScheduler(both)
        >>> optimizer.step(); scheduler.step(); scheduler.get_last_lr()
        [0.25]
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        result = optimizer or getattr(schedulers[0] if schedulers else None, "optimizer", None)
        _check("ChainedScheduler", result, schedulers)
        self._schedulers = schedulers
        self.optimizer = result  # type: ignore[assignment]
        self._last_lr = self._current()

    def _initial_step(self) -> None:
        for scheduler in self._schedulers:
            scheduler._initial_step()
        self._last_lr = self._current()

    def _undo_initial_step(self) -> None:
        for scheduler in self._schedulers:
            scheduler._undo_initial_step()

    def step(self) -> None:  # type: ignore[override]
        """Go to the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._current()


def _check(name: str, optimizer: Any, schedulers: Sequence[Any]) -> None:
    if not schedulers:
        requested = "scheduler to be chained" if name == "ChainedScheduler" else "scheduler"
        raise ValueError(f"{name} expects at least one {requested}, but got no scheduler.")
    for number, scheduler in enumerate(schedulers):
        if not hasattr(scheduler, "optimizer"):
            raise TypeError(f"{name} at index {number} should have `optimizer` as its attribute.")
        if isinstance(scheduler, ReduceLROnPlateau):
            raise ValueError(
                f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
                f"specified when calling `step`, but got one at index {number} in the given schedulers sequence."
            )
        if scheduler.optimizer is not optimizer:
            raise ValueError(
                f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                f"{type(scheduler).__name__} at index {number} has {scheduler.optimizer}, which is different from "
                f"{type(optimizer).__name__}."
            )


class ReduceLROnPlateau(LRScheduler):
    """The step size times factor when a metric did not get better for more than patience epochs.

    Args:
        mode: whether lower ("min") or higher ("max") is better.
        factor: the factor.
        patience: how many epochs without progress are allowed.
        threshold: how much better counts as progress.
        threshold_mode: whether that is a fraction of the best ("rel") or a difference ("abs").
        cooldown: epochs after a change in which no epoch counts as one without progress.
        min_lr: the least step size, or a list of one per group.
        eps: changes that are not greater are not made.

    Raises: ValueError: factor is not below 1, a mode is unknown, or min_lr has another length than groups.

    Example:
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
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.last_epoch = 0
        self._last_lr = self._current()
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self._reset()

    def _limit_from_below(self, lower_limit: float | list[float]) -> None:
        groups = len(self.optimizer.param_groups)
        if isinstance(lower_limit, list | tuple):
            if len(lower_limit) != groups:
                raise ValueError(f"expected {groups} min_lrs, got {len(lower_limit)}")
            self.default_min_lr: float | None = None
            self.min_lrs: list[Any] = list(lower_limit)
        else:
            self.default_min_lr = lower_limit
            self.min_lrs = [lower_limit] * groups

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Go to the next epoch, with `metrics` of this one, a number or a tensor of one.

        The number `epoch` is deprecated.
        """
        current = float(metrics)
        if epoch is not None:
            warn_user(_EPOCH_DEPRECATED)
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
            for group, lower_limit in zip(groups, self.min_lrs, strict=True):
                before = float(group["lr"])
                after = max(before * self.factor, float(lower_limit))
                if before - after > self.eps:
                    put(group, "lr", after)

    @property
    def in_cooldown(self) -> bool:
        """Whether epochs without progress do not count now."""
        return self.cooldown_counter > 0
