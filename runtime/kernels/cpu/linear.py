"""The linear map of the last dimension: one matrix product each way."""

from __future__ import annotations

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
    features = input.shape[-1]
    rows = (
        input.reshape(input.size // max(features, 1), features) if input.size else input.reshape(0, features)
    )
    if grad_output.ndim < input.ndim:
        return np.matmul(grad_output.reshape(-1), rows) if input.ndim > 1 else grad_output * input
    outputs = grad_output.shape[-1]
    grads = grad_output.reshape(len(rows), outputs)
    return np.matmul(grads.T, rows)
