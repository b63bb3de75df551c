"""Update rules of optimizers for one element: the same texts for the loops of the CPU and the kernels of a device.

A rule takes the parameter, its gradient, uphill of which it goes down, running estimates and numbers, and gives the new
parameter and the new estimates. What is named `RULE_numbers` makes the numbers of a step from what is counted for a
parameter, the step size and hyperparameters; `RULE_counts` what is counted besides steps.
"""

import math
from typing import Any

from ...kernels.scalar import root


def uphill(g: Any, p: Any, sign: Any, decay: Any) -> Any:
    return sign * g + decay * p if decay != 0 else sign * g


def sgd(
    p: Any, g: Any, buffer: Any, rate: Any, momentum_factor: Any, dampening_factor: Any, first: Any, ahead: Any
) -> Any:
    """Gradient descent; without momentum `buffer` stays as it is, in the first step it becomes the gradient."""
    if momentum_factor != 0:
        buffer = dampening_factor * g if first != 0 else momentum_factor * buffer + dampening_factor * g
        g = g + momentum_factor * buffer if ahead != 0 else buffer
    return p - rate * g, buffer


def sgd_numbers(lr: Any, momentum: Any, dampening: Any, nesterov: Any, is_first: Any) -> Any:
    return lr, momentum, 1.0 if is_first != 0 else 1.0 - dampening, is_first, nesterov


def adam(
    p: Any, g: Any, mean: Any, square: Any, max_exp_avg_sq: Any, shrink: Any, rate: Any, scale: Any, new1: Any,
    kept2: Any, new2: Any, small: Any, amsgrad: Any,
) -> Any:  # fmt: skip
    """Adam; the parameter is first multiplied by `shrink`. max_exp_avg_sq is read with `amsgrad` only."""
    m = mean + new1 * (g - mean)
    v = kept2 * square + new2 * g * g
    u = v
    if amsgrad != 0:
        u = v if v >= max_exp_avg_sq or v != v else max_exp_avg_sq
    return p * shrink - rate * m / (root(u) * scale + small), m, v, u


def adam_numbers(step: Any, lr: Any, beta1: Any, beta2: Any, eps: Any, amsgrad: Any, decoupled_decay: Any) -> Any:
    rate, scale = lr / (1.0 - beta1**step), 1.0 / math.sqrt(1.0 - beta2**step)
    return 1.0 - lr * decoupled_decay, rate, scale, 1.0 - beta1, beta2, 1.0 - beta2, eps, amsgrad


def rmsprop(
    p: Any, g: Any, square: Any, buffer: Any, mean: Any, rate: Any, momentum_factor: Any, new: Any, small: Any,
    inertia: Any, centered: Any,
) -> Any:  # fmt: skip
    """RMSprop; `buffer` is read with momentum, `mean` where the mean square is centered."""
    v = momentum_factor * square + new * g * g
    second_moment = v
    if centered != 0:
        mean = mean + new * (g - mean)
        second_moment = v - mean * mean
    step = g / (root(second_moment) + small)
    if inertia != 0:
        step = step + inertia * buffer
        buffer = step
    return p - rate * step, v, buffer, mean


def rmsprop_numbers(step: Any, lr: Any, alpha: Any, eps: Any, momentum: Any, centered: Any) -> Any:
    return lr, alpha, 1.0 - alpha, eps, momentum, centered


def adagrad(p: Any, g: Any, total: Any, rate: Any, small: Any) -> Any:
    total = total + g * g
    return p - rate * g / (root(total) + small), total


def adagrad_numbers(step: Any, lr: Any, lr_decay: Any, eps: Any) -> Any:
    return lr / (1.0 + (step - 1.0) * lr_decay), eps


def adadelta(p: Any, g: Any, square: Any, moved: Any, rate: Any, momentum_factor: Any, new: Any, small: Any) -> Any:
    """Adadelta; `moved` is the mean square of earlier steps."""
    v = momentum_factor * square + new * g * g
    d = root(moved + small) / root(v + small) * g
    return p - rate * d, v, momentum_factor * moved + new * d * d


def adadelta_numbers(step: Any, lr: Any, rho: Any, eps: Any) -> Any:
    return lr, rho, 1.0 - rho, eps


def adamax(
    p: Any, g: Any, mean: Any, max_exp_avg_sq: Any, rate: Any, new: Any, momentum_factor: Any, small: Any
) -> Any:
    """Adamax. What is nan stays so."""
    m = mean + new * (g - mean)
    old, size = momentum_factor * max_exp_avg_sq, abs(g) + small
    u = size if size >= old or size != size else old
    return p - rate * m / u, m, u


def adamax_numbers(step: Any, lr: Any, beta1: Any, beta2: Any, eps: Any) -> Any:
    return lr / (1.0 - beta1**step), 1.0 - beta1, beta2, eps


def nadam(
    p: Any, g: Any, mean: Any, square: Any, shrink: Any, along: Any, ahead: Any, scale: Any, new1: Any, kept2: Any,
    new2: Any, small: Any,
) -> Any:  # fmt: skip
    """NAdam: steps along the gradient and along the mean; the parameter is first multiplied by `shrink`."""
    m = mean + new1 * (g - mean)
    v = kept2 * square + new2 * g * g
    return p * shrink - (along * g + ahead * m) / (root(v) * scale + small), m, v


def nadam_numbers(
    step: Any, product: Any, lr: Any, beta1: Any, beta2: Any, eps: Any, momentum_decay: Any, decoupled_decay: Any
) -> Any:
    """`product` is that of the momenta of all steps before."""
    now = beta1 * (1.0 - 0.5 * 0.96 ** (step * momentum_decay))
    later = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1.0) * momentum_decay))
    product = product * now
    along, ahead = lr * (1.0 - now) / (1.0 - product), lr * later / (1.0 - product * later)
    scale = 1.0 / math.sqrt(1.0 - beta2**step)
    return 1.0 - lr * decoupled_decay, along, ahead, scale, 1.0 - beta1, beta2, 1.0 - beta2, eps


def nadam_counts(
    step: Any, product: Any, lr: Any, beta1: Any, beta2: Any, eps: Any, momentum_decay: Any, decoupled_decay: Any
) -> Any:
    return (product * (beta1 * (1.0 - 0.5 * 0.96 ** (step * momentum_decay))),)


def radam(
    p: Any, g: Any, mean: Any, square: Any, shrink: Any, rate: Any, divides: Any, new1: Any, kept2: Any, new2: Any,
    small: Any,
) -> Any:  # fmt: skip
    """RAdam. It `divides` by the root of the mean square once that is known well enough."""
    m = mean + new1 * (g - mean)
    v = kept2 * square + new2 * g * g
    step = rate * m
    if divides != 0:
        step = step / (root(v) + small)
    return p * shrink - step, m, v


def radam_numbers(step: Any, lr: Any, beta1: Any, beta2: Any, eps: Any, decoupled_decay: Any) -> Any:
    """The factor of the step is that of the paper times the root of 1 - beta2^t."""
    known = 1.0 - beta2**step
    longest = 2.0 / (1.0 - beta2) - 1.0
    length = longest - 2.0 * step * beta2**step / known
    rate, divides = lr / (1.0 - beta1**step), 0.0
    if length > 5.0:
        share = (length - 4.0) * (length - 2.0) * longest / ((longest - 4.0) * (longest - 2.0) * length)
        rate, divides = rate * math.sqrt(known * share), 1.0
    return 1.0 - lr * decoupled_decay, rate, divides, 1.0 - beta1, beta2, 1.0 - beta2, eps


def rprop(p: Any, g: Any, before: Any, size: Any, fewer: Any, more: Any, low: Any, high: Any) -> Any:
    """Rprop: steps of `size` against the sign of the gradient; none where that has changed since `before`."""
    agreed = g * before
    step = size * more if agreed > 0 else size * fewer if agreed < 0 else size
    step = low if step < low else high if step > high else step
    g = type(g)(0) if agreed < 0 else g
    return p - step if g > 0 else p + step if g < 0 else p, g, step


def rprop_numbers(step: Any, lr: Any, fewer: Any, more: Any, low: Any, high: Any) -> Any:
    return fewer, more, low, high


def asgd(p: Any, g: Any, average: Any, momentum_factor: Any, rate: Any, new: Any) -> Any:
    """ASGD; the average is the parameter itself while its share is 1."""
    p = p * momentum_factor - rate * g
    return p, p if new == 1 else average + new * (p - average)


def asgd_numbers(step: Any, eta: Any, mu: Any, lr: Any, lambd: Any, alpha: Any, t0: Any) -> Any:
    return 1.0 - lambd * eta, eta, mu


def asgd_counts(step: Any, eta: Any, mu: Any, lr: Any, lambd: Any, alpha: Any, t0: Any) -> Any:
    return lr / (1.0 + lambd * lr * step) ** alpha, 1.0 / (step - t0) if step - t0 > 1.0 else 1.0
