"""Update rules of optimizers, each parameter in one pass: all arrays are 1-D, contiguous, and written in place.

A loop takes the parameter, its gradient, estimates, what `rules.py` makes the numbers of a step of, and at last the
weight decay and whether to maximize, by which gradients are changed first. Estimates without use are empty arrays.
The parameters of loops that training begins with stand one by one: their LLVM modules come with specgrad.
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
rule: Any = None  # a loop has its own in their place
numbers_of: Any = None


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
def rmsprop_update(param: Array, grad: Array, square: Array, buffer: Array, mean: Array, *settings: Any) -> None:
    none = param.dtype.type(0)
    sign, decay = in_type(none, (-1.0 if settings[-1] else 1.0, settings[-2]))
    numbers = in_type(none, rmsprop_numbers(*settings[:-2]))
    has_momentum, is_centered = numbers[-2] != 0, numbers[-1] != 0
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        b, m = buffer[i] if has_momentum else none, mean[i] if is_centered else none
        param[i], square[i], b, m = rmsprop(param[i], g, square[i], b, m, *numbers)
        if has_momentum:
            buffer[i] = b
        if is_centered:
            mean[i] = m


def with_one_estimate(param: Array, grad: Array, one: Array, *settings: Any) -> None:
    sign, decay = in_type(param.dtype.type(0), (-1.0 if settings[-1] else 1.0, settings[-2]))
    numbers = in_type(param.dtype.type(0), numbers_of(*settings[:-2]))
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        param[i], one[i] = rule(param[i], g, one[i], *numbers)


def with_two_estimates(param: Array, grad: Array, one: Array, other: Array, *settings: Any) -> None:
    sign, decay = in_type(param.dtype.type(0), (-1.0 if settings[-1] else 1.0, settings[-2]))
    numbers = in_type(param.dtype.type(0), numbers_of(*settings[:-2]))
    for i in range(param.size):
        g = uphill(grad[i], param[i], sign, decay)
        param[i], one[i], other[i] = rule(param[i], g, one[i], other[i], *numbers)


def loop_of(name: str, loop: Any) -> Any:
    numbers = jit(getattr(rules, f"{name}_numbers"))
    made = rebuilt(loop, {"rule": jit(getattr(rules, name)), "numbers_of": numbers})
    made.__name__ = made.__qualname__ = f"{name}_update"
    return jit(made)


adagrad_update, asgd_update = loop_of("adagrad", with_one_estimate), loop_of("asgd", with_one_estimate)
adadelta_update, adamax_update = loop_of("adadelta", with_two_estimates), loop_of("adamax", with_two_estimates)
nadam_update, radam_update = loop_of("nadam", with_two_estimates), loop_of("radam", with_two_estimates)
rprop_update = loop_of("rprop", with_two_estimates)
