"""Intrinsics for distances inside numba kernels: the register tiles of products, for sums of what differences give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import for_numba
from ..vectors import Vectors, emitted
from .tiles import Panel


@for_numba
def square_differences(
    context: Any,
    like: Any,
    a: Any,
    a_row: Any,
    a_col: Any,
    b: Any,
    b_row: Any,
    c: Any,
    c_row: Any,
    rows: Any,
    depth: Any,
    width: Any,
    add: Any,
) -> Any:
    """square_differences(like, a, a_row, a_col, b, b_row, c, c_row, rows, depth, width, add): as panel_product.

    c_ij = sum_t (a_it - b_tj)^2, or that added to c.
    """
    return emitted(_Squares, like, 11)


@for_numba
def weighted_differences(
    context: Any,
    like: Any,
    w: Any,
    w_row: Any,
    w_col: Any,
    b: Any,
    b_row: Any,
    c: Any,
    c_row: Any,
    rows: Any,
    depth: Any,
    width: Any,
    add: Any,
    x: Any,
    x_row: Any,
) -> Any:
    """weighted_differences(like, w, w_row, w_col, b, b_row, c, c_row, rows, depth, width, add, x, x_row): as
    panel_product, c_ij = sum_t w_it (b_tj - x_ij), or that added to c.
    """
    return emitted(_Weighted, like, 13)


class _Squares(Panel):
    """The code of square_differences."""

    def terms(self, tile: Any, column: Sequence[Any], row: Sequence[Any], sums: dict[Any, Any]) -> dict[Any, Any]:
        results = {}
        for i, v in sums:
            difference = self.builder.fsub(row[v], column[i])
            results[i, v] = self.vectors.fma(difference, difference, sums[i, v])
        return results


class _Weighted(Panel):
    """The code of weighted_differences."""

    def __init__(self, vectors: Vectors, *args: Any) -> None:
        super().__init__(vectors, *args[:-2])
        self.x, self.x_row = args[-2:]

    def begin_tile(self, row: Any, positions: Sequence[tuple[int, int]], masks: Sequence[Any]) -> Any:
        """The rows that others are subtracted from: LLVM reads them again in each step, where registers are few."""
        vectors = self.vectors
        x = self.builder.add(self.x, self.builder.mul(row, self.x_row))
        return {
            (i, v): vectors.load(vectors.address(x, self.x_row, i, v * vectors.bytes), masks[v]) for i, v in positions
        }

    def terms(self, tile: Any, column: Sequence[Any], row: Sequence[Any], sums: dict[Any, Any]) -> dict[Any, Any]:
        return {(i, v): self.vectors.fma(column[i], self.builder.fsub(row[v], tile[i, v]), sums[i, v]) for i, v in sums}
