"""Adadelta."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.ops.optim.cpu import adadelta_update
from ..docstrings import completed_from
from .functional import functional
from .hyperparameters import checked
from .per_parameter import PerParameter
from .rule import Rule, averaged_square, descend, start


@completed_from(PerParameter)
class Adadelta(PerParameter):
    """Steps in units of the earlier steps: the ratio of running mean squares of changes and of gradients.

    Formula: g = grad + weight_decay p;  v = rho v + (1 - rho) g^2;  d = g sqrt(u + eps) / sqrt(v + eps);
    u = rho u + (1 - rho) d^2;  p = p - lr d

    Args:
        lr: factor of the step.
        rho: how much of both mean squares is kept in a step.
        eps: added under both roots.

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
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        super().__init__(params, checked(locals(), "lr", "eps", "weight_decay"))

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state = self.state[param]
        if not state:
            start(state, param, group, "square_avg", "acc_delta")
        tensors = (param, grad, state["square_avg"], state["acc_delta"])
        self._apply(_RULE, state, tensors, (float(group["rho"]), float(group["eps"])), group)


def _update(
    param: Tensor, grad: Tensor, square_avg: Tensor, acc_delta: Tensor, step: float, lr: Any, rho: float, eps: float
) -> None:
    square = averaged_square(square_avg, grad, rho)
    delta = acc_delta.add(eps).sqrt_().div(square.add(eps).sqrt_()).mul(grad)
    averaged_square(acc_delta, delta, rho)
    descend(param, delta, None, lr)


_RULE = Rule("adadelta", adadelta_update, _update)

adadelta = functional(Adadelta, "square_avg", "acc_delta", "step")
