"""Update rules of optimizers, each parameter in one pass: all arrays are 1-D, contiguous, and written in place."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.jit import jit


@jit
def sgd_update(
    param: np.ndarray,
    grad: np.ndarray,
    buffer: np.ndarray,
    is_first: bool,
    lr: float,
    momentum: float,
    dampening: float,
    weight_decay: float,
    nesterov: bool,
    maximize: bool,
) -> None:
    """Gradient descent. `buffer` is not touched when momentum is zero; the first step starts it at the gradient."""
    number = param.dtype.type
    sign = number(-1.0 if maximize else 1.0)
    decay, rate, kept = number(weight_decay), number(lr), number(momentum)
    taken = number(1.0 if is_first else 1.0 - dampening)
    for i in range(param.size):
        g = sign * grad[i]
        if decay != 0:
            g += decay * param[i]
        if kept != 0:
            buffer[i] = taken * g if is_first else kept * buffer[i] + taken * g
            g = g + kept * buffer[i] if nesterov else buffer[i]
        param[i] -= rate * g


@jit
def adam_update(
    param: np.ndarray,
    grad: np.ndarray,
    mean: np.ndarray,
    square: np.ndarray,
    max_square: np.ndarray,
    step: float,
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    weight_decay: float,
    decoupled: bool,
    amsgrad: bool,
    maximize: bool,
) -> None:
    """Adam, and with `decoupled` weight decay AdamW. `max_square` is read with `amsgrad` only."""
    number = param.dtype.type
    sign = number(-1.0 if maximize else 1.0)
    rate = number(lr / (1.0 - beta1**step))
    scale = number(1.0 / math.sqrt(1.0 - beta2**step))
    shrink = number(1.0 - lr * weight_decay if decoupled else 1.0)
    decay = number(0.0 if decoupled else weight_decay)
    new1, kept2, new2, small = number(1.0 - beta1), number(beta2), number(1.0 - beta2), number(eps)
    for i in range(param.size):
        p = param[i] * shrink
        g = sign * grad[i]
        if decay != 0:
            g += decay * p
        m = mean[i] + new1 * (g - mean[i])
        v = kept2 * square[i] + new2 * g * g
        mean[i] = m
        square[i] = v
        if amsgrad:
            v = max(v, max_square[i])
            max_square[i] = v
        param[i] = p - rate * m / (math.sqrt(v) * scale + small)
