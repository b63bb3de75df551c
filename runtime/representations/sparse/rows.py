"""Rows of a table whose gradient is sparse: it has the rows that were read, and no others."""

from __future__ import annotations

from typing import Any

from ...autograd.custom.function import Function
from ...extension_points import fill
from ...namespace import op
from ...tensor.base import host_array
from ...tensor.dtypes import int64
from .graph import of
from .pattern import by_coordinates


class RowsOf(Function):
    """The rows of a table that indices name, as `embedding` gives them."""

    @staticmethod
    def forward(ctx: Any, table: Any, index: Any, padding: int) -> Any:
        """The rows; `padding` is one without a gradient, -1 for none."""
        ctx.index, ctx.shape, ctx.padding = index.detach(), table._shape, padding
        return op.embedding(table, index)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        index, values = ctx.index.reshape(-1).to(int64), grad.reshape(-1, ctx.shape[1])
        if ctx.padding >= 0:
            nonzero_mask = index != ctx.padding
            index, values = index[nonzero_mask], values[nonzero_mask]
        flat_indices = host_array(index).reshape(1, -1)
        return of(by_coordinates(flat_indices, ctx.shape, grad.device, flat_indices.size < 2), values), None, None


def rows_of(table: Any, index: Any, padding: int = -1) -> Any:
    """The rows of a table that indices name; its gradient is sparse."""
    return RowsOf.apply(table, index, padding)


fill("sparse_rows", rows_of)
