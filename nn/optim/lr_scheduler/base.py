"""LRScheduler, the base class, which counts epochs and sets step sizes; and step sizes by a function of the epoch."""

import types
from collections.abc import Callable, Iterable
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.errors import warn_user
from ....runtime.tensor.grad_mode import no_grad
from ...docstrings import completed_from, completed_within
from ..optimizer import Optimizer

_EPOCH_DEPRECATED = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available."
)
_OUT_OF_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. You should call them in the opposite order: "
    "`optimizer.step()` before `lr_scheduler.step()`. Failure to do this skips the first value of the learning rate "
    "schedule."
)


class _enable_get_lr_call:
    """A region in which a schedule may be asked for its step sizes without a warning; schedules of programs use it."""

    def __init__(self, o: Any) -> None:
        self.o = o

    def __enter__(self) -> "_enable_get_lr_call":
        self.o._get_lr_called_within_step = True
        return self

    def __exit__(self, *error: object) -> None:
        self.o._get_lr_called_within_step = False


class LRScheduler:
    """Base class of schedulers: counts epochs and sets the groups' "lr" to what `get_lr` says.

    A subclass defines `get_lr`; and, where step sizes of an epoch follow from the initial ones alone,
    `_get_closed_form_lr`, by which a scheduler starts in the middle.

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
    optimizer: Optimizer
    _last_lr: list[Any]
    _is_initial = False
    _get_lr_called_within_step = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        completed_within(__name__, cls, LRScheduler)

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = checked(optimizer)
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    f"last_epoch >= 0. This typically happens when last_epoch={last_epoch} is given for an optimizer "
                    "that no scheduler has seen"
                )
        self.base_lrs = [copied(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._initial_step()

    def _initial_step(self) -> None:
        """Go to the first epoch, for which nobody has to call `optimizer.step` before."""
        self._step_count = 0
        self._is_initial = True
        self._get_lr_called_within_step = False
        try:
            self.step()
        finally:
            self._is_initial = False

    def _undo_initial_step(self) -> None:
        """Go back to before the first epoch, for a scheduler of schedulers begins anew."""
        self.last_epoch -= 1

    def get_lr(self) -> list[Any]:
        """The step sizes of this epoch, from those in the groups and `last_epoch`; a subclass defines it."""
        if not self._get_lr_called_within_step:
            warn_user("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")
        return self._lr()

    def _lr(self) -> list[Any]:
        raise NotImplementedError(f"{type(self).__name__} defines no get_lr")

    def get_last_lr(self) -> list[Any]:
        """The step sizes set last."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch (or to `epoch`, which is deprecated) and set the groups' step sizes."""
        if self._step_count == 1:
            self._check_order()
        self._step_count += 1
        if epoch is not None:
            warn_user(_EPOCH_DEPRECATED)
        self._update_lr(epoch)

    def _check_order(self) -> None:
        if "step" in vars(self.optimizer):
            warn_user(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                "Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`."
            )
        elif not getattr(self.optimizer, "_opt_called", False):
            warn_user(_OUT_OF_ORDER)

    def _update_lr(self, epoch: int | None = None) -> None:
        with _enable_get_lr_call(self):
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                values = getattr(self, "_get_closed_form_lr", self.get_lr)()
        self._set(values)

    def _set(self, values: list[Any]) -> None:
        with no_grad():
            for group, value in zip(self.optimizer.param_groups, values, strict=False):
                put(group, "lr", value)
        self._last_lr = self._current()

    def _current(self) -> list[Any]:
        return [copied(group["lr"]) for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state that `state_dict` returned."""
        self.__dict__.update(state_dict)


def checked(optimizer: Any) -> Optimizer:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def copied(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def put(group: dict[str, Any], name: str, value: Any) -> None:
    """Change a hyperparameter; one that is a tensor stays the same tensor."""
    if isinstance(group[name], Tensor):
        group[name].fill_(value)
    else:
        group[name] = value


def per_group(name: str, value: Any, optimizer: Optimizer) -> list[Any]:
    groups = len(optimizer.param_groups)
    if not isinstance(value, list | tuple):
        return [value] * groups
    if len(value) != groups:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. "
            f"{name} has {len(value)} values, param_groups has {groups}."
        )
    return list(value)


_LRScheduler = LRScheduler  # the name by which older programs derive from it


class LambdaLR(LRScheduler):
    """The initial step size times a function of the epoch.

    Formula: lr = initial_lr lr_lambda(epoch)

    Args:
        lr_lambda: the function, or a list of one per group.

    Raises: ValueError: the number of functions is not that of the groups.

    Example:
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

    def _lr(self) -> list[Any]:
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


@completed_from(LambdaLR)
class MultiplicativeLR(LambdaLR):
    """The step size times a function of the epoch, in every epoch again.

    Formula: lr = lr lr_lambda(epoch)

    Example:
        >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = sg.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
        >>> optimizer.step(); scheduler.step(); scheduler.get_last_lr()
        [0.5]
    """

    def _lr(self) -> list[Any]:
        if self._is_initial:
            return self._current()
        return [lr * fn(self.last_epoch) for lr, fn in zip(self._current(), self.lr_lambdas, strict=True)]
