"""Adamax."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.ops.optim.cpu import adamax_update
from ..docstrings import completed_from
from .functional import functional
from .hyperparameters import checked
from .per_parameter import PerParameter
from .rule import Rule, averaged, descend, start, written


@completed_from(PerParameter)
class Adamax(PerParameter):
    """Adam with the greatest recent gradient in place of the root of the mean square.

    Formula: g = grad + weight_decay p;  m = beta1 m + (1 - beta1) g;  u = max(beta2 u, |g| + eps);
    p = p - lr / (1 - beta1^t) m / u

    Args:
        betas: how much of the mean and of the greatest gradient is kept in a step.
        eps: added to the size of the gradient.

    Source: Kingma and Ba, Adam: a method for stochastic optimization (2015), section 7.1.

    Example:
        >>> import specgrad as sg
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> optimizer = sg.optim.Adamax([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals(), "lr", "eps", "weight_decay"))

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state = self.state[param]
        if not state:
            start(state, param, group, "exp_avg", "exp_inf")
        tensors = (param, grad, state["exp_avg"], state["exp_inf"])
        self._apply(_RULE, state, tensors, (*map(float, group["betas"]), float(group["eps"])), group)


def _update(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    exp_inf: Tensor,
    step: float,
    lr: Any,
    beta1: float,
    beta2: float,
    eps: float,
) -> None:
    mean = averaged(exp_avg, grad, 1 - beta1)
    greatest = written(exp_inf, exp_inf.mul(beta2).maximum(grad.abs().add_(eps)))
    descend(param, mean, greatest, lr / (1 - beta1**step))


_RULE = Rule("adamax", adamax_update, _update)

adamax = functional(Adamax, "exp_avg", "exp_inf", "step")
