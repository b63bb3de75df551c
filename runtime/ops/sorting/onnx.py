"""Ops that order elements in ONNX operators, where one line does not say it."""

from __future__ import annotations

from typing import Any


def kth_smallest(onnx: Any, x: Any, k: int, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The k-th smallest element along a dimension, and where it stands."""
    result = onnx.TopK(x, [k], axis=dim, largest=0, sorted=1)
    values, indices = (onnx.Gather(each, [k - 1] if keepdim else k - 1, axis=dim) for each in result)
    return values, indices
