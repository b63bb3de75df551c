"""ASGD."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import as_tensor, zeros_like
from ...runtime.dtypes import float32
from .hyperparameters import check_rate
from .per_parameter import PerParameter
from .rule import count, rate, start, uphill


class ASGD(PerParameter):
    """Gradient descent that also keeps the mean of the parameters from step t0 on, as `ax` in its state.

    Formula: g = grad + weight_decay p;  p = (1 - lambd eta) p - eta g;  ax = ax + mu (p - ax);
    eta = lr / (1 + lambd lr t)^alpha;  mu = 1 / max(1, t - t0)

    Args:
        params: tensors, pairs of a name and a tensor, or dicts that define groups.
        lr: step size.
        lambd: how fast the step size falls.
        alpha: power by which it falls.
        t0: from which step on parameters are averaged.
        weight_decay: weight of the penalty |p|^2 / 2.
        foreach: accepted for compatibility.
        maximize: go up instead of down.
        differentiable: let gradients flow through the step.
        capturable: accepted for compatibility.

    Raises:
        ValueError: a hyperparameter is out of range.

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
        check_rate(lr, weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state = self.state[param]
        if not state:
            start(state, param)
            state["eta"], state["mu"] = (as_tensor(x, dtype=float32).clone() for x in (group["lr"], 1.0))
            state["ax"] = zeros_like(param)
        step, eta, mu = count(state), state["eta"].item(), state["mu"].item()
        grad = uphill(param, grad, group)
        param.mul_(1 - group["lambd"] * eta).sub_(grad * eta)
        if mu == 1:
            state["ax"].copy_(param)
        else:
            state["ax"].add_(param.sub(state["ax"]).mul_(mu))
        lr = rate(group)
        state["eta"].copy_(as_tensor(lr / (1 + group["lambd"] * lr * step) ** group["alpha"]))
        state["mu"].fill_(1 / max(1, step - group["t0"]))
