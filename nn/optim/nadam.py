"""NAdam."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import tensor, zeros_like
from ...runtime.ops.optim.cpu import nadam_update
from . import fused
from .hyperparameters import check_betas, check_not_negative, check_rate
from .per_parameter import PerParameter
from .rule import averaged, averaged_square, count, decoupling, descend, rate, root, scalar_dtype, shrunk, start


class NAdam(PerParameter):
    """Adam with Nesterov's momentum: the step looks ahead along the mean of the gradients.

    Formula: g = grad + weight_decay p;  mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2);  m = beta1 m + (1 - beta1) g;
    v = beta2 v + (1 - beta2) g^2;  p = p - lr (mu_(t+1) m / (1 - mu_1 ... mu_(t+1)) +
    (1 - mu_t) g / (1 - mu_1 ... mu_t)) / (sqrt(v / (1 - beta2^t)) + eps)

    Args:
        params: tensors, pairs of a name and a tensor, or dicts that define groups.
        lr: step size.
        betas: how much of the estimates of mean and mean square is kept in a step.
        eps: added to the denominator.
        weight_decay: weight of the penalty |p|^2 / 2; or with decoupled_weight_decay as in AdamW.
        momentum_decay: how fast the momentum mu grows.
        decoupled_weight_decay: p = (1 - lr weight_decay) p instead of a penalty.
        foreach: accepted for compatibility.
        maximize: go up instead of down.
        capturable: accepted for compatibility.
        differentiable: let gradients flow through the step.

    Raises:
        ValueError: a hyperparameter is out of range.

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
        check_rate(lr, eps, weight_decay)
        check_betas(betas)
        check_not_negative("momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state = self.state[param]
        if not state:
            start(state, param)
            state["mu_product"] = tensor(1.0, dtype=scalar_dtype())
            state["exp_avg"], state["exp_avg_sq"] = zeros_like(param), zeros_like(param)
        step, (beta1, beta2) = count(state), map(float, group["betas"])
        now, ahead = (_momentum(beta1, t, group["momentum_decay"]) for t in (step, step + 1))
        state["mu_product"]._flat[0] *= now  # past autograd, as `count` does
        product = float(state["mu_product"]._flat[0])
        tensors, lr = (param, grad, state["exp_avg"], state["exp_avg_sq"]), rate(group)
        weights = lr * (1 - now) / (1 - product), lr * ahead / (1 - product * ahead)
        settings = (*weights, beta1, beta2, 1 - beta2**step, float(group["eps"]), *decoupling(group))
        fused.update(nadam_update, _update, tensors, settings, fused.unless_differentiable(group))


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
    weight_decay: float,
    maximize: bool,
) -> None:
    """The rule as tensor operations; `kernels.cpu.optim_moments.nadam_update` is the same in one pass."""
    grad = shrunk(param, grad, shrink, weight_decay, maximize)
    mean = averaged(exp_avg, grad, 1 - beta1)
    divisor = root(averaged_square(exp_avg_sq, grad, beta2), eps, started)
    descend(param, grad, divisor, of_grad)
    descend(param, mean, divisor, of_mean)
