"""Rprop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import full_like, ones_like
from ...runtime.ops.optim.cpu import rprop_update
from ..docstrings import completed_from
from .functional import functional
from .hyperparameters import checked
from .per_parameter import PerParameter
from .rule import Rule, start, written


@completed_from(PerParameter)
class Rprop(PerParameter):
    """Steps of a size for each element, which grows while the gradient keeps its sign; for full batches.

    Formula: s = clip(s etaplus, step_sizes) where grad prev > 0, clip(s etaminus, step_sizes) and grad = 0 where
    grad prev < 0;  p = p - sign(grad) s;  prev = grad

    Args:
        lr: the first step size.
        etas: (etaminus, etaplus), factors of the step size.
        step_sizes: the least and the greatest step size.

    Source: Riedmiller and Braun, A direct adaptive method for faster backpropagation learning (1993).

    Example:
        >>> import specgrad as sg
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> optimizer = sg.optim.Rprop([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, checked(locals(), "lr"))

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state = self.state[param]
        if not state:
            start(state, param, group, "prev")
            first = float(group["lr"])
            state["step_size"] = full_like(param, complex(first, first) if param.is_complex() else first)
        tensors = (param, grad, state["prev"], state["step_size"])
        settings = (*map(float, group["etas"]), *map(float, group["step_sizes"]))
        self._apply(_RULE, state, tensors, settings, group)


def _update(
    param: Tensor,
    grad: Tensor,
    prev: Tensor,
    step_size: Tensor,
    step: float,
    lr: Any,
    shrink: float,
    grow: float,
    least: float,
    greatest: float,
) -> None:
    agreed = grad.mul(prev)
    factor = ones_like(agreed).masked_fill_(agreed > 0, grow).masked_fill_(agreed < 0, shrink)
    size = written(step_size, step_size.mul(factor).clamp(least, greatest))
    grad = grad.masked_fill(agreed < 0, 0.0)
    param.addcmul_(grad.sign(), size, value=-1)
    prev.copy_(grad)


_RULE = Rule("rprop", rprop_update, _update)

rprop = functional(Rprop, "prev", "step_size", "step")
