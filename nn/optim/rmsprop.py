"""RMSprop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import zeros_like
from ...runtime.ops.optim.cpu import rmsprop_update
from ..docstrings import completed_from
from .functional import functional
from .hyperparameters import checked
from .per_parameter import PerParameter
from .rule import Rule, averaged, averaged_square, descend, root, start, written


@completed_from(PerParameter)
class RMSprop(PerParameter):
    """Steps scaled by a running mean square of the gradient.

    Formula: g = grad + weight_decay p;  v = alpha v + (1 - alpha) g^2;  with centered a = alpha a + (1 - alpha) g and
    s = v - a^2, otherwise s = v;  d = g / (sqrt(s) + eps);  p = p - lr d, or with momentum b = momentum b + d and
    p = p - lr b

    Args:
        alpha: how much of the mean square is kept in a step.
        centered: divide by the standard deviation in place of the root of the mean square.

    Source: Tieleman and Hinton, Lecture 6.5: rmsprop (2012); centered: Graves, Generating sequences with recurrent
    neural networks (2013).

    Example:
        >>> import specgrad as sg
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> optimizer = sg.optim.RMSprop([w], lr=0.05)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals(), "lr", "eps", "weight_decay", "momentum", "alpha"))

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state, momentum = self.state[param], float(group["momentum"])
        if not state:
            start(state, param, group, "square_avg")
        for name, wanted in (("momentum_buffer", momentum > 0), ("grad_avg", group["centered"])):
            if wanted and name not in state:
                state[name] = zeros_like(param)
        buffer = state["momentum_buffer"] if momentum > 0 else None
        mean = state["grad_avg"] if group["centered"] else None
        tensors = (param, grad, state["square_avg"], buffer, mean)
        settings = float(group["alpha"]), float(group["eps"]), momentum, float(group["centered"])
        self._apply(_RULE, state, tensors, settings, group)


def _update(
    param: Tensor,
    grad: Tensor,
    square_avg: Tensor,
    buffer: Tensor | None,
    grad_avg: Tensor | None,
    step: float,
    lr: Any,
    alpha: float,
    eps: float,
    momentum: float,
    centered: float,
) -> None:
    square = averaged_square(square_avg, grad, alpha)
    if grad_avg is not None:
        mean = averaged(grad_avg, grad, 1 - alpha)
        square = square.addcmul(mean, mean, value=-1)
    if buffer is None:
        descend(param, grad, root(square, eps), lr)
    else:
        descend(param, written(buffer, buffer * momentum + grad / root(square, eps)), None, lr)


_RULE = Rule("rmsprop", rmsprop_update, _update)

rmsprop = functional(RMSprop, "square_avg", "grad_avg", "momentum_buffer", "step")
