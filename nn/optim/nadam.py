"""NAdam."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import zeros_like
from ...runtime.ops.optim.cpu import nadam_update
from ..docstrings import completed_from
from .functional import functional
from .hyperparameters import checked
from .per_parameter import PerParameter
from .rule import Rule, averaged, averaged_square, decay_apart, descend, number, root, shrink, start


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
            start(state, param, group)
            state["mu_product"] = number(1.0, param, group)
            state["exp_avg"], state["exp_avg_sq"] = zeros_like(param), zeros_like(param)
        tensors = (param, grad, state["exp_avg"], state["exp_avg_sq"])
        settings = (*map(float, group["betas"]), float(group["eps"]), float(group["momentum_decay"]))
        self._apply(_RULE, state, tensors, (*settings, decay_apart(group)), group)


def _momentum(beta1: float, step: float, decay: float) -> float:
    return beta1 * (1 - 0.5 * 0.96 ** (step * decay))


def _update(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    exp_avg_sq: Tensor,
    step: float,
    product: float,
    lr: Any,
    beta1: float,
    beta2: float,
    eps: float,
    momentum_decay: float,
    apart: float,
) -> None:
    shrink(param, lr, apart)
    now, ahead = (_momentum(beta1, t, momentum_decay) for t in (step, step + 1))
    product *= now
    mean = averaged(exp_avg, grad, 1 - beta1)
    divisor = root(averaged_square(exp_avg_sq, grad, beta2), eps, 1 - beta2**step)
    descend(param, grad, divisor, lr * (1 - now) / (1 - product))
    descend(param, mean, divisor, lr * ahead / (1 - product * ahead))


_RULE = Rule("nadam", nadam_update, _update, counts=("step", "mu_product"))

nadam = functional(NAdam, "exp_avg", "exp_avg_sq", "mu_product", "step")
