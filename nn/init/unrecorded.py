"""Functions that fill a tensor without recording, by the private names that programs import; all of `init` do so."""

from __future__ import annotations

from ...generated.tensor import Tensor
from ...runtime.random import Generator
from .fill import constant_, normal_, trunc_normal_, uniform_, zeros_
from .scaled import _calculate_fan_in_and_fan_out


def no_grad_uniform_(tensor: Tensor, a: float, b: float, generator: Generator | None = None) -> Tensor:
    """`uniform_` between a and b."""
    return uniform_(tensor, a, b, generator)


def no_grad_normal_(tensor: Tensor, mean: float, std: float, generator: Generator | None = None) -> Tensor:
    """`normal_` with this mean and standard deviation."""
    return normal_(tensor, mean, std, generator)


def no_grad_trunc_normal_(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None = None
) -> Tensor:
    """`trunc_normal_` between a and b."""
    return trunc_normal_(tensor, mean, std, a, b, generator)


no_grad_fill_ = constant_
no_grad_zero_ = zeros_


def calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    """The inputs or outputs of one unit of a weight, by 'fan_in' or 'fan_out'.

    Raises:
        ValueError: another mode.
    """
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode.lower() == "fan_out"]
