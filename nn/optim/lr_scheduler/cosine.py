"""Step sizes along a cosine, and those of the one-cycle policy: up to a maximum, then down to far below the start."""

import math
from typing import Any

from ..optimizer import Optimizer
from .base import LRScheduler, checked, per_group
from .cyclic import set_momentum, start_momentum
from .steps import positive


class CosineAnnealingLR(LRScheduler):
    """The step size along half a cosine, from its initial value down to eta_min in T_max epochs, then up again.

    Formula: lr = eta_min + (initial_lr - eta_min) (1 + cos(pi epoch / T_max)) / 2

    Each value is computed from the one before, so that another scheduler may change it in between.

    Args:
        T_max: epochs from top to bottom.
        eta_min: the bottom.

    Source: Loshchilov and Hutter, SGDR: stochastic gradient descent with warm restarts (2017), without restarts.

    Example:
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

    def _lr(self) -> list[Any]:
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
        T_0: epochs of the first period.
        T_mult: how much longer each period is than the one before.
        eta_min: the bottom.
        last_epoch: the last epoch that was run; the period and the place in it follow from it.

    Raises: ValueError: T_0 or T_mult is no whole number from 1 on, or eta_min no number.

    Source: Loshchilov and Hutter, SGDR: stochastic gradient descent with warm restarts (2017).

    Example:
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
        self.T_mult, self.eta_min = T_mult, eta_min
        self.T_cur: float = last_epoch
        if last_epoch > 0:
            self._jump(last_epoch)
        super().__init__(optimizer, last_epoch)

    def _lr(self) -> list[Any]:
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
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        start, self.T_i = (epoch // self.T_0 * self.T_0 if self.T_mult == 1 else 0), self.T_0
        while epoch >= start + self.T_i:
            start, self.T_i = start + self.T_i, self.T_i * self.T_mult
        self.T_cur = epoch - start


class OneCycleLR(LRScheduler):
    """The step size up to max_lr and down again, once; `step` belongs after every batch.

    Formula: from max_lr / div_factor to max_lr in pct_start total_steps steps, and to
    max_lr / (div_factor final_div_factor) in the others, each along half a cosine or a line; momentum the other way

    Args:
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

    def _lr(self) -> list[Any]:
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        phase, done = self._index()
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                start, end = group[phase["start_momentum"]], group[phase["end_momentum"]]
                set_momentum(group, self.use_beta1, self._between(start, end, done))
        return [
            self._between(group[phase["start_lr"]], group[phase["end_lr"]], done)
            for group in self.optimizer.param_groups
        ]

    def _index(self) -> tuple[dict[str, Any], float]:
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
    arg = {"total_steps": total} if total is not None else {"epochs": epochs, "steps_per_epoch": per_epoch}
    if None in arg.values():
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in arg.items():
        if value <= 0 or not isinstance(value, int):
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return math.prod(arg.values())


def _phases(steps: int, part: float, three: bool) -> list[dict[str, Any]]:
    up = _phase(float(part * steps) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
    if not three:
        return [up, _phase(steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
    down = _phase(float(2 * part * steps) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum")
    return [up, down, _phase(steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum")]


def _phase(end: float, *names: str) -> dict[str, Any]:
    keys = ("start_lr", "end_lr", "start_momentum", "end_momentum")
    return {"end_step": end, **dict(zip(keys, names, strict=True))}
