"""Element-wise ops in ONNX operators, where one line does not say it."""

from __future__ import annotations

from typing import Any


def truncated(onnx: Any, x: Any) -> Any:
    """The numbers without what stands behind the point."""
    return onnx.Sign(x) * onnx.Floor(onnx.Abs(x)) if x.is_float else x


def floor_quotient(onnx: Any, x: Any, y: Any) -> Any:
    """x / y rounded down. Whole numbers are divided without a rest: ONNX rounds them towards zero."""
    value = x if hasattr(x, "is_float") else y
    return onnx.Floor(onnx.Div(x, y)) if value.is_float else onnx.Div(onnx.Sub(x, onnx.Mod(x, y)), y)
