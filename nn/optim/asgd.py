"""ASGD."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import as_tensor, zeros_like
from ...runtime.ops.optim.cpu import asgd_update
from ..docstrings import completed_from
from .hyperparameters import checked
from .per_parameter import PerParameter, apply_rule
from .rule import count, host_number, scalar_dtype, start


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
            start(state, param)
            state["eta"], state["mu"] = (
                as_tensor(x, dtype=scalar_dtype(), device="cpu").clone() for x in (group["lr"], 1.0)
            )
            state["ax"] = zeros_like(param)
        step, eta, mu = count(state), host_number(state, "eta"), host_number(state, "mu")
        settings = (float(eta[0]), float(group["lambd"]), float(mu[0]))
        apply_rule(asgd_update, _update, (param, grad, state["ax"]), settings, group)
        lr = float(group["lr"])
        eta[0] = lr / (1 + group["lambd"] * lr * step) ** group["alpha"]
        mu[0] = 1 / max(1, step - group["t0"])


def _update(param: Tensor, grad: Tensor, average: Tensor, eta: float, lambd: float, mu: float) -> None:
    param.mul_(1 - lambd * eta).sub_(grad * eta)
    if mu == 1:
        average.copy_(param)
    else:
        average.add_(param.sub(average).mul_(mu))
