"""Products in ONNX operators, where one line does not say it."""

from __future__ import annotations

from typing import Any


def affine(onnx: Any, x: Any, weight: Any, bias: Any) -> Any:
    """x W^T + b: one operator for matrices, two for more dimensions."""
    if x.ndim == 2 and weight.ndim == 2:
        return onnx.Gemm(x, weight, bias, transB=1)
    result = onnx.MatMul(x, onnx.Transpose(weight, perm=[1, 0]) if weight.ndim == 2 else weight)
    return result if bias is None else result + bias
