"""Muon."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ...generated.ops import addmm
from ...generated.tensor import Tensor
from ...runtime.creation import zeros_like
from ..docstrings import completed_from
from .hyperparameters import checked
from .per_parameter import PerParameter

_MOST_ITERATIONS = 100


@completed_from(PerParameter)
class Muon(PerParameter):
    """Steps along the orthogonal matrix nearest to the momentum; for matrices of hidden layers only.

    Formula: b = momentum b + (1 - momentum) grad;  u = momentum b + (1 - momentum) grad with nesterov, otherwise b;
    p = p - lr weight_decay p - lr s o(u), where o makes all singular values of u about one, and
    s = sqrt(max(1, rows / columns)) or with "match_rms_adamw" 0.2 sqrt(max(rows, columns))

    Args:
        params: matrices, pairs of a name and a matrix, or dicts that define groups.
        weight_decay: how much parameters shrink in a step, in units of lr.
        nesterov: look ahead along the momentum.
        ns_coefficients: (a, b, c) of the iteration x = a x + b (x x^T) x + c (x x^T)^2 x, in bfloat16.
        eps: lengths below it are not divided by.
        ns_steps: how many iterations.
        adjust_lr_fn: "original" (also when left out) or "match_rms_adamw", as above.

    Raises:
        ValueError: a hyperparameter is out of range, or a parameter is no matrix.
        RuntimeError: a parameter is complex.

    Source: Jordan et al., Muon: an optimizer for hidden layers in neural networks (2024); "match_rms_adamw": Liu et
    al., Muon is scalable for LLM training (2025).

    Example:
        >>> import specgrad as sg
        >>> w = sg.eye(2).requires_grad_()
        >>> optimizer = sg.optim.Muon([w], lr=0.1, weight_decay=0.0)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> bool((w.diagonal() < 0.95).all())
        True
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, checked(locals(), "lr", "momentum", "weight_decay"))
        for param in (p for group in self.param_groups for p in group["params"]):
            if param.dim() != 2:
                raise ValueError(
                    f"Muon only supports 2D parameters whereas we found a parameter with size: {param.size()}"
                )

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        if param.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        state = self.state[param]
        if not state:
            state["momentum_buffer"] = zeros_like(grad)
        new = 1 - group["momentum"]
        buffer = state["momentum_buffer"].lerp_(grad, new)
        direction = buffer.lerp(grad, new) if group["nesterov"] else buffer
        direction = _orthogonalized(direction, group["ns_coefficients"], group["ns_steps"], group["eps"])
        lr = float(group["lr"])
        param.mul_(1 - lr * group["weight_decay"])
        param.add_(direction.to(param.dtype), alpha=-lr * _scale(param, group["adjust_lr_fn"]))


def _scale(param: Tensor, kind: str | None) -> float:
    rows, columns = param.shape
    return 0.2 * math.sqrt(max(rows, columns)) if kind == "match_rms_adamw" else math.sqrt(max(1, rows / columns))


def _orthogonalized(matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """The matrix with singular values near one, by an iteration of Newton and Schulz for a polynomial of degree 5."""
    if steps >= _MOST_ITERATIONS:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    x = matrix.bfloat16()
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    x = x / x.norm().clamp_min(eps)
    for _ in range(steps):
        gram = x @ x.T
        x = addmm(x, addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if tall else x
