"""Adagrad."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import full_like
from ...runtime.modes.grad_mode import is_grad_enabled
from ...runtime.ops.optim.cpu import adagrad_update
from ..docstrings import completed_from
from .functional import functional
from .hyperparameters import checked
from .per_parameter import PerParameter
from .rule import Rule, count, descend, number, rate, root, written


@completed_from(PerParameter)
class Adagrad(PerParameter):
    """Steps scaled by the root of the sum of all squared gradients.

    Formula: g = grad + weight_decay p;  s = s + g^2;  p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps)

    Args:
        lr_decay: how fast the step size falls.
        initial_accumulator_value: what the sum starts with.

    Raises:
        ValueError: a hyperparameter is out of range.
        RuntimeError: fused together with foreach or differentiable.

    Source: Duchi, Hazan and Singer, Adaptive subgradient methods for online learning (2011).

    Example:
        >>> import specgrad as sg
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> optimizer = sg.optim.Adagrad([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params, checked(locals(), "lr", "eps", "weight_decay", "lr_decay", "initial_accumulator_value")
        )
        for group in self.param_groups:
            for param in group["params"]:
                self._start(param, group)

    def _start(self, param: Tensor, group: dict[str, Any]) -> None:
        first = float(group["initial_accumulator_value"])
        self.state[param]["step"] = number(0.0, param, group)
        self.state[param]["sum"] = full_like(param, complex(first, first) if param.is_complex() else first)

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        if param not in self.state:
            self._start(param, group)
        state, settings = self.state[param], (float(group["lr_decay"]), float(group["eps"]))
        self._apply(_RULE, state, (param, grad, state["sum"]), settings, group)

    def _update_at_places(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        if param not in self.state:
            self._start(param, group)
        state, grad = self.state[param], (-grad if group["maximize"] else grad).coalesce()
        places, values = tuple(grad._indices().unbind(0)), grad._values()
        total = state["sum"][places] + values * values
        state["sum"][places] = total
        lr = rate(group) / (1 + (count(state) - 1) * float(group["lr_decay"]))
        param[places] = param[places] - lr * values / root(total, float(group["eps"]))


def _update(param: Tensor, grad: Tensor, sums: Tensor, step: float, lr: Any, lr_decay: float, eps: float) -> None:
    total = written(sums, sums.addcmul(grad, grad)) if is_grad_enabled() else sums.addcmul_(grad, grad)
    descend(param, grad, root(total, eps), lr / (1 + (step - 1) * lr_decay))


_RULE = Rule("adagrad", adagrad_update, _update)

adagrad = functional(Adagrad, "sum", "step")
