"""The linear map of the last dimension: one matrix product each way."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ...kernels.cpu.matmul import matmul2d
from ...kernels.cpu.matvec import matrix_vector, vector_vector
from ..reduction.cpu import sum_dim


def linear(input: np.ndarray, weight: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    """input @ weight^T + bias; the leading dimensions of input are merged, so that there is one product."""
    rows = input.reshape(prod(input.shape[:-1]), input.shape[-1]) if input.ndim > 2 else input
    if rows.ndim == weight.ndim == 2:
        result = matmul2d(rows, weight.T, bias)
    else:
        result = np.asarray(_with_a_vector(rows, weight))
        if bias is not None:
            result += bias
    return result.reshape(input.shape[:-1] + weight.shape[:-1])


def _with_a_vector(rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """rows @ weight^T where one of them, or both, are vectors."""
    if rows.ndim == weight.ndim:
        return vector_vector(rows, weight)
    return matrix_vector(weight, rows) if rows.ndim == 1 else matrix_vector(rows, weight)


def linear_weight_backward(grad_output: np.ndarray, input: np.ndarray) -> np.ndarray:
    """The sum over the batch of outer(grad_output, input); without outer for a weight of one dimension."""
    rows = input.reshape(prod(input.shape[:-1]), input.shape[-1])
    if grad_output.ndim < input.ndim:
        return matrix_vector(rows.T, grad_output.reshape(len(rows)))
    return matmul2d(grad_output.reshape(len(rows), grad_output.shape[-1]).T, rows)


def linear_backward(
    wanted: Sequence[bool],
    grad_output: np.ndarray,
    input: np.ndarray | None,
    weight: np.ndarray | None,
    input_shape: Sequence[int],
    weight_shape: Sequence[int],
) -> tuple[np.ndarray | None, ...]:
    """The gradients of input, weight and bias; without rows of the weight, as if there were one."""
    outputs = weight_shape[0] if len(weight_shape) == 2 else 1
    rows = grad_output.reshape(prod(input_shape[:-1]), outputs)
    results: list[np.ndarray | None] = [None, None, None]
    if wanted[0] and weight is not None:
        results[0] = matmul2d(rows, weight.reshape(outputs, weight_shape[-1])).reshape(input_shape)
    if wanted[1] and input is not None:
        results[1] = matmul2d(rows.T, input.reshape(len(rows), input_shape[-1])).reshape(weight_shape)
    if wanted[2]:
        results[2] = sum_dim(rows, (0,), False).reshape(weight_shape[:-1])
    return tuple(results)
