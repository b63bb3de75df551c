"""Schedulers: rules that change the step sizes of an optimizer's groups from epoch to epoch."""

from __future__ import annotations

import math
import types
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from ...generated.tensor import Tensor
from .optimizer import Optimizer


class LRScheduler:
    """Base class of schedulers: counts epochs and sets the groups' "lr" to what `get_lr` says.

    Args:
        optimizer: the optimizer whose groups are changed.
        last_epoch: the last epoch that was run; -1 starts anew, and otherwise the groups need an "initial_lr".

    Attributes:
        base_lrs: the step sizes that the groups started with.
        last_epoch: how often `step` was called.

    Raises:
        TypeError: what is given is no Optimizer.
        KeyError: last_epoch is given, and a group has no "initial_lr".
    """

    base_lrs: list[Any]
    last_epoch: int

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    f"last_epoch >= 0. This typically happens when last_epoch={last_epoch} is given for an optimizer "
                    "that no scheduler has seen"
                )
        self.optimizer = optimizer
        self.base_lrs = [_copied(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self.step()

    def get_lr(self) -> list[Any]:
        """The step sizes of this epoch, from those in the groups and `last_epoch`; a subclass defines it."""
        raise NotImplementedError

    def get_last_lr(self) -> list[Any]:
        """The step sizes set last."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch (or to `epoch`, which is deprecated) and set the groups' step sizes."""
        if self._step_count == 1 and not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. You should call them in the "
                "opposite order: `optimizer.step()` before `lr_scheduler.step()`. Failure to do this skips the first "
                "value of the learning rate schedule.",
                stacklevel=2,
            )
        self._step_count += 1
        if epoch is None:
            self.last_epoch += 1
            values = self.get_lr()
        else:
            self.last_epoch = epoch
            values = self._closed_form()
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(value)
            else:
                group["lr"] = value
        self._last_lr = [_copied(group["lr"]) for group in self.optimizer.param_groups]

    def _closed_form(self) -> list[Any]:
        """The step sizes of `last_epoch` from the initial ones alone, where that is possible."""
        return self.get_lr()

    def _current(self) -> list[Any]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what state_dict gave."""
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """The initial step size times a function of the epoch.

    Formula: lr = initial_lr lr_lambda(epoch)

    Args:
        optimizer: the optimizer.
        lr_lambda: the function, or a list of one per group.
        last_epoch: the last epoch that was run.

    Raises:
        ValueError: the number of functions is not that of the groups.

    Example:
        >>> import specgrad as sg
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = sg.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch)
        >>> optimizer.step(); scheduler.step(); scheduler.get_last_lr()
        [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Iterable[Any], last_epoch: int = -1
    ) -> None:
        groups = len(optimizer.param_groups)
        self.lr_lambdas = [lr_lambda] * groups if callable(lr_lambda) else list(lr_lambda)
        if len(self.lr_lambdas) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The step sizes of this epoch."""
        return [base * fn(self.last_epoch) for base, fn in zip(self.base_lrs, self.lr_lambdas, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer and functions; of callable objects their attributes."""
        state = super().state_dict()
        state["lr_lambdas"] = [
            None if isinstance(fn, types.FunctionType) else dict(fn.__dict__) for fn in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what state_dict gave; functions stay as they are."""
        rest = dict(state_dict)
        for fn, attributes in zip(self.lr_lambdas, rest.pop("lr_lambdas"), strict=True):
            if attributes is not None:
                fn.__dict__.update(attributes)
        super().load_state_dict(rest)


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

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = _positive("step_size", step_size)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The step sizes of this epoch."""
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._current()
        return [lr * self.gamma for lr in self._current()]

    def _closed_form(self) -> list[Any]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


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

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = _positive("T_max", T_max)
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _height(self, epoch: int) -> float:
        return (1 + math.cos(math.pi * epoch / self.T_max)) / 2

    def get_lr(self) -> list[Any]:
        """The step sizes of this epoch."""
        epoch = self.last_epoch
        if epoch == 0:
            return self._current()
        if self._step_count == 1:  # resumed: the groups may hold anything
            return self._closed_form()
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # at the bottom the ratio is undefined
            rise = self._height(epoch) - self._height(epoch - 1)
            pairs = zip(self.base_lrs, self._current(), strict=True)
            return [lr + (base - self.eta_min) * rise for base, lr in pairs]
        ratio = self._height(epoch) / self._height(epoch - 1)
        return [self.eta_min + (lr - self.eta_min) * ratio for lr in self._current()]

    def _closed_form(self) -> list[Any]:
        height = self._height(self.last_epoch)
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]


def _copied(lr: Any) -> Any:
    return lr.clone() if isinstance(lr, Tensor) else lr


def _positive(name: str, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")
    return value


_LRScheduler = LRScheduler  # the name by which older programs derive from it
