"""Adafactor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import zeros_like
from ...runtime.tensor.dtypes import finfo
from ..docstrings import completed_from
from .hyperparameters import check_not_negative, checked
from .per_parameter import PerParameter
from .rule import count, start


@completed_from(PerParameter)
class Adafactor(PerParameter):
    """Steps scaled by mean squares of the gradient's rows and columns: far less state than Adam's.

    Formula: b = t^beta2_decay;  r = (1 - b) r + b mean_columns(g^2);  c = (1 - b) c + b mean_rows(g^2);
    v = r c / max(mean(r), eps1);  u = g / max(sqrt(v), eps1);  p = (1 - lr weight_decay) p;
    p = p - max(eps2, RMS(p)) min(lr, 1 / sqrt(t)) u / max(1, RMS(u) / d); vectors keep v = (1 - b) v + b g^2

    Args:
        lr: the greatest step size, in units of the parameter's root mean square.
        beta2_decay: power of t by which new squares count less and less.
        eps: (eps1, eps2), the least divisor and the least scale of a parameter; eps1 None is the dtype's eps.
        d: the greatest root mean square of an update.
        weight_decay: how much parameters shrink in a step, in units of lr.

    Raises:
        ValueError: a hyperparameter is out of range.
        RuntimeError: a parameter is complex.

    Source: Shazeer and Stern, Adafactor: adaptive learning rates with sublinear memory cost (2018).

    Example:
        >>> import specgrad as sg
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> optimizer = sg.optim.Adafactor([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if not beta2_decay <= 0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if not d >= 1:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if eps[0] is not None:
            check_not_negative("epsilon1", eps[0])
        check_not_negative("epsilon2", eps[1])
        super().__init__(params, checked(locals(), "lr", "weight_decay"))

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        if param.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        state = self.state[param]
        if not state:
            _start(state, grad, group)
        step, lr = count(state), float(group["lr"])
        least, smallest = group["eps"]
        least = finfo(param.dtype).eps if least is None else least
        grad = -grad if group["maximize"] else grad
        scale = max(smallest, _root_mean_square(param)) * min(lr, 1 / step**0.5)
        param.mul_(1 - lr * group["weight_decay"])
        update = _mean_square(state, grad, step ** group["beta2_decay"], least).clamp_(min=least * least)
        update = update.rsqrt_().mul_(grad)
        param.sub_(update.mul_(scale / max(1.0, _root_mean_square(update) / group["d"])))


def _start(state: dict[str, Any], grad: Tensor, group: dict[str, Any]) -> None:
    start(state, grad, group)
    if grad.dim() > 1:
        state["row_var"] = zeros_like(grad[..., :1])
        state["col_var"] = zeros_like(grad[..., :1, :])
    else:
        state["variance"] = zeros_like(grad)


def _root_mean_square(t: Tensor) -> float:
    return t.norm().item() / max(1, t.numel()) ** 0.5


def _mean_square(state: dict[str, Any], grad: Tensor, new: float, least: float) -> Tensor:
    """The estimate of each element's mean square: of matrices the outer product of their rows' and columns'."""
    square = grad.square()
    if grad.dim() <= 1:
        return state["variance"].lerp_(square, new).clone()
    row = state["row_var"].lerp_(square.mean(dim=-1, keepdim=True), new)
    column = state["col_var"].lerp_(square.mean(dim=-2, keepdim=True), new)
    return row * column / row.mean(dim=-2, keepdim=True).clamp(min=least)
