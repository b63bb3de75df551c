"""Softmax, log-softmax and their gradients: plans.py, for arrays in any layout."""

from collections.abc import Callable

import numpy as np

from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import Array, Plan, run
from . import plans


def softmax(input: Array, dim: int, dtype: object = None) -> Array:
    return _along(plans.softmax, dim, input)


def log_softmax(input: Array, dim: int, dtype: object = None) -> Array:
    return _along(plans.log_softmax, dim, input)


def softmax_backward(grad_output: Array, output: Array, dim: int) -> Array:
    return _along(plans.softmax_backward, dim, grad_output, output)


def log_softmax_backward(grad_output: Array, output: Array, dim: int) -> Array:
    return _along(plans.log_softmax_backward, dim, grad_output, output)


def _along(find: Callable[..., Plan | None], dim: int, *arrays: Array) -> Array:
    if not arrays[0].size:
        return np.empty(arrays[0].shape, arrays[0].dtype)
    return run(find, *map(contiguous, arrays), dim)[0]
