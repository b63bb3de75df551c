"""Adam."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import tensor, zeros_like
from ...runtime.dtypes import float32
from ...runtime.kernels.cpu.optim import adam_update
from . import fused as fused_rule
from .groups import check_not_negative
from .per_parameter import PerParameter


class Adam(PerParameter):
    """Steps scaled by running estimates of the gradient's mean and mean square.

    Formula: g = grad + weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
    p = p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)

    Args:
        params: tensors, pairs of a name and a tensor, or dicts that define groups.
        lr: step size.
        betas: how much of the estimates of mean and mean square is kept in a step.
        eps: added to the denominator.
        weight_decay: weight of the penalty |p|^2 / 2; or with decoupled_weight_decay as in AdamW.
        amsgrad: divide by the greatest v so far.
        foreach: accepted for compatibility.
        maximize: go up instead of down.
        fused: False computes with separate tensor operations; otherwise one kernel is used where possible.
        decoupled_weight_decay: p = (1 - lr weight_decay) p instead of a penalty.

    Raises:
        ValueError: a hyperparameter is out of range.

    Source: Kingma and Ba, Adam: a method for stochastic optimization (2015); amsgrad: Reddi, Kale and Kumar, On the
    convergence of Adam and beyond (2018).

    Example:
        >>> import specgrad as sg
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> optimizer = sg.optim.Adam([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        _check(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state = self.state[param]
        if not state:
            _start(state, param)
        if group["amsgrad"] and "max_exp_avg_sq" not in state:
            state["max_exp_avg_sq"] = zeros_like(param)
        beta1, beta2 = group["betas"]
        settings = (
            float(group["lr"]),
            float(beta1),
            float(beta2),
            float(group["eps"]),
            float(group["weight_decay"]),
            bool(group["decoupled_weight_decay"]),
            bool(group["amsgrad"]),
            bool(group["maximize"]),
        )
        tensors = (param, grad, state["exp_avg"], state["exp_avg_sq"], state.get("max_exp_avg_sq"))
        fused_rule.update(adam_update, _update, tensors, settings, group["fused"], state["step"])

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for kept in self.state.values():
            step = kept.get("step")
            if step is not None and not (isinstance(step, Tensor) and step.dtype is float32):
                kept["step"] = tensor(float(step), dtype=float32)


def _check(lr: Any, betas: tuple[float, float], eps: float, weight_decay: float) -> None:
    check_not_negative("learning rate", lr)
    check_not_negative("epsilon value", eps)
    if not isinstance(betas, (tuple, list)) or len(betas) != 2:
        raise TypeError(f"betas must be a pair of numbers, not {betas!r}")
    for position, beta in enumerate(betas):
        check_not_negative(f"beta parameter at index {position}", beta)
        if not beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {position}: {beta}")
    check_not_negative("weight_decay value", weight_decay)


def _start(state: dict[str, Any], param: Tensor) -> None:
    state["step"] = tensor(0.0, dtype=float32)
    state["exp_avg"], state["exp_avg_sq"] = zeros_like(param), zeros_like(param)


def _update(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    exp_avg_sq: Tensor,
    max_exp_avg_sq: Tensor | None,
    step: Tensor,
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    weight_decay: float,
    decoupled: bool,
    amsgrad: bool,
    maximize: bool,
) -> None:
    """The rule as tensor operations; `kernels.cpu.optim.adam_update` is the same in one pass."""
    if param.is_complex():
        raise RuntimeError("Adam: a complex parameter must be contiguous and on the CPU, and fused must not be False")
    step += 1
    count = step.item()
    if maximize:
        grad = -grad
    if decoupled:
        param.mul_(1 - lr * weight_decay)
    elif weight_decay != 0:
        grad = grad.add(param, alpha=weight_decay)
    exp_avg.lerp_(grad, 1 - beta1)
    exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    if max_exp_avg_sq is not None:
        exp_avg_sq = max_exp_avg_sq.copy_(max_exp_avg_sq.maximum(exp_avg_sq))
    denominator = (exp_avg_sq.sqrt() / (1 - beta2**count) ** 0.5).add_(eps)
    param.addcdiv_(exp_avg, denominator, value=-lr / (1 - beta1**count))
