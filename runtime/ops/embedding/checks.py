"""Argument checks of embedding."""

from __future__ import annotations

from typing import Any

from ...dispatch.shape_checks import require_index_dtype
from ...errors import ShapeError
from ...tensor import dtypes


def embedding(op: str, weight: Any, indices: Any, *rest: Any) -> tuple[Any, ...]:
    """A table of rows, and indices of an integer dtype."""
    if len(weight._shape) != 2:
        raise ShapeError(f"{op}(): 'weight' must be 2-D, got shape {list(weight._shape)}")
    require_index_dtype(op, "indices", indices, (dtypes.int64, dtypes.int32))
    return weight, indices, *rest


def embedding_backward(op: str, grad_output: Any, indices: Any, num_weights: int, *rest: Any) -> tuple[Any, ...]:
    """One row of the gradient for each index."""
    require_index_dtype(op, "indices", indices, (dtypes.int64, dtypes.int32))
    g, i = grad_output._shape, indices._shape
    if len(g) != len(i) + 1 or g[:-1] != i or num_weights < 0:
        raise ShapeError(
            f"{op}(): expected grad_output of shape {[*i, 'features']} and num_weights >= 0, "
            f"got {list(g)} and {num_weights}"
        )
    return grad_output, indices, num_weights, *rest
