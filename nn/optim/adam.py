"""Adam."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import zeros_like
from ...runtime.ops.optim.cpu import adam_update
from ..docstrings import completed_from
from .functional import functional
from .hyperparameters import checked
from .per_parameter import PerParameter
from .rule import Rule, averaged, averaged_square, decay_apart, descend, root, shrink, start, written


@completed_from(PerParameter)
class Adam(PerParameter):
    """Steps scaled by running estimates of the gradient's mean and mean square.

    Formula: g = grad + weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
    p = p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)

    Args:
        amsgrad: divide by the greatest v so far.

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
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        super().__init__(params, checked(locals(), "lr", "eps", "weight_decay"))

    def _update_at_places(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state = self.state[param]
        if not state:
            start(state, param, group, "exp_avg", "exp_avg_sq")
        if group["amsgrad"] and "max_exp_avg_sq" not in state:
            state["max_exp_avg_sq"] = zeros_like(param)
        greatest = state["max_exp_avg_sq"] if group["amsgrad"] else None
        tensors = (param, grad, state["exp_avg"], state["exp_avg_sq"], greatest)
        beta1, beta2 = group["betas"]
        settings = (float(beta1), float(beta2), float(group["eps"]), float(group["amsgrad"]), decay_apart(group))
        self._apply(_RULE, state, tensors, settings, group)


def _update(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    exp_avg_sq: Tensor,
    max_exp_avg_sq: Tensor | None,
    step: float,
    lr: Any,
    beta1: float,
    beta2: float,
    eps: float,
    amsgrad: float,
    apart: float,
) -> None:
    shrink(param, lr, apart)
    mean = averaged(exp_avg, grad, 1 - beta1)
    square = averaged_square(exp_avg_sq, grad, beta2)
    if max_exp_avg_sq is not None:
        square = written(max_exp_avg_sq, max_exp_avg_sq.maximum(square))
    descend(param, mean, root(square, eps, 1 - beta2**step), lr / (1 - beta1**step))


_RULE = Rule("adam", adam_update, _update)

adam = functional(Adam, "exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step")
