"""AdamW."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ..docstrings import completed_from
from .adam import Adam
from .functional import functional


@completed_from(Adam)
class AdamW(Adam):
    """Adam with weight decay apart from the gradient: it is not scaled by the estimates.

    Formula: p = (1 - lr weight_decay) p, then Adam's step without weight_decay

    Args:
        weight_decay: how much parameters shrink in a step, in units of lr.

    Source: Loshchilov and Hutter, Decoupled weight decay regularization (2019).

    Example:
        >>> import specgrad as sg
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> optimizer = sg.optim.AdamW([w], lr=0.1, weight_decay=0.5)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.8500], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )


adamw = functional(AdamW, "exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step", decoupled_weight_decay=True)
