"""Argument checks of searching in ordered rows."""

from __future__ import annotations

from typing import Any

from ...errors import DtypeError, ShapeError, UnsupportedDtypeError
from ...tensor.base import TensorBase


def bucketize(op: str, self: Any, boundaries: Any, out_int32: bool, right: bool) -> tuple[Any, ...]:
    """Real numbers; the boundaries are a vector."""
    _require_real(op, self, boundaries)
    if boundaries.ndim != 1:
        raise ShapeError(f"{op}(): expected boundaries to be 1-D, but got shape {list(boundaries._shape)}")
    return self, boundaries, out_int32, right


def searchsorted(
    op: str, sorted_sequence: Any, self: Any, out_int32: bool, right: bool, side: str | None, sorter: Any
) -> tuple[Any, ...]:
    """Real numbers; one row to search in, or one for each row of what is searched for. `right` is what `side` says."""
    _require_real(op, self, sorted_sequence)
    if side not in (None, "left", "right"):
        raise RuntimeError(f"{op}(): expected side to be 'left' or 'right', but got {side!r}")
    if side == "left" and right:
        raise RuntimeError(f"{op}(): expected side and right to agree, but got side='left' and right=True")
    _require_rows(op, sorted_sequence, self)
    if sorter is not None:
        _require_order(op, sorted_sequence, sorter)
    return sorted_sequence, self, out_int32, right or side == "right", None, sorter


def search_places(op: str, sorted_sequence: Any, self: Any, right: bool, sorter: Any) -> tuple[Any, ...]:
    """One row to search in, or one for each row of the values; an order of the elements of each."""
    _require_rows(op, sorted_sequence, self)
    if sorter is not None:
        _require_order(op, sorted_sequence, sorter)
    return sorted_sequence, self, right, sorter


def _require_real(op: str, *values: Any) -> None:
    kinds = [
        value.dtype.kind if isinstance(value, TensorBase) else "c" * isinstance(value, complex) for value in values
    ]
    if "c" in kinds or set(kinds) == {"b"}:
        shown = " and ".join(repr(v.dtype) if isinstance(v, TensorBase) else repr(v) for v in values)
        raise UnsupportedDtypeError(f"{op}(): expected integers or real numbers, but got {shown}")


def _require_rows(op: str, rows: Any, values: Any) -> None:
    shape = values._shape if isinstance(values, TensorBase) else ()
    if rows.ndim != 1 and (not rows.ndim or not shape or rows._shape[:-1] != shape[:-1]):
        raise ShapeError(
            f"{op}(): expected one row to search in, or one for each row of the values, but got shapes "
            f"{list(rows._shape)} and {list(shape)}"
        )


def _require_order(op: str, rows: Any, sorter: Any) -> None:
    """An index into its row for each element of the rows."""
    if sorter._shape != rows._shape:
        raise ShapeError(f"{op}(): expected sorter of shape {list(rows._shape)}, but got {list(sorter._shape)}")
    if sorter.dtype.name != "int64":
        raise DtypeError(f"{op}(): expected sorter to be int64, but got {sorter.dtype!r}")
    known = not getattr(sorter, "is_example", False) and sorter.numel()
    if known and not 0 <= sorter.array.min() <= sorter.array.max() < rows._shape[-1]:
        raise RuntimeError(f"{op}(): expected sorter to hold places in rows of {rows._shape[-1]}, but got {sorter}")
