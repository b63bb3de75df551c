"""ASGD."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import zeros_like
from ...runtime.ops.optim.cpu import asgd_update
from ..docstrings import completed_from
from .functional import functional
from .hyperparameters import checked
from .per_parameter import PerParameter
from .rule import Rule, number, start


@completed_from(PerParameter)
class ASGD(PerParameter):
    """Gradient descent that also keeps the mean of the parameters from step t0 on, as `ax` in its state.

    Formula: g = grad + weight_decay p;  p = (1 - lambd eta) p - eta g;  ax = ax + mu (p - ax);
    eta = lr / (1 + lambd lr t)^alpha;  mu = 1 / max(1, t - t0)

    Args:
        lambd: how fast the step size falls.
        alpha: power by which it falls.
        t0: from which step on parameters are averaged.

    Source: Polyak and Juditsky, Acceleration of stochastic approximation by averaging (1992).

    Example:
        >>> import specgrad as sg
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> optimizer = sg.optim.ASGD([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.8000], requires_grad=True)
    """

    _scalars = frozenset({"step", "eta", "mu"})

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals(), "lr", "weight_decay"))

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state = self.state[param]
        if not state:
            start(state, param, group)
            state["eta"], state["mu"] = number(group["lr"], param, group), number(1.0, param, group)
            state["ax"] = zeros_like(param)
        settings = float(group["lambd"]), float(group["alpha"]), float(group["t0"])
        self._apply(_RULE, state, (param, grad, state["ax"]), settings, group)


def _update(
    param: Tensor,
    grad: Tensor,
    average: Tensor,
    step: float,
    eta: float,
    mu: float,
    lr: Any,
    lambd: float,
    alpha: float,
    t0: float,
) -> None:
    param.mul_(1 - lambd * eta).sub_(grad * eta)
    if mu == 1:
        average.copy_(param)
    else:
        average.add_(param.sub(average).mul_(mu))


_RULE = Rule("asgd", asgd_update, _update, counts=("step", "eta", "mu"))

asgd = functional(ASGD, "ax", "mu", "eta", "step")
