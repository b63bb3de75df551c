"""Normalisation in ONNX operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def standardized(
    onnx: Any, x: Any, weight: Any, bias: Any, dim: Sequence[int], affine_shape: Sequence[int], eps: float
) -> Any:
    """(x - mean) / sqrt(var + eps) * weight + bias; one operator where the dimensions are the last."""
    dims = sorted(each % x.ndim for each in dim)
    last = list(range(x.ndim - len(dims), x.ndim))
    if dims == last and list(affine_shape) == [x.shape[each] for each in dims]:
        scale = np.ones(affine_shape, x.dtype) if weight is None else onnx.Reshape(weight, list(affine_shape))
        shift = None if bias is None else onnx.Reshape(bias, list(affine_shape))
        return onnx.LayerNormalization(x, scale, shift, axis=dims[0], epsilon=eps)[0]
    distance = x - onnx.ReduceMean(x, dims, keepdims=1)
    result = distance / onnx.Sqrt(onnx.ReduceMean(distance * distance, dims, keepdims=1) + eps)
    result = result if weight is None else result * onnx.Reshape(weight, list(affine_shape))
    return result if bias is None else result + onnx.Reshape(bias, list(affine_shape))


def standardized_groups(onnx: Any, x: Any, weight: Any, bias: Any, groups: int, eps: float) -> Any:
    """The same of groups of neighbouring channels of x (N, C, ...)."""
    ones, zeros = np.ones(groups, x.dtype), np.zeros(groups, x.dtype)
    parts = onnx.Reshape(x, [0, groups, -1])
    result = onnx.Reshape(onnx.InstanceNormalization(parts, ones, zeros, epsilon=eps), list(x.shape))
    unfolded = [-1, *[1] * (x.ndim - 2)]
    result = result if weight is None else result * onnx.Reshape(weight, unfolded)
    return result if bias is None else result + onnx.Reshape(bias, unfolded)


def batch_normalized(onnx: Any, x: Any, mean: Any, var: Any, weight: Any, bias: Any, eps: float) -> Any:
    """(x - mean) / sqrt(var + eps) * weight + bias with one number per channel."""
    scale = np.ones(mean.shape, x.dtype) if weight is None else weight
    shift = np.zeros(mean.shape, x.dtype) if bias is None else bias
    return onnx.BatchNormalization(x, scale, shift, mean, var, epsilon=eps)[0]


def rms_normalized(onnx: Any, x: Any, weight: Any, dim: Sequence[int], eps: float) -> Any:
    """x / sqrt(mean(x^2) + eps) * weight."""
    result = x / onnx.Sqrt(onnx.ReduceMean(x * x, list(dim), keepdims=1) + eps)
    return result if weight is None else result * weight
