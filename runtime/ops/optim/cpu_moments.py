"""Update rules that keep means and greatest gradients, in one pass: all arrays are 1-D, contiguous, written in place.

Each takes a weight decay and whether to go uphill, as gradients would be changed by both before.
"""

from __future__ import annotations

import math

import numpy as np

from ...kernels.jit import jit


@jit
def adadelta_update(
    param: np.ndarray,
    grad: np.ndarray,
    square: np.ndarray,
    moved: np.ndarray,
    lr: float,
    rho: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """Adadelta; `moved` is the mean square of earlier steps."""
    number = param.dtype.type
    sign, decay = number(-1.0 if maximize else 1.0), number(weight_decay)
    rate, kept, new, small = number(lr), number(rho), number(1.0 - rho), number(eps)
    for i in range(param.size):
        g = sign * grad[i]
        if decay != 0:
            g += decay * param[i]
        v = kept * square[i] + new * g * g
        d = number(math.sqrt(moved[i] + small)) / number(math.sqrt(v + small)) * g
        square[i] = v
        moved[i] = kept * moved[i] + new * d * d
        param[i] -= rate * d


@jit
def adamax_update(
    param: np.ndarray,
    grad: np.ndarray,
    mean: np.ndarray,
    greatest: np.ndarray,
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """Adamax; `lr` is divided by 1 - beta1^t already. What is nan stays so."""
    number = param.dtype.type
    sign, decay = number(-1.0 if maximize else 1.0), number(weight_decay)
    rate, new, kept, small = number(lr), number(1.0 - beta1), number(beta2), number(eps)
    for i in range(param.size):
        g = sign * grad[i]
        if decay != 0:
            g += decay * param[i]
        m = mean[i] + new * (g - mean[i])
        old, size = kept * greatest[i], abs(g) + small
        u = size if size >= old or size != size else old
        mean[i] = m
        greatest[i] = u
        param[i] -= rate * m / u


@jit
def nadam_update(
    param: np.ndarray,
    grad: np.ndarray,
    mean: np.ndarray,
    square: np.ndarray,
    of_grad: float,
    of_mean: float,
    beta1: float,
    beta2: float,
    started: float,
    eps: float,
    shrink: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """NAdam: steps along the gradient and along the mean; the parameter is first multiplied by `shrink`."""
    number = param.dtype.type
    sign, decay, factor = number(-1.0 if maximize else 1.0), number(weight_decay), number(shrink)
    new1, kept2, new2, small = number(1.0 - beta1), number(beta2), number(1.0 - beta2), number(eps)
    along, ahead, scale = number(of_grad), number(of_mean), number(1.0 / math.sqrt(started))
    for i in range(param.size):
        p = param[i] * factor
        g = sign * grad[i]
        if decay != 0:
            g += decay * p
        m = mean[i] + new1 * (g - mean[i])
        v = kept2 * square[i] + new2 * g * g
        mean[i] = m
        square[i] = v
        param[i] = p - (along * g + ahead * m) / (number(math.sqrt(v)) * scale + small)


@jit
def radam_update(
    param: np.ndarray,
    grad: np.ndarray,
    mean: np.ndarray,
    square: np.ndarray,
    lr: float,
    beta1: float,
    beta2: float,
    divides: bool,
    eps: float,
    shrink: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """RAdam; `lr` holds all factors. It `divides` by the root of the mean square once that is known well enough."""
    number = param.dtype.type
    sign, decay, factor = number(-1.0 if maximize else 1.0), number(weight_decay), number(shrink)
    rate, small = number(lr), number(eps)
    new1, kept2, new2 = number(1.0 - beta1), number(beta2), number(1.0 - beta2)
    for i in range(param.size):
        p = param[i] * factor
        g = sign * grad[i]
        if decay != 0:
            g += decay * p
        m = mean[i] + new1 * (g - mean[i])
        v = kept2 * square[i] + new2 * g * g
        mean[i] = m
        square[i] = v
        divisor = number(math.sqrt(v)) + small if divides else number(1.0)
        param[i] = p - rate * m / divisor
