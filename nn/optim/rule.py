"""Building blocks of update rules: state, hyperparameters of a group, running averages, the descent itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import tensor, zeros_like
from ...runtime.modes.grad_mode import is_grad_enabled
from ...runtime.tensor.dtypes import dtype, float32, float64, get_default_dtype


def scalar_dtype() -> dtype:
    """The dtype of numbers that a rule keeps as tensors, such as the count of steps."""
    return float64 if get_default_dtype() is float64 else float32


def start(state: dict[str, Any], param: Tensor, *names: str) -> None:
    """Initial state of a parameter: a step count of zero, and running estimates of its shape, all zero."""
    state["step"] = tensor(0.0, dtype=scalar_dtype(), device="cpu")
    for name in names:
        state[name] = zeros_like(param)


def count(state: dict[str, Any]) -> float:
    """The number of this step, from one."""
    number = host_number(state, "step")
    number[0] += 1
    return float(number[0])


def host_number(state: dict[str, Any], name: str) -> Any:
    """The memory of a number that is kept as a tensor, as PyTorch has it; written past autograd, as every parameter
    pays for this. It is brought to the CPU from where a checkpoint was loaded to."""
    kept = state[name]
    if kept.is_cuda:
        kept = state[name] = kept.cpu()
    return kept._flat


def rate(group: dict[str, Any]) -> Any:
    """The step size; a tensor stays one where gradients flow through the step."""
    return group["lr"] if group.get("differentiable") else float(group["lr"])


def uphill(param: Tensor, grad: Tensor, weight_decay: float, maximize: bool) -> Tensor:
    """The gradient with the sign of `maximize`, and with the penalty."""
    if maximize:
        grad = -grad
    return grad.add(param, alpha=weight_decay) if weight_decay != 0 else grad


def shrinkage(group: dict[str, Any], lr: Any) -> Any:
    """The factor by which parameters shrink in a step where weight decay is no penalty."""
    return 1 - lr * group["weight_decay"] if group["decoupled_weight_decay"] else 1.0


def shrink_by(param: Tensor, factor: Any) -> None:
    """Multiply the parameter by a factor, in place."""
    if isinstance(factor, Tensor) or factor != 1:
        param.mul_(factor)


# Below, what a rule has written to a buffer is what it goes on with. Gradients through several steps need it when the
# next step has written the buffer, so a rule that is recorded computes beside the buffer and copies.


def written(buffer: Tensor, value: Tensor) -> Tensor:
    """Copy `value` to the buffer and return it."""
    buffer.copy_(value)
    return value


def averaged(average: Tensor, value: Tensor, new: float) -> Tensor:
    """Update a running average to average + new (value - average), and return it."""
    if is_grad_enabled():
        return written(average, average.lerp(value, new))
    return average.lerp_(value, new)


def averaged_square(average: Tensor, value: Tensor, kept: float) -> Tensor:
    """Update a running mean square to kept average + (1 - kept) value^2, and return it."""
    if is_grad_enabled():
        return written(average, average.mul(kept).addcmul_(value, value, value=1 - kept))
    return average.mul_(kept).addcmul_(value, value, value=1 - kept)


def root(square: Tensor, eps: float, share: float = 1.0) -> Tensor:
    """sqrt(square / share) + eps."""
    found = square.sqrt() if share == 1 else (square / share).sqrt_()
    return found.add(eps) if is_grad_enabled() else found.add_(eps)


def descend(param: Tensor, direction: Tensor, divisor: Tensor | None, lr: Any) -> None:
    """Subtract lr direction / divisor from the parameter, in place."""
    if isinstance(lr, Tensor):  # which gradients may flow to
        param.sub_((direction if divisor is None else direction / divisor) * lr)
    elif divisor is None:
        param.add_(direction, alpha=-lr)
    else:
        param.addcdiv_(direction, divisor, value=-lr)


def in_parts(rule: Callable[..., None], tensors: Sequence[Any], *settings: Any) -> None:
    """Apply an element-wise rule to a parameter, its gradient and running estimates.

    Of complex tensors it updates real and imaginary parts separately.
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
