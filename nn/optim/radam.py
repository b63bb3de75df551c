"""RAdam."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.ops.optim.cpu import radam_update
from ..docstrings import completed_from
from .functional import functional
from .hyperparameters import checked
from .per_parameter import PerParameter
from .rule import Rule, averaged, averaged_square, decay_apart, descend, root, shrink, start


@completed_from(PerParameter)
class RAdam(PerParameter):
    """Adam whose first steps are not scaled, until enough gradients were seen to know their mean square.

    Formula: g = grad + weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
    rho = 2 / (1 - beta2) - 1;  rho_t = rho - 2 t beta2^t / (1 - beta2^t);
    p = p - lr m / (1 - beta1^t) if rho_t <= 5, otherwise that step times
    sqrt((rho_t - 4) (rho_t - 2) rho / ((rho - 4) (rho - 2) rho_t)) sqrt(1 - beta2^t) / (sqrt(v) + eps)

    Source: Liu et al., On the variance of the adaptive learning rate and beyond (2020).

    Example:
        >>> import specgrad as sg
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> optimizer = sg.optim.RAdam([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.8000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals(), "lr", "eps", "weight_decay"))

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state = self.state[param]
        if not state:
            start(state, param, group, "exp_avg", "exp_avg_sq")
        tensors = (param, grad, state["exp_avg"], state["exp_avg_sq"])
        settings = (*map(float, group["betas"]), float(group["eps"]), decay_apart(group))
        self._apply(_RULE, state, tensors, settings, group)


def _rectified(step: float, beta2: float) -> float:
    """The factor of lr m / (sqrt(v) + eps); 0 where v is not known well enough to divide by it."""
    known = 1 - beta2**step
    longest = 2 / (1 - beta2) - 1
    length = longest - 2 * step * beta2**step / known
    if length <= 5:
        return 0.0
    return math.sqrt(known * (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length))


def _update(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    exp_avg_sq: Tensor,
    step: float,
    lr: Any,
    beta1: float,
    beta2: float,
    eps: float,
    apart: float,
) -> None:
    shrink(param, lr, apart)
    factor = _rectified(step, beta2)
    mean = averaged(exp_avg, grad, 1 - beta1)
    square = averaged_square(exp_avg_sq, grad, beta2)
    descend(param, mean, root(square, eps) if factor else None, lr / (1 - beta1**step) * (factor or 1.0))


_RULE = Rule("radam", radam_update, _update)

radam = functional(RAdam, "exp_avg", "exp_avg_sq", "step")
