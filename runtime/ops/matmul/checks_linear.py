"""Argument checks of linear layers."""

from __future__ import annotations

from typing import Any

from ...errors import ShapeError


def linear(op: str, input: Any, weight: Any, bias: Any) -> tuple[Any, ...]:
    """The last dimension of input must be that of weight, and bias must fit the other one."""
    x, w = input._shape, weight._shape
    if not x or len(w) not in (1, 2) or x[-1] != w[-1]:
        raise ShapeError(
            f"{op}(): expected input of shape [*, in_features] and weight of shape [out_features, "
            f"in_features] or [in_features], got {list(x)} and {list(w)}"
        )
    if bias is not None and bias._shape != w[:-1]:
        raise ShapeError(f"{op}(): expected bias of shape {list(w[:-1])}, got {list(bias._shape)}")
    return input, weight, bias


def linear_weight_backward(op: str, grad_output: Any, input: Any) -> tuple[Any, ...]:
    """The leading dimensions must agree."""
    g, x = grad_output._shape, input._shape
    if not x or x[:-1] not in (g, g[:-1]):
        raise ShapeError(f"{op}(): the shapes {list(g)} and {list(x)} differ before the last dimension")
    return grad_output, input
