"""The linear map of the last dimension: one matrix product each way."""

from __future__ import annotations

from math import prod

import numpy as np


def linear(input: np.ndarray, weight: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    """input @ weight^T + bias; the leading dimensions of input are merged, so that BLAS is called once."""
    rows = input.reshape(-1, input.shape[-1]) if input.ndim > 2 and input.size else input
    result = np.asarray(np.matmul(rows, weight.T))
    if bias is not None:
        result += bias
    return result.reshape(input.shape[:-1] + weight.shape[:-1])


def linear_weight_grad(grad_output: np.ndarray, input: np.ndarray) -> np.ndarray:
    """The sum over the batch of outer(grad_output, input); without outer for a weight of one dimension."""
    rows = input.reshape(prod(input.shape[:-1]), input.shape[-1])
    if grad_output.ndim < input.ndim:
        return np.matmul(grad_output.reshape(len(rows)), rows)
    return np.matmul(grad_output.reshape(len(rows), grad_output.shape[-1]).T, rows)
