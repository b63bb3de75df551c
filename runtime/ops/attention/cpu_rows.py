"""What attention does to one row of scores, of weights, or of an operand."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.cpu.float_keys import greatest
from ...kernels.jit import jit
from ...kernels.scalar import exp

Array = np.ndarray

_REORDER = {"reassoc"}  # sums may be spread over the lanes of a register, in an order fixed when compiling


@jit(fastmath=_REORDER)
def soften(row: Array) -> float:
    """Turns scores into weights and returns log(sum(exp(scores))); zeros, and inf, where all scores are -inf."""
    top, total = row.dtype.type(greatest(row)), row.dtype.type(0)
    if top == -math.inf:
        row[:] = 0
        return math.inf
    for x in range(row.size):
        value = exp(row[x] - top)
        row[x] = value
        total += value
    scale = 1 / total
    for x in range(row.size):
        row[x] *= scale
    return top + math.log(total)


@jit
def weigh(row: Array, logsumexp: float) -> None:
    """Turns scores into weights, knowing what `soften` returned."""
    for x in range(row.size):
        row[x] = exp(row[x] - logsumexp)


@jit
def slope(weights: Array, grads: Array, mean: float) -> None:
    """Turns weights into the gradients of scores, from those of the weights and their mean under the weights."""
    for x in range(weights.size):
        weights[x] *= grads[x] - mean


@jit(fastmath=_REORDER)
def row_dot(a: Array, b: Array) -> float:
    """The sum of a_x b_x."""
    total = a.dtype.type(0)
    for x in range(a.size):
        total += a[x] * b[x]
    return total


@jit
def scaled(row: Array, scale: float, to: Array) -> None:
    """to = scale row."""
    factor = row.dtype.type(scale)
    for x in range(row.size):
        to[x] = row[x] * factor


@jit
def add_row(row: Array, to: Array) -> None:
    """to + row."""
    for x in range(to.size):
        to[x] += row[x]


@jit
def masked(mask: Array, row: Array) -> None:
    """-inf where the mask is zero."""
    low = row.dtype.type(-math.inf)
    for x in range(row.size):
        row[x] = row[x] if mask[x] else low


@jit
def drop(row: Array, keep: Array, scale: float, to: Array) -> None:
    """to = scale row where kept, else zero."""
    factor, nothing = row.dtype.type(scale), row.dtype.type(0)
    for x in range(row.size):
        to[x] = row[x] * factor if keep[x] else nothing
