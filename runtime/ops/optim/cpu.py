"""Update rules of optimizers, each parameter in one pass: all arrays are 1-D, contiguous, and written in place.

The last two arguments of each are the weight decay and whether to maximize, by which gradients are changed first; those
before are what `rules.py` makes the numbers of a step of. Arrays of estimates that a rule goes without are empty.
"""

from __future__ import annotations

import numpy as np

from ...compiler.jit import jit
from . import rules

Array = np.ndarray

uphill, sgd, sgd_numbers = jit(rules.uphill), jit(rules.sgd), jit(rules.sgd_numbers)
adam, adam_numbers = jit(rules.adam), jit(rules.adam_numbers)
rmsprop, rmsprop_numbers = jit(rules.rmsprop), jit(rules.rmsprop_numbers)
adagrad, adagrad_numbers = jit(rules.adagrad), jit(rules.adagrad_numbers)
adadelta, adadelta_numbers = jit(rules.adadelta), jit(rules.adadelta_numbers)
adamax, adamax_numbers = jit(rules.adamax), jit(rules.adamax_numbers)
nadam, nadam_numbers = jit(rules.nadam), jit(rules.nadam_numbers)
radam, radam_numbers = jit(rules.radam), jit(rules.radam_numbers)
rprop, rprop_numbers = jit(rules.rprop), jit(rules.rprop_numbers)
asgd, asgd_numbers = jit(rules.asgd), jit(rules.asgd_numbers)


@jit
def sgd_update(
    param: Array,
    grad: Array,
    buffer: Array,
    lr: float,
    momentum: float,
    dampening: float,
    nesterov: float,
    is_first: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    number = param.dtype.type
    sign, decay, none = number(-1.0 if maximize else 1.0), number(weight_decay), number(0.0)
    lr, momentum, dampening_factor, first, ahead = sgd_numbers(lr, momentum, dampening, nesterov, is_first)
    rate, momentum_factor, dampening_factor, first, ahead = (
        number(lr),
        number(momentum),
        number(dampening_factor),
        number(first),
        number(ahead),
    )
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        b = buffer[i] if momentum_factor != 0 else none
        param[i], b = sgd(param[i], g, b, rate, momentum_factor, dampening_factor, first, ahead)
        if momentum_factor != 0:
            buffer[i] = b


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
    amsgrad: float,
    decoupled_decay: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    number = param.dtype.type
    sign, decay, none = number(-1.0 if maximize else 1.0), number(weight_decay), number(0.0)
    shrink, rate, scale, new1, kept2, new2, eps, amsgrad = adam_numbers(
        step, lr, beta1, beta2, eps, amsgrad, decoupled_decay
    )
    shrink, rate, scale, max_norm = number(shrink), number(rate), number(scale), number(amsgrad)
    new1, kept2, new2, small = number(new1), number(kept2), number(new2), number(eps)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        u = max_square[i] if max_norm != 0 else none
        param[i], mean[i], square[i], u = adam(
            param[i], g, mean[i], square[i], u, shrink, rate, scale, new1, kept2, new2, small, max_norm
        )
        if max_norm != 0:
            max_square[i] = u


@jit
def rmsprop_update(
    param: Array,
    grad: Array,
    square: Array,
    buffer: Array,
    mean: Array,
    step: float,
    lr: float,
    alpha: float,
    eps: float,
    momentum: float,
    centered: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    number = param.dtype.type
    sign, decay, none = number(-1.0 if maximize else 1.0), number(weight_decay), number(0.0)
    lr, alpha, new, eps, momentum, centered = rmsprop_numbers(step, lr, alpha, eps, momentum, centered)
    rate, momentum_factor, new, small, inertia = number(lr), number(alpha), number(new), number(eps), number(momentum)
    is_centered = number(centered)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        b, m = buffer[i] if inertia != 0 else none, mean[i] if is_centered != 0 else none
        param[i], square[i], b, m = rmsprop(
            param[i], g, square[i], b, m, rate, momentum_factor, new, small, inertia, is_centered
        )
        if inertia != 0:
            buffer[i] = b
        if is_centered != 0:
            mean[i] = m


@jit
def adagrad_update(
    param: Array,
    grad: Array,
    total: Array,
    step: float,
    lr: float,
    lr_decay: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    number = param.dtype.type
    sign, decay = number(-1.0 if maximize else 1.0), number(weight_decay)
    lr, eps = adagrad_numbers(step, lr, lr_decay, eps)
    rate, small = number(lr), number(eps)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        param[i], total[i] = adagrad(param[i], g, total[i], rate, small)


@jit
def adadelta_update(
    param: Array,
    grad: Array,
    square: Array,
    moved: Array,
    step: float,
    lr: float,
    rho: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    number = param.dtype.type
    sign, decay = number(-1.0 if maximize else 1.0), number(weight_decay)
    lr, rho, new, eps = adadelta_numbers(step, lr, rho, eps)
    rate, momentum_factor, new, small = number(lr), number(rho), number(new), number(eps)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        param[i], square[i], moved[i] = adadelta(param[i], g, square[i], moved[i], rate, momentum_factor, new, small)


@jit
def adamax_update(
    param: Array,
    grad: Array,
    mean: Array,
    max_exp_avg_sq: Array,
    step: float,
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    number = param.dtype.type
    sign, decay = number(-1.0 if maximize else 1.0), number(weight_decay)
    lr, new, beta2, eps = adamax_numbers(step, lr, beta1, beta2, eps)
    rate, new, momentum_factor, small = number(lr), number(new), number(beta2), number(eps)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        param[i], mean[i], max_exp_avg_sq[i] = adamax(
            param[i], g, mean[i], max_exp_avg_sq[i], rate, new, momentum_factor, small
        )


@jit
def nadam_update(
    param: Array,
    grad: Array,
    mean: Array,
    square: Array,
    step: float,
    product: float,
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    momentum_decay: float,
    decoupled_decay: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    number = param.dtype.type
    sign, decay = number(-1.0 if maximize else 1.0), number(weight_decay)
    shrink, along, ahead, scale, new1, kept2, new2, eps = nadam_numbers(
        step, product, lr, beta1, beta2, eps, momentum_decay, decoupled_decay
    )
    shrink, along, ahead, scale = number(shrink), number(along), number(ahead), number(scale)
    new1, kept2, new2, small = number(new1), number(kept2), number(new2), number(eps)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        param[i], mean[i], square[i] = nadam(
            param[i], g, mean[i], square[i], shrink, along, ahead, scale, new1, kept2, new2, small
        )


@jit
def radam_update(
    param: Array,
    grad: Array,
    mean: Array,
    square: Array,
    step: float,
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    decoupled_decay: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    number = param.dtype.type
    sign, decay = number(-1.0 if maximize else 1.0), number(weight_decay)
    shrink, lr, divides, new1, kept2, new2, eps = radam_numbers(step, lr, beta1, beta2, eps, decoupled_decay)
    shrink, rate, divides = number(shrink), number(lr), number(divides)
    new1, kept2, new2, small = number(new1), number(kept2), number(new2), number(eps)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        param[i], mean[i], square[i] = radam(
            param[i], g, mean[i], square[i], shrink, rate, divides, new1, kept2, new2, small
        )


@jit
def rprop_update(
    param: Array,
    grad: Array,
    before: Array,
    size: Array,
    step: float,
    lr: float,
    fewer: float,
    more: float,
    low: float,
    high: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    number = param.dtype.type
    sign, decay = number(-1.0 if maximize else 1.0), number(weight_decay)
    fewer, more, low, high = rprop_numbers(step, lr, fewer, more, low, high)
    fewer, more, low, high = number(fewer), number(more), number(low), number(high)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        param[i], before[i], size[i] = rprop(param[i], g, before[i], size[i], fewer, more, low, high)


@jit
def asgd_update(
    param: Array,
    grad: Array,
    average: Array,
    step: float,
    eta: float,
    mu: float,
    lr: float,
    lambd: float,
    alpha: float,
    t0: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    number = param.dtype.type
    sign, decay = number(-1.0 if maximize else 1.0), number(weight_decay)
    momentum_factor, eta, mu = asgd_numbers(step, eta, mu, lr, lambd, alpha, t0)
    momentum_factor, rate, new = number(momentum_factor), number(eta), number(mu)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        param[i], average[i] = asgd(param[i], g, average[i], momentum_factor, rate, new)
