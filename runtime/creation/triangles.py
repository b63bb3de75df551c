"""The places of the elements below and above a diagonal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dispatch import checks
from ..tensor.dtypes import int64
from .options import allocating, checked_size, chosen_dtype, finish, from_array


def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None, pin_memory: bool = False
) -> Any:
    """The places (i, j) with j - i <= offset of a matrix, row by row: all i, and below them all j.

    Args:
        row: how many rows the matrix has.
        col: how many columns.
        offset: the diagonal up to which elements count: 0 for the main one, above it positive.
        dtype: int64 or int32; int64 when left out.
        device: where the tensor is made.
        pin_memory: must be False.

    Shape:
        Output: (2, how many places there are).

    Raises:
        RuntimeError: a negative number of rows or columns.
        NotImplementedError: another dtype.

    Example:
        >>> import specgrad as sg
        >>> sg.tril_indices(2, 2)
        tensor([[0, 1, 1],
                [0, 0, 1]])
    """
    return _indices("tril_indices", np.tril_indices, row, col, offset, dtype, device, pin_memory)


def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None, pin_memory: bool = False
) -> Any:
    """The places (i, j) with j - i >= offset of a matrix, row by row: all i, and below them all j.

    Args:
        row, col, offset, dtype, device, pin_memory: as of `tril_indices`.

    Shape:
        Output: (2, how many places there are).

    Raises:
        RuntimeError: a negative number of rows or columns.
        NotImplementedError: another dtype.

    Example:
        >>> import specgrad as sg
        >>> sg.triu_indices(2, 2)
        tensor([[0, 0, 1],
                [0, 1, 1]])
    """
    return _indices("triu_indices", np.triu_indices, row, col, offset, dtype, device, pin_memory)


def _indices(
    op: str, index_fn: Callable[..., Any], row: Any, col: Any, offset: Any, dtype: Any, device: Any, pin_memory: Any
) -> Any:
    kind = chosen_dtype(op, dtype, int64)
    if kind.name not in ("int64", "int32"):
        raise NotImplementedError(f"{op}(): not implemented for {kind}")
    rows, columns = checks.integer(op, "row", row), checks.integer(op, "col", col)
    for name, count in (("row", rows), ("col", columns)):
        if count < 0:
            raise RuntimeError(f"{op}(): {name} must be non-negative, got {count}")
    checked_size(op, (2, rows, columns))
    diagonal = max(-rows - 1, min(checks.integer(op, "offset", offset), columns + 1))
    with allocating(op):
        return finish(op, from_array(np.stack(index_fn(rows, diagonal, columns)), kind), device, False, pin_memory)
