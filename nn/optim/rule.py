"""What update rules in tensor operations are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import tensor, zeros_like
from ...runtime.dtypes import float32


def start(state: dict[str, Any], param: Tensor, *names: str) -> None:
    """No step was made: running estimates of the parameter's shape, all zero."""
    state["step"] = tensor(0.0, dtype=float32)
    for name in names:
        state[name] = zeros_like(param)


def count(state: dict[str, Any]) -> float:
    """The number of this step, from one."""
    number = state["step"]._flat  # a tensor as PyTorch has it, written past autograd: every parameter pays for this
    number[0] += 1
    return float(number[0])


def rate(group: dict[str, Any]) -> Any:
    """The step size; a tensor stays one where gradients flow through the step."""
    return group["lr"] if group.get("differentiable") else float(group["lr"])


def uphill(param: Tensor, grad: Tensor, group: dict[str, Any]) -> Tensor:
    """The gradient of what is made small: with the sign of `maximize`, and with the penalty |p|^2 / 2."""
    if group["maximize"]:
        grad = -grad
    decay = group["weight_decay"]
    return grad.add(param, alpha=decay) if decay != 0 else grad


def decoupled(param: Tensor, grad: Tensor, group: dict[str, Any]) -> Tensor:
    """As `uphill`, but where the group wants weight decay apart from the gradient, the parameter shrinks at once."""
    if not group["decoupled_weight_decay"]:
        return uphill(param, grad, group)
    if group["weight_decay"] != 0:
        param.mul_(1 - rate(group) * group["weight_decay"])
    return -grad if group["maximize"] else grad


def written(buffer: Tensor, value: Tensor) -> Tensor:
    """`value`, which the buffer now holds too.

    Rules go on with the value: gradients through several steps need it when the next step has written the buffer.
    """
    buffer.copy_(value)
    return value


def in_parts(rule: Callable[..., None], tensors: Sequence[Any], *settings: Any) -> None:
    """A rule for each element of a parameter, its gradient and running estimates.

    Complex tensors are changed as their real parts and their imaginary parts.
    """
    if not tensors[0].is_complex():
        rule(*tensors, *settings)
        return
    real: list[Any] = [None if t is None else t.real.clone() for t in tensors]
    imag: list[Any] = [None if t is None else t.imag.clone() for t in tensors]
    rule(*real, *settings)
    rule(*imag, *settings)
    for position, t in enumerate(tensors):
        if t is not None and position != 1:
            t.copy_(real[position] + imag[position] * 1j)
