"""Further update rules of optimizers in one pass: all arrays are 1-D, contiguous, and written in place."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.jit import jit


@jit
def rmsprop_update(
    param: np.ndarray,
    grad: np.ndarray,
    square: np.ndarray,
    buffer: np.ndarray,
    mean: np.ndarray,
    lr: float,
    alpha: float,
    eps: float,
    momentum: float,
) -> None:
    """RMSprop; `buffer` is empty without momentum, `mean` where the mean square is not centered."""
    number = param.dtype.type
    rate, kept, new, small, inertia = number(lr), number(alpha), number(1.0 - alpha), number(eps), number(momentum)
    for i in range(param.size):
        g = grad[i]
        v = kept * square[i] + new * g * g
        square[i] = v
        if mean.size:
            m = mean[i] + new * (g - mean[i])
            mean[i] = m
            v -= m * m
        step = g / (number(math.sqrt(v)) + small)
        if buffer.size:
            step += inertia * buffer[i]
            buffer[i] = step
        param[i] -= rate * step


@jit
def adagrad_update(param: np.ndarray, grad: np.ndarray, total: np.ndarray, lr: float, eps: float) -> None:
    """Adagrad."""
    number = param.dtype.type
    rate, small = number(lr), number(eps)
    for i in range(param.size):
        g = grad[i]
        total[i] += g * g
        param[i] -= rate * g / (number(math.sqrt(total[i])) + small)
