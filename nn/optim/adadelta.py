"""Adadelta."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.ops.optim.cpu import adadelta_update
from . import fused
from .hyperparameters import check_rate
from .per_parameter import PerParameter
from .rule import averaged_square, count, descend, penalised, penalty, rate, start


class Adadelta(PerParameter):
    """Steps in units of the earlier steps: the ratio of running mean squares of changes and of gradients.

    Formula: g = grad + weight_decay p;  v = rho v + (1 - rho) g^2;  d = g sqrt(u + eps) / sqrt(v + eps);
    u = rho u + (1 - rho) d^2;  p = p - lr d

    Args:
        params: tensors, pairs of a name and a tensor, or dicts that define groups.
        lr: factor of the step.
        rho: how much of both mean squares is kept in a step.
        eps: added under both roots.
        weight_decay: weight of the penalty |p|^2 / 2.
        foreach: accepted for compatibility.
        capturable: accepted for compatibility.
        maximize: go up instead of down.
        differentiable: let gradients flow through the step.

    Raises:
        ValueError: a hyperparameter is out of range.

    Source: Zeiler, ADADELTA: an adaptive learning rate method (2012).

    Example:
        >>> import specgrad as sg
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> optimizer = sg.optim.Adadelta([w], lr=100.0)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.6838], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_rate(lr, eps, weight_decay)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state = self.state[param]
        if not state:
            start(state, param, "square_avg", "acc_delta")
        count(state)
        tensors = (param, grad, state["square_avg"], state["acc_delta"])
        settings = (rate(group), float(group["rho"]), float(group["eps"]), *penalty(group))
        fused.update(adadelta_update, _update, tensors, settings, fused.unless_differentiable(group))


def _update(
    param: Tensor,
    grad: Tensor,
    square_avg: Tensor,
    acc_delta: Tensor,
    lr: Any,
    rho: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """The rule as tensor operations; `kernels.cpu.optim_moments.adadelta_update` is the same in one pass."""
    grad = penalised(param, grad, weight_decay, maximize)
    square = averaged_square(square_avg, grad, rho)
    delta = acc_delta.add(eps).sqrt_().div(square.add(eps).sqrt_()).mul(grad)
    averaged_square(acc_delta, delta, rho)
    descend(param, delta, None, lr)
