"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import zeros_like
from ...runtime.ops.optim.cpu import sgd_update
from ..docstrings import completed_from
from .functional import functional
from .hyperparameters import checked
from .per_parameter import PerParameter
from .rule import Rule, descend, rate, uphill, written


@completed_from(PerParameter)
class SGD(PerParameter):
    """Stochastic gradient descent, with momentum if wanted.

    Formula: g = grad + weight_decay p;  b = momentum b + (1 - dampening) g (b = g in the first step);
    p = p - lr b, or with nesterov p = p - lr (g + momentum b), or without momentum p = p - lr g

    Args:
        dampening: how much less of the gradient enters the direction.
        nesterov: look ahead along the momentum.

    Source: Sutskever et al., On the importance of initialization and momentum in deep learning (2013).

    Example:
        >>> import specgrad as sg
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> optimizer = sg.optim.SGD([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.8000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, checked(locals(), "lr", "weight_decay", "momentum"))

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        buffer, settings = self._buffer(param, param, group)
        self._apply(_RULE, {}, (param, grad, buffer), settings, group)

    def _update_at_places(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        grad = uphill(param, grad, float(group["weight_decay"]), bool(group["maximize"]))
        buffer, settings = self._buffer(param, grad, group)
        _update(param, grad, buffer, rate(group), *settings)

    def _buffer(self, param: Tensor, like: Tensor, group: dict[str, Any]) -> tuple[Tensor | None, tuple[float, ...]]:
        """The last direction, of a new one the layout is that of `like`, and the settings of the rule."""
        momentum, buffer, is_first = float(group["momentum"]), None, 0.0
        if momentum != 0:
            buffer = self.state[param].get("momentum_buffer")
            if buffer is None:
                is_first = 1.0
                buffer = self.state[param]["momentum_buffer"] = zeros_like(like)
        return buffer, (momentum, float(group["dampening"]), float(group["nesterov"]), is_first)


def _update(
    param: Tensor,
    grad: Tensor,
    buffer: Tensor | None,
    lr: Any,
    momentum: float,
    dampening: float,
    nesterov: float,
    is_first: float,
) -> None:
    if buffer is not None:
        kept = written(buffer, grad if is_first else buffer.mul(momentum).add_(grad, alpha=1 - dampening))
        grad = grad.add(kept, alpha=momentum) if nesterov else kept
    descend(param, grad, None, lr)


_RULE = Rule("sgd", sgd_update, _update, counts=())

sgd = functional(SGD, "momentum_buffer")
