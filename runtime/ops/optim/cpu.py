"""Update rules of optimizers, each parameter in one pass: all arrays are 1-D, contiguous, and written in place.

A loop takes the parameter, its gradient, estimates, what `rules.py` makes the numbers of a step of, and at last the
weight decay and whether to maximize, by which gradients are changed first. Estimates without use are empty arrays.
Parameters stand one by one: threads and native code call the loops by address.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiler.jit import for_numba, jit
from ...compiler.passes.scalar_library import rebuilt
from . import rules

Array = np.ndarray

uphill, sgd, sgd_numbers = jit(rules.uphill), jit(rules.sgd), jit(rules.sgd_numbers)
adam, adam_numbers = jit(rules.adam), jit(rules.adam_numbers)
rmsprop, rmsprop_numbers = jit(rules.rmsprop), jit(rules.rmsprop_numbers)
rule: Any = None  # a loop has its own in its place


@for_numba
def in_type(context: Any, like: Any, numbers: Any) -> Any:
    from numba import types
    from numba.core import cgutils

    result = types.UniTuple(like, len(numbers))

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pairs = zip(cgutils.unpack_tuple(builder, args[1], len(numbers)), numbers.types, strict=True)
        return context.make_tuple(builder, result, [context.cast(builder, *pair, like) for pair in pairs])

    return result(like, numbers), code


@jit
def sgd_update(
    param: Array, grad: Array, buffer: Array, lr: float, momentum: float, dampening: float, nesterov: float,
    is_first: float, weight_decay: float, maximize: bool,
) -> None:  # fmt: skip
    none = param.dtype.type(0)
    sign, decay = in_type(none, (-1.0 if maximize else 1.0, weight_decay))
    numbers = in_type(none, sgd_numbers(lr, momentum, dampening, nesterov, is_first))
    has_buffer = numbers[1] != 0
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        b = buffer[i] if has_buffer else none
        param[i], b = sgd(param[i], g, b, *numbers)
        if has_buffer:
            buffer[i] = b


@jit
def adam_update(
    param: Array, grad: Array, mean: Array, square: Array, max_square: Array, step: float, lr: float, beta1: float,
    beta2: float, eps: float, amsgrad: float, decoupled_decay: float, weight_decay: float, maximize: bool,
) -> None:  # fmt: skip
    none = param.dtype.type(0)
    sign, decay = in_type(none, (-1.0 if maximize else 1.0, weight_decay))
    numbers = in_type(none, adam_numbers(step, lr, beta1, beta2, eps, amsgrad, decoupled_decay))
    has_max = numbers[-1] != 0
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        u = max_square[i] if has_max else none
        param[i], mean[i], square[i], u = adam(param[i], g, mean[i], square[i], u, *numbers)
        if has_max:
            max_square[i] = u


@jit
def rmsprop_update(
    param: Array, grad: Array, square: Array, buffer: Array, mean: Array, step: float, lr: float, alpha: float,
    eps: float, momentum: float, centered: float, weight_decay: float, maximize: bool,
) -> None:  # fmt: skip
    none = param.dtype.type(0)
    sign, decay = in_type(none, (-1.0 if maximize else 1.0, weight_decay))
    numbers = in_type(none, rmsprop_numbers(step, lr, alpha, eps, momentum, centered))
    has_momentum, is_centered = numbers[-2] != 0, numbers[-1] != 0
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        b, m = buffer[i] if has_momentum else none, mean[i] if is_centered else none
        param[i], square[i], b, m = rmsprop(param[i], g, square[i], b, m, *numbers)
        if has_momentum:
            buffer[i] = b
        if is_centered:
            mean[i] = m


def with_one_estimate(param: Array, grad: Array, one: Array, numbers: Any, weight_decay: float, maximize: bool) -> None:
    sign, decay = in_type(param.dtype.type(0), (-1.0 if maximize else 1.0, weight_decay))
    settings = in_type(param.dtype.type(0), numbers)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        param[i], one[i] = rule(param[i], g, one[i], *settings)


def with_two_estimates(
    param: Array, grad: Array, one: Array, other: Array, numbers: Any, weight_decay: float, maximize: bool
) -> None:
    sign, decay = in_type(param.dtype.type(0), (-1.0 if maximize else 1.0, weight_decay))
    settings = in_type(param.dtype.type(0), numbers)
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        param[i], one[i], other[i] = rule(param[i], g, one[i], other[i], *settings)


def loop_of(name: str, loop: Any) -> Any:
    made = rebuilt(loop, {"rule": jit(getattr(rules, name))})
    made.__name__ = made.__qualname__ = f"{name}_loop"
    return jit(made)


adagrad_loop, asgd_loop = loop_of("adagrad", with_one_estimate), loop_of("asgd", with_one_estimate)
adadelta_loop, adamax_loop = loop_of("adadelta", with_two_estimates), loop_of("adamax", with_two_estimates)
nadam_loop, radam_loop = loop_of("nadam", with_two_estimates), loop_of("radam", with_two_estimates)
rprop_loop = loop_of("rprop", with_two_estimates)

adagrad_numbers = jit(rules.adagrad_numbers)
adadelta_numbers = jit(rules.adadelta_numbers)
adamax_numbers = jit(rules.adamax_numbers)
nadam_numbers = jit(rules.nadam_numbers)
radam_numbers = jit(rules.radam_numbers)
rprop_numbers = jit(rules.rprop_numbers)
asgd_numbers = jit(rules.asgd_numbers)


@jit
def adagrad_update(
    param: Array, grad: Array, total: Array, step: float, lr: float, lr_decay: float, eps: float, weight_decay: float,
    maximize: bool,
) -> None:  # fmt: skip
    numbers = adagrad_numbers(step, lr, lr_decay, eps)
    adagrad_loop(param, grad, total, numbers, weight_decay, maximize)


@jit
def adadelta_update(
    param: Array, grad: Array, square: Array, moved: Array, step: float, lr: float, rho: float, eps: float,
    weight_decay: float, maximize: bool,
) -> None:  # fmt: skip
    numbers = adadelta_numbers(step, lr, rho, eps)
    adadelta_loop(param, grad, square, moved, numbers, weight_decay, maximize)


@jit
def adamax_update(
    param: Array, grad: Array, mean: Array, max_exp_avg: Array, step: float, lr: float, beta1: float, beta2: float,
    eps: float, weight_decay: float, maximize: bool,
) -> None:  # fmt: skip
    numbers = adamax_numbers(step, lr, beta1, beta2, eps)
    adamax_loop(param, grad, mean, max_exp_avg, numbers, weight_decay, maximize)


@jit
def nadam_update(
    param: Array, grad: Array, mean: Array, square: Array, step: float, product: float, lr: float, beta1: float,
    beta2: float, eps: float, momentum_decay: float, decoupled_decay: float, weight_decay: float, maximize: bool,
) -> None:  # fmt: skip
    numbers = nadam_numbers(step, product, lr, beta1, beta2, eps, momentum_decay, decoupled_decay)
    nadam_loop(param, grad, mean, square, numbers, weight_decay, maximize)


@jit
def radam_update(
    param: Array, grad: Array, mean: Array, square: Array, step: float, lr: float, beta1: float, beta2: float,
    eps: float, decoupled_decay: float, weight_decay: float, maximize: bool,
) -> None:  # fmt: skip
    numbers = radam_numbers(step, lr, beta1, beta2, eps, decoupled_decay)
    radam_loop(param, grad, mean, square, numbers, weight_decay, maximize)


@jit
def rprop_update(
    param: Array, grad: Array, before: Array, size: Array, step: float, lr: float, fewer: float, more: float,
    low: float, high: float, weight_decay: float, maximize: bool,
) -> None:  # fmt: skip
    numbers = rprop_numbers(step, lr, fewer, more, low, high)
    rprop_loop(param, grad, before, size, numbers, weight_decay, maximize)


@jit
def asgd_update(
    param: Array, grad: Array, average: Array, step: float, eta: float, mu: float, lr: float, lambd: float,
    alpha: float, t0: float, weight_decay: float, maximize: bool,
) -> None:  # fmt: skip
    numbers = asgd_numbers(step, eta, mu, lr, lambd, alpha, t0)
    asgd_loop(param, grad, average, numbers, weight_decay, maximize)
