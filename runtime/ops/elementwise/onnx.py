"""Element-wise ops in ONNX operators, where one line does not say it."""

from __future__ import annotations

from typing import Any

import numpy as np


def truncated(onnx: Any, x: Any) -> Any:
    """The numbers without what stands behind the point."""
    return onnx.Sign(x) * onnx.Floor(onnx.Abs(x)) if x.is_float else x


def floor_div(onnx: Any, x: Any, y: Any) -> Any:
    """x / y rounded down. Whole numbers are divided without a rest: ONNX rounds them towards zero."""
    value = x if hasattr(x, "is_float") else y
    return onnx.Floor(onnx.Div(x, y)) if value.is_float else onnx.Div(onnx.Sub(x, onnx.Mod(x, y)), y)


def power(onnx: Any, base: Any, exponent: Any) -> Any:
    """x to the power y. ONNX leaves open what whole numbers give for powers below 0: here 1 / x^-y, rounded towards
    zero, so 1 and -1 alone do not become 0."""
    if exponent.is_float:
        return onnx.Pow(base, exponent)
    zero, one = np.array(0, exponent.dtype), np.array(1, exponent.dtype)
    upwards = onnx.Pow(base, onnx.Abs(exponent))
    is_special_case = onnx.Or(onnx.Equal(onnx.Abs(base), one), onnx.GreaterOrEqual(exponent, zero))
    return onnx.Where(is_special_case, upwards, zero)
