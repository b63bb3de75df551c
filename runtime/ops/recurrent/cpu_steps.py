"""What the layers of all kinds of recurrent cells share around their loops: rows, steps, and products over all rows."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ...kernels.cpu.matmul import PRODUCTS, UNIT
from ...pool.parallel_for import shared
from ..reduction.cpu import sum_dim
from .cpu_loops import before, gates_of, slopes_of_inputs, slopes_of_weights

Array = np.ndarray

SEQUENCES = 4  # that one thread goes through, at least


@lru_cache(maxsize=256)
def steps_of(shape: tuple[int, ...], batch_sizes: tuple[int, ...], reverse: bool) -> Array:
    """The table that the loops go by; without batch_sizes the input is (steps, batch, features)."""
    counts = np.array(batch_sizes or shape[:1] and (shape[1],) * shape[0], np.int64)
    table = np.zeros((len(counts), 3), np.int64)
    table[:, 0], table[:, 1] = np.cumsum(counts) - counts, counts
    table = table[::-1].copy() if reverse else table
    table[1:, 2] = np.minimum(table[1:, 1], table[:-1, 1])
    return table


def through_time(loops: Any, arguments: tuple[Any, ...], hidden: Array, steps: Array, gates: int) -> None:
    """Loops over the steps, which take a range of sequences; large ones are shared between threads."""
    batch, size = hidden.shape
    shared(loops, arguments, batch, len(steps) * batch * size * size * gates // PRODUCTS, SEQUENCES)


def rows_of(array: Array) -> Array:
    """All rows of all steps, contiguous."""
    return np.ascontiguousarray(array).reshape(prod(array.shape[:-1]), array.shape[-1])


def parts_of(weight: Array | None, parts: int) -> Array | None:
    """A weight or bias of several gates as a stack of those of each."""
    if weight is None:
        return None
    return np.ascontiguousarray(weight).reshape(parts, len(weight) // parts, *weight.shape[1:])


def projected(rows: Array, weight: Any, bias: Array | None, to: Array) -> None:
    """to[k] = rows weight[k]^T + bias[k] for each gate; `to` may have more of them, which become the bias alone."""
    if bias is not None:
        to[...] = bias[:, None]
    shared(gates_of, (rows, weight, to, bias is not None), len(weight), len(rows) * weight.size // PRODUCTS)


def input_grad(grads: Array, weight: Any) -> Array:
    """The gradient of the rows that `projected` took."""
    result = np.empty((grads.shape[1], weight.shape[2]), grads.dtype)
    shared(slopes_of_inputs, (grads, weight, result), len(result), grads.size * weight.shape[2] // PRODUCTS, UNIT)
    return result


def weight_grad(grads: Array, rows: Array, gates: tuple[int, ...] = ()) -> Array:
    """The gradient of the weights of all gates, or of some, one below the other."""
    which = np.array(gates or range(len(grads)))
    result = np.empty((len(which), grads.shape[2], rows.shape[1]), rows.dtype)
    shared(slopes_of_weights, (grads, which, rows, result), len(which), result.size * len(rows) // PRODUCTS)
    return result.reshape(len(which) * result.shape[1], rows.shape[1])


def bias_grad(grads: Array) -> Array:
    """The gradient of the biases of all gates."""
    return sum_dim(grads, (1,), False).reshape(-1)


def state_of(given: Array | None, like: Array) -> Array:
    """A copy that the loops may write to; zeros for None."""
    return np.zeros(like.shape, like.dtype) if given is None else np.array(given, order="C")


def total_bias(first: Array | None, second: Array | None, parts: int) -> Array | None:
    """The sum of both biases for each gate."""
    return None if first is None or second is None else parts_of(first + second, parts)


def above(grad_output: Array | None, rows: int, width: int, dtype: np.dtype) -> Array:
    """A copy of the output's gradient for all rows, to which loops add; zeros for None."""
    return np.zeros((rows, width), dtype) if grad_output is None else np.array(rows_of(grad_output))


def previous(output: Array, initial: Array, steps: Array) -> Array:
    """The state that each row was computed from."""
    return before(rows_of(output), np.ascontiguousarray(initial), steps)
