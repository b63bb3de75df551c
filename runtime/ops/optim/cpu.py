"""Update rules of optimizers, each parameter in one pass: all arrays are 1-D, contiguous, and written in place.

The last two arguments of each are the weight decay and whether to maximize, by which gradients are changed first.
"""

from __future__ import annotations

import math

import numpy as np

from ...kernels.jit import jit

Array = np.ndarray


@jit
def uphill(grad: float, param: float, sign: float, decay: float) -> float:
    """The gradient of one element with the sign of `maximize` and with weight decay."""
    return sign * grad + decay * param if decay != 0 else sign * grad


@jit
def sgd_update(
    param: Array,
    grad: Array,
    buffer: Array,
    is_first: bool,
    lr: float,
    momentum: float,
    dampening: float,
    nesterov: bool,
    weight_decay: float,
    maximize: bool,
) -> None:
    """Gradient descent. `buffer` is not touched when momentum is zero; the first step starts it at the gradient."""
    number = param.dtype.type
    sign, decay = number(-1.0 if maximize else 1.0), number(weight_decay)
    rate, kept = number(lr), number(momentum)
    taken = number(1.0 if is_first else 1.0 - dampening)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        if kept != 0:
            buffer[i] = taken * g if is_first else kept * buffer[i] + taken * g
            g = g + kept * buffer[i] if nesterov else buffer[i]
        param[i] -= rate * g


@jit
def adam_update(
    param: Array,
    grad: Array,
    mean: Array,
    square: Array,
    max_square: Array,
    step: float,
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    amsgrad: bool,
    shrink: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """Adam; the parameter is first multiplied by `shrink`. `max_square` is read with `amsgrad` only."""
    number = param.dtype.type
    sign, decay, factor = number(-1.0 if maximize else 1.0), number(weight_decay), number(shrink)
    rate = number(lr / (1.0 - beta1**step))
    scale = number(1.0 / math.sqrt(1.0 - beta2**step))
    new1, kept2, new2, small = number(1.0 - beta1), number(beta2), number(1.0 - beta2), number(eps)
    for i in range(param.size):
        p = param[i] * factor
        g = uphill(grad[i], p, sign, decay)
        m = mean[i] + new1 * (g - mean[i])
        v = kept2 * square[i] + new2 * g * g
        mean[i] = m
        square[i] = v
        if amsgrad:
            v = max(v, max_square[i])
            max_square[i] = v
        param[i] = p - rate * m / (math.sqrt(v) * scale + small)


@jit
def rmsprop_update(
    param: Array,
    grad: Array,
    square: Array,
    buffer: Array,
    mean: Array,
    lr: float,
    alpha: float,
    eps: float,
    momentum: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """RMSprop; `buffer` is empty without momentum, `mean` where the mean square is not centered."""
    number = param.dtype.type
    sign, decay = number(-1.0 if maximize else 1.0), number(weight_decay)
    rate, kept, new, small, inertia = number(lr), number(alpha), number(1.0 - alpha), number(eps), number(momentum)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
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
def adagrad_update(
    param: Array, grad: Array, total: Array, lr: float, eps: float, weight_decay: float, maximize: bool
) -> None:
    """Adagrad."""
    number = param.dtype.type
    sign, decay = number(-1.0 if maximize else 1.0), number(weight_decay)
    rate, small = number(lr), number(eps)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        total[i] += g * g
        param[i] -= rate * g / (number(math.sqrt(total[i])) + small)


@jit
def adadelta_update(
    param: Array,
    grad: Array,
    square: Array,
    moved: Array,
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
        g = uphill(grad[i], param[i], sign, decay)
        v = kept * square[i] + new * g * g
        d = number(math.sqrt(moved[i] + small)) / number(math.sqrt(v + small)) * g
        square[i] = v
        moved[i] = kept * moved[i] + new * d * d
        param[i] -= rate * d


@jit
def adamax_update(
    param: Array,
    grad: Array,
    mean: Array,
    greatest: Array,
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
        g = uphill(grad[i], param[i], sign, decay)
        m = mean[i] + new * (g - mean[i])
        old, size = kept * greatest[i], abs(g) + small
        u = size if size >= old or size != size else old
        mean[i] = m
        greatest[i] = u
        param[i] -= rate * m / u


@jit
def nadam_update(
    param: Array,
    grad: Array,
    mean: Array,
    square: Array,
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
        g = uphill(grad[i], p, sign, decay)
        m = mean[i] + new1 * (g - mean[i])
        v = kept2 * square[i] + new2 * g * g
        mean[i] = m
        square[i] = v
        param[i] = p - (along * g + ahead * m) / (number(math.sqrt(v)) * scale + small)


@jit
def radam_update(
    param: Array,
    grad: Array,
    mean: Array,
    square: Array,
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
        g = uphill(grad[i], p, sign, decay)
        m = mean[i] + new1 * (g - mean[i])
        v = kept2 * square[i] + new2 * g * g
        mean[i] = m
        square[i] = v
        divisor = number(math.sqrt(v)) + small if divides else number(1.0)
        param[i] = p - rate * m / divisor


@jit
def rprop_update(
    param: Array,
    grad: Array,
    before: Array,
    size: Array,
    shrink: float,
    grow: float,
    least: float,
    greatest: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """Rprop: steps of `size` against the sign of the gradient; none where that has changed since `before`."""
    number = param.dtype.type
    sign, decay, one, none = number(-1.0 if maximize else 1.0), number(weight_decay), number(1.0), number(0.0)
    fewer, more, low, high = number(shrink), number(grow), number(least), number(greatest)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        agreed = g * before[i]
        step = size[i] * (more if agreed > none else fewer if agreed < none else one)
        step = low if step < low else high if step > high else step
        g = none if agreed < none else g
        size[i] = step
        before[i] = g
        param[i] -= step if g > none else -step if g < none else none


@jit
def asgd_update(
    param: Array, grad: Array, average: Array, eta: float, lambd: float, mu: float, weight_decay: float, maximize: bool
) -> None:
    """ASGD; the average is the parameter itself while `mu` is 1."""
    number = param.dtype.type
    sign, decay = number(-1.0 if maximize else 1.0), number(weight_decay)
    kept, rate, new = number(1.0 - lambd * eta), number(eta), number(mu)
    for i in range(param.size):
        p = param[i] * kept - rate * uphill(grad[i], param[i], sign, decay)
        param[i] = p
        average[i] = p if mu == 1 else average[i] + new * (p - average[i])
