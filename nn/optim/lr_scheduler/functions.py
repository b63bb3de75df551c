"""Step sizes by a function of the epoch."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any

from ..optimizer import Optimizer
from .base import LRScheduler, checked


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
        groups = len(checked(optimizer).param_groups)
        self.lr_lambdas = [lr_lambda] * groups if callable(lr_lambda) else list(lr_lambda)
        if len(self.lr_lambdas) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The step sizes of this epoch."""
        self._warn_outside_step()
        return [base * fn(self.last_epoch) for base, fn in zip(self.base_lrs, self.lr_lambdas, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer and functions; of callable objects their attributes."""
        state = super().state_dict()
        del state["lr_lambdas"]  # last, where PyTorch has it
        state["lr_lambdas"] = [
            None if isinstance(fn, types.FunctionType) else dict(fn.__dict__) for fn in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state that `state_dict` returned; functions stay as they are."""
        rest = dict(state_dict)
        for fn, attributes in zip(self.lr_lambdas, rest.pop("lr_lambdas"), strict=True):
            if attributes is not None:
                fn.__dict__.update(attributes)
        super().load_state_dict(rest)


class MultiplicativeLR(LambdaLR):
    """The step size times a function of the epoch, in every epoch again.

    Formula: lr = lr lr_lambda(epoch)

    Args:
        optimizer: the optimizer.
        lr_lambda: the function, or a list of one per group.
        last_epoch: the last epoch that was run.

    Raises:
        ValueError: the number of functions is not that of the groups.

    Example:
        >>> import specgrad as sg
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = sg.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
        >>> optimizer.step(); scheduler.step(); scheduler.get_last_lr()
        [0.5]
    """

    def get_lr(self) -> list[Any]:
        """The step sizes of this epoch."""
        self._warn_outside_step()
        if self._is_initial:
            return self._current()
        return [lr * fn(self.last_epoch) for lr, fn in zip(self._current(), self.lr_lambdas, strict=True)]
