"""NAdam."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import tensor, zeros_like
from ...runtime.ops.optim.cpu import nadam_update
from ..docstrings import completed_from
from .hyperparameters import checked
from .per_parameter import PerParameter, apply_rule
from .rule import (
    averaged,
    averaged_square,
    count,
    descend,
    host_number,
    rate,
    root,
    scalar_dtype,
    shrink_by,
    shrinkage,
    start,
)


@completed_from(PerParameter)
class NAdam(PerParameter):
    """Adam with Nesterov's momentum: the step looks ahead along the mean of the gradients.

    Formula: g = grad + weight_decay p;  mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2);  m = beta1 m + (1 - beta1) g;
    v = beta2 v + (1 - beta2) g^2;  p = p - lr (mu_(t+1) m / (1 - mu_1 ... mu_(t+1)) +
    (1 - mu_t) g / (1 - mu_1 ... mu_t)) / (sqrt(v / (1 - beta2^t)) + eps)

    Args:
        momentum_decay: how fast the momentum mu grows.

    Source: Dozat, Incorporating Nesterov momentum into Adam (2016).

    Example:
        >>> import specgrad as sg
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> optimizer = sg.optim.NAdam([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.8944], requires_grad=True)
    """

    _scalars = frozenset({"step", "mu_product"})

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals(), "lr", "eps", "weight_decay", "momentum_decay"))

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state = self.state[param]
        if not state:
            start(state, param)
            state["mu_product"] = tensor(1.0, dtype=scalar_dtype(), device="cpu")
            state["exp_avg"], state["exp_avg_sq"] = zeros_like(param), zeros_like(param)
        step, (beta1, beta2) = count(state), map(float, group["betas"])
        now, ahead = (_momentum(beta1, t, group["momentum_decay"]) for t in (step, step + 1))
        kept = host_number(state, "mu_product")
        kept[0] *= now
        product = float(kept[0])
        tensors, lr = (param, grad, state["exp_avg"], state["exp_avg_sq"]), rate(group)
        weights = lr * (1 - now) / (1 - product), lr * ahead / (1 - product * ahead)
        settings = (*weights, beta1, beta2, 1 - beta2**step, float(group["eps"]), shrinkage(group, lr))
        apply_rule(nadam_update, _update, tensors, settings, group)


def _momentum(beta1: float, step: float, decay: float) -> float:
    return beta1 * (1 - 0.5 * 0.96 ** (step * decay))


def _update(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    exp_avg_sq: Tensor,
    of_grad: Any,
    of_mean: Any,
    beta1: float,
    beta2: float,
    started: float,
    eps: float,
    shrink: Any,
) -> None:
    shrink_by(param, shrink)
    mean = averaged(exp_avg, grad, 1 - beta1)
    divisor = root(averaged_square(exp_avg_sq, grad, beta2), eps, started)
    descend(param, grad, divisor, of_grad)
    descend(param, mean, divisor, of_mean)
