"""Averages of a model's parameters over training, and the schedule that goes with them."""

import copy
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.methods.argument_guard import explained
from ...runtime.ops.creation import tensor
from ...runtime.tensor.dtypes import int64
from ...runtime.tensor.grad_mode import no_grad
from ..modules.batchnorm import _BatchNorm
from ..modules.module.base import Module
from .lr_scheduler.base import LRScheduler, checked, per_group
from .optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

One = Callable[[Tensor, Tensor, Any], Tensor]
MultiAvgFn = Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]


def get_ema_avg_fn(decay: float = 0.999) -> One:
    """A function (average, value, count) that gives the exponential moving average.

    Formula: decay average + (1 - decay) value

    Args:
        decay: how much of the average is kept.

    Raises: ValueError: decay is not between 0 and 1.

    Example:
        >>> sg.optim.swa_utils.get_ema_avg_fn(0.75)(sg.tensor([1.0]), sg.tensor([3.0]), 5)
        tensor([1.5000])
    """
    _check(decay)

    @explained
    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> One:
    """A function (average, value, count) that gives the average of count + 1 values.

    Formula: average + (value - average) / (count + 1)

    Example:
        >>> sg.optim.swa_utils.get_swa_avg_fn()(sg.tensor([1.0]), sg.tensor([3.0]), 3)
        tensor([1.5000])
    """

    @explained
    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> MultiAvgFn:
    """A function that updates exponential moving averages of a list of tensors in place; see `get_ema_avg_fn`.

    Args:
        decay: how much of the averages is kept.

    Raises: ValueError: decay is not between 0 and 1.
    """
    _check(decay)

    @explained
    @no_grad()
    def ema_update(ema_param_list: Sequence[Tensor], current_param_list: Sequence[Tensor], _: Any) -> None:
        for average, value in zip(ema_param_list, current_param_list, strict=True):
            average.lerp_(value, 1 - decay)

    return ema_update


def get_swa_multi_avg_fn() -> MultiAvgFn:
    """A function that writes the averages of a list of tensors in place, as `get_swa_avg_fn` computes one."""

    @explained
    @no_grad()
    def swa_update(
        averaged_param_list: Sequence[Tensor], current_param_list: Sequence[Tensor], num_averaged: Any
    ) -> None:
        weight = 1 / (float(num_averaged) + 1)
        for average, value in zip(averaged_param_list, current_param_list, strict=True):
            average.lerp_(value, weight)

    return swa_update


def _check(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of those that the model had.

    Formula: average = average + (parameter - average) / (n_averaged + 1), or what avg_fn or multi_avg_fn says

    Args:
        model: the model; the first `update_parameters` copies its parameters.
        device: where the averages are kept; where the model is when left out.
        avg_fn: a function (average, parameter, n_averaged) that gives the new average.
        multi_avg_fn: a function (averages, parameters, n_averaged) that writes the averages in place.
        use_buffers: average buffers too, instead of copying them.

    Attributes:
        module: the copy.
        n_averaged: how often `update_parameters` was called.

    Shape: Input and output: those of the model.

    Raises: AssertionError: avg_fn and multi_avg_fn are both given.

    Source: Izmailov et al., Averaging weights leads to wider optima and better generalization (2018).

    Example:
        >>> model, average = sg.nn.Linear(2, 1), sg.optim.swa_utils.get_ema_multi_avg_fn(0.9)
        >>> averaged = sg.optim.swa_utils.AveragedModel(model, multi_avg_fn=average)
        >>> averaged.update_parameters(model)
        >>> averaged.n_averaged
        tensor(1)
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: One | None = None,
        multi_avg_fn: MultiAvgFn | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    @no_grad()
    def update_parameters(self, model: Module) -> None:
        """Take in the parameters that `model` has now."""
        averages = [t.detach() for t in self._averaged(self.module)]
        values = [t.detach().to(a.device) for t, a in zip(self._averaged(model), averages, strict=True)]
        if self.n_averaged == 0:
            for average, value in zip(averages, values, strict=True):
                average.copy_(value)
        else:
            self._average(averages, values)
        if not self.use_buffers:
            for mine, theirs in zip(self.module.buffers(), model.buffers(), strict=True):
                mine.detach().copy_(theirs.detach())
        self.n_averaged += 1

    def _averaged(self, model: Module) -> Iterator[Tensor]:
        yield from model.parameters()
        if self.use_buffers:
            yield from model.buffers()

    def _average(self, averages: list[Tensor], values: list[Tensor]) -> None:
        if self.avg_fn is None:  # counters among buffers are no numbers that can be written in place
            pairs = [(a, v) for a, v in zip(averages, values, strict=True) if a.is_floating_point() or a.is_complex()]
            update = self.multi_avg_fn or get_swa_multi_avg_fn()
            update([a for a, _ in pairs], [v for _, v in pairs], self.n_averaged)
        one = self.avg_fn or get_swa_avg_fn()
        for average, value in zip(averages, values, strict=True):
            if self.avg_fn is not None or not (average.is_floating_point() or average.is_complex()):
                average.copy_(one(average, value, self.n_averaged))


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of a model's batch norms anew, from all batches with equal weights.

    Args:
        loader: gives batches: tensors, or lists and tuples whose first item is one.
        model: the model; it is called in training mode.
        device: where batches are moved; they stay where they are when left out.

    Example:
        >>> model = sg.nn.BatchNorm1d(1)
        >>> sg.optim.swa_utils.update_bn([sg.tensor([[1.0], [3.0]])], model)
        >>> model.running_mean
        tensor([2.])
    """
    norms = {module: module.momentum for module in model.modules() if isinstance(module, _BatchNorm)}
    if not norms:
        return
    was_training = model.training
    model.train()
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    for batch in loader:
        first = batch[0] if isinstance(batch, list | tuple) else batch
        model(first if device is None else first.to(device))
    for norm, momentum in norms.items():
        norm.momentum = momentum
    model.train(was_training)


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
