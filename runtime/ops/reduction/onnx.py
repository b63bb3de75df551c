"""Reductions in ONNX operators, where one line does not say it."""

from __future__ import annotations

import math
from typing import Any


def truths(onnx: Any, x: Any) -> Any:
    """1 where an element is true, else 0: ONNX has no largest bool."""
    return onnx.Cast(x if x.dtype == "bool" else onnx.Not(onnx.Equal(x, 0)), to=6)


def variance(onnx: Any, x: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
    """The mean of squared distances from the mean, with `correction` (1 for None) taken from the number of elements."""
    axes = [each % x.ndim for each in (dim or range(x.ndim))] if x.ndim else []
    distance = x - onnx.ReduceMean(x, axes, keepdims=1)
    count = math.prod(x.shape[axis] for axis in axes)
    total = onnx.ReduceSum(distance * distance, axes, keepdims=keepdim)
    return total / max(count - (1 if correction is None else correction), 0)


def p_norm(onnx: Any, x: Any, p: float, dim: Any, keepdim: bool) -> Any:
    """The p-norm along dimensions."""
    axes = [each % x.ndim for each in (dim or range(x.ndim))] if x.ndim else []
    if p in (1, 2):
        return (onnx.ReduceL1 if p == 1 else onnx.ReduceL2)(x, axes, keepdims=keepdim)
    size = onnx.Abs(x)
    if abs(p) == math.inf:
        return (onnx.ReduceMax if p > 0 else onnx.ReduceMin)(size, axes, keepdims=keepdim)
    if p == 0:
        return onnx.ReduceSum(onnx.Sign(size), axes, keepdims=keepdim)
    return onnx.Pow(onnx.ReduceSum(onnx.Pow(size, p), axes, keepdims=keepdim), 1 / p)
