"""Argument rules of attention."""

from __future__ import annotations

from typing import Any

from .. import dtypes
from ..errors import DtypeError, ShapeError
from ..shapes import broadcast_shapes


def attention(
    op: str,
    query: Any,
    key: Any,
    value: Any,
    bias: Any,
    mask: Any,
    keep: Any,
    keep_scale: float,
    is_causal: bool,
    scale: float,
    rows_first: bool,
) -> tuple[Any, ...]:
    """Four dimensions; the same batch, features of queries and keys, rows and heads of keys and values."""
    for name, t in (("query", query), ("key", key), ("value", value)):
        if len(t.shape) != 4:
            raise ShapeError(f"{op}(): expected {name} of four dimensions, got shape {list(t.shape)}")
    (batch, heads, queries), (_, key_heads, keys) = _counts(query, rows_first), _counts(key, rows_first)
    fits = key.shape[0] == batch and value.shape[:3] == key.shape[:3] and query.shape[3] == key.shape[3]
    if not fits or heads % max(key_heads, 1):
        shapes = f"{list(query.shape)}, {list(key.shape)} and {list(value.shape)}"
        raise ShapeError(f"{op}(): query, key and value of shapes {shapes} do not belong together")
    for name, t in (("bias", bias), ("mask", mask), ("keep", keep)):
        if t is None:
            continue
        wanted = (batch, heads, queries, keys)
        if len(t.shape) != 4 or broadcast_shapes(op, t.shape, wanted) != wanted:
            raise ShapeError(f"{op}(): {name} of shape {list(t.shape)} does not broadcast to {list(wanted)}")
        if name != "bias" and t.dtype is not dtypes.bool_:
            raise DtypeError(f"{op}(): expected {name} of dtype bool, got {t.dtype.name}")
    return query, key, value, bias, mask, keep, keep_scale, is_causal, scale, rows_first


def _counts(t: Any, rows_first: bool) -> tuple[int, ...]:
    """(batch, heads, rows)."""
    batch, first, second = t.shape[:3]
    return (batch, second, first) if rows_first else (batch, first, second)
