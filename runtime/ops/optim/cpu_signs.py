"""Update rules that look at signs or average parameters, in one pass: arrays are 1-D, contiguous, written in place."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit


@jit
def rprop_update(
    param: np.ndarray,
    grad: np.ndarray,
    before: np.ndarray,
    size: np.ndarray,
    shrink: float,
    grow: float,
    least: float,
    greatest: float,
    maximize: bool,
) -> None:
    """Rprop: steps of `size` against the sign of the gradient; none where that has changed since `before`."""
    number = param.dtype.type
    sign, one, none = number(-1.0 if maximize else 1.0), number(1.0), number(0.0)
    fewer, more, low, high = number(shrink), number(grow), number(least), number(greatest)
    for i in range(param.size):
        g = sign * grad[i]
        agreed = g * before[i]
        step = size[i] * (more if agreed > none else fewer if agreed < none else one)
        step = low if step < low else high if step > high else step
        g = none if agreed < none else g
        size[i] = step
        before[i] = g
        param[i] -= step if g > none else -step if g < none else none


@jit
def asgd_update(
    param: np.ndarray,
    grad: np.ndarray,
    average: np.ndarray,
    eta: float,
    lambd: float,
    mu: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """ASGD; the average is the parameter itself while `mu` is 1."""
    number = param.dtype.type
    sign, decay = number(-1.0 if maximize else 1.0), number(weight_decay)
    kept, rate, new = number(1.0 - lambd * eta), number(eta), number(mu)
    for i in range(param.size):
        p, g = param[i], sign * grad[i]
        if decay != 0:
            g += decay * p
        p = p * kept - rate * g
        param[i] = p
        average[i] = p if mu == 1 else average[i] + new * (p - average[i])
