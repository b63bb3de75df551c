"""Helpers of gradient formulas, over tensors."""

from typing import Any


def sum_of_rows(x: Any) -> Any:
    """The sum over all dimensions but the last."""
    return x.sum(list(range(x.ndim - 1))) if x.ndim > 1 else x
