"""Checks of what losses get on a device: each element is looked at, and the first that is wrong is noted."""

from typing import Any

from ...kernels.cuda.language import T, cuda, int64

# Texts name these; a kernel has its own in their place.
index: Any = None
get_x = get_target = index


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
