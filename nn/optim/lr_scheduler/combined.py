"""Several schedulers on one optimizer: one after the other, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from ..optimizer import Optimizer
from .base import LRScheduler, put
from .plateau import ReduceLROnPlateau


class _Combined(LRScheduler):
    _schedulers: Sequence[Any]

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
        optimizer: the optimizer.
        schedulers: the schedulers, in order, made with this optimizer.
        milestones: the epochs in which the next one takes over, one fewer than schedulers.
        last_epoch: the last epoch that was run.

    Raises:
        ValueError: no scheduler, one of another optimizer or that needs a metric, or another number of milestones.
        TypeError: something that is no scheduler.

    Example:
        >>> import specgrad as sg
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
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:  # as they were before the schedulers were made
            put(group, "lr", group["initial_lr"])
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
        schedulers[0]._initial_step()
        self._last_lr = schedulers[0].get_last_lr()

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
        >>> import specgrad as sg
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedulers = sg.optim.lr_scheduler
        >>> both = [schedulers.ExponentialLR(optimizer, 0.5), schedulers.StepLR(optimizer, 1, 0.5)]
        >>> scheduler = schedulers.ChainedScheduler(both)
        >>> optimizer.step(); scheduler.step(); scheduler.get_last_lr()
        [0.25]
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        found = optimizer or getattr(schedulers[0] if schedulers else None, "optimizer", None)
        _check("ChainedScheduler", found, schedulers)
        self._schedulers = schedulers
        self.optimizer = found  # type: ignore[assignment]
        self._last_lr = self._current()

    def step(self) -> None:  # type: ignore[override]
        """Go to the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._current()


def _check(name: str, optimizer: Any, schedulers: Sequence[Any]) -> None:
    """All are schedulers of one optimizer that need no metric."""
    if not schedulers:
        wanted = "scheduler to be chained" if name == "ChainedScheduler" else "scheduler"
        raise ValueError(f"{name} expects at least one {wanted}, but got no scheduler.")
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
