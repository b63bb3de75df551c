"""Losses on a device that are no row programs, element by element.

`share` is the derivative of the reduced loss by the loss of one element.
"""

from typing import Any

from ...kernels.cuda.language import T, cuda, int64
from ...kernels.scalar import exp, log, log1p

# Texts name these; a kernel has its own in their place.
index: Any = None
get_x = get_target = index


def bernoulli(x: Any, target: Any, weight: Any) -> Any:
    yes, no = log(x), log1p(-x)
    yes = yes if yes > T(-100) else T(-100)
    no = no if no > T(-100) else T(-100)
    return -weight * (target * yes + (T(1) - target) * no)


def bernoulli_derivative(x: Any, target: Any, grad: Any, weight: Any, share: Any) -> Any:
    variance = x * (T(1) - x)
    return (x - target) / (variance if variance > T(1e-12) else T(1e-12)) * (share * grad) * weight


def logistic(x: Any, target: Any, weight: Any, positive: Any) -> Any:
    tail = log1p(exp(-abs(x)))
    above = tail + (x if x > T(0) else T(0))
    below = tail + (-x if x < T(0) else T(0))
    yes, no = positive * target, T(1) - target
    return weight * ((yes * below if yes != T(0) else T(0)) + (no * above if no != T(0) else T(0)))


def logistic_derivative(x: Any, target: Any, grad: Any, weight: Any, positive: Any, share: Any) -> Any:
    tail = exp(-abs(x))
    probability = T(1) / (T(1) + tail)
    complement = tail * probability
    yes, no = (probability, complement) if x >= T(0) else (complement, probability)
    return ((T(1) - target) * yes - positive * target * no) * (share * grad) * weight


def noted_outside(x: Any, target: Any, word: Any, of_input: Any, of_target: Any, total: Any) -> None:
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        result = int64(0)
        if not (get_target(target, i) >= T(0) and get_target(target, i) <= T(1)):
            result = of_target
        if not (get_x(x, i) >= T(0) and get_x(x, i) <= T(1)):
            result = of_input
        if result != int64(0):
            cuda.atomic.cas(word, 0, int64(0), result)


def noted(target: Any, word: Any, ticket: Any, classes: Any, ignored: Any, total: Any) -> None:
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        value = get_target(target, i)
        if value != ignored and not 0 <= value < classes and cuda.atomic.cas(word, 0, int64(0), ticket) == int64(0):
            word[1] = int64(value)
            word[2] = int64(classes)
