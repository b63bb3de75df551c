"""Updates of averaged parameters: with equal weights, or with weights that fall exponentially."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.arguments import explained
from ....runtime.modes.grad_mode import no_grad

One = Callable[[Tensor, Tensor, Any], Tensor]
Many = Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]


def get_ema_avg_fn(decay: float = 0.999) -> One:
    """A function (average, value, count) that gives the exponential moving average.

    Formula: decay average + (1 - decay) value

    Args:
        decay: how much of the average is kept.

    Raises:
        ValueError: decay is not between 0 and 1.

    Example:
        >>> import specgrad as sg
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
        >>> import specgrad as sg
        >>> sg.optim.swa_utils.get_swa_avg_fn()(sg.tensor([1.0]), sg.tensor([3.0]), 3)
        tensor([1.5000])
    """

    @explained
    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Many:
    """A function that updates exponential moving averages of a list of tensors in place; see `get_ema_avg_fn`.

    Args:
        decay: how much of the averages is kept.

    Raises:
        ValueError: decay is not between 0 and 1.
    """
    _check(decay)

    @explained
    @no_grad()
    def ema_update(ema_param_list: Sequence[Tensor], current_param_list: Sequence[Tensor], _: Any) -> None:
        for average, value in zip(ema_param_list, current_param_list, strict=True):
            average.lerp_(value, 1 - decay)

    return ema_update


def get_swa_multi_avg_fn() -> Many:
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
