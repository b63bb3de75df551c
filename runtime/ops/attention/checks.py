"""Argument checks of attention."""

from collections.abc import Sequence
from typing import Any

from ...errors import DtypeError, ShapeError
from ...shapes import broadcast_shapes
from ...tensor import dtypes


def attention(
    op: str, query: Any, key: Any, value: Any, bias: Any, mask: Any, keep: Any, *rest: Any
) -> tuple[Any, ...]:
    """Four dimensions; the same batch, features of queries and keys, rows and heads of keys and values."""
    rows_first = rest[-1]
    if not _fit(query._shape, key._shape, value._shape, rows_first):
        shapes = f"{list(query._shape)}, {list(key._shape)} and {list(value._shape)}"
        raise ShapeError(f"{op}(): query, key and value of shapes {shapes} do not belong together")
    heads, rows = (2, 1) if rows_first else (1, 2)
    expected = (query._shape[0], query._shape[heads], query._shape[rows], key._shape[rows])
    _require_scores(op, expected, bias=bias, mask=mask, keep=keep)
    return query, key, value, bias, mask, keep, *rest


def self_attention(op: str, projected: Any, heads: int, bias: Any, mask: Any, keep: Any, *rest: Any) -> tuple[Any, ...]:
    """(batch, rows, features), three times as many as the heads share."""
    shape = projected._shape
    if len(shape) != 3 or heads < 1 or shape[2] % (3 * heads):
        raise ShapeError(f"{op}(): projections of shape {list(shape)} do not go into 3 times {heads} heads")
    batch, rows, _ = shape
    _require_scores(op, (batch, heads, rows, rows), bias=bias, mask=mask, keep=keep)
    return projected, heads, bias, mask, keep, *rest


def _fit(query: Sequence[int], key: Sequence[int], value: Sequence[int], rows_first: bool) -> bool:
    """Whether the sizes belong together; shapes are unpacked because their items are slower to get."""
    if len(query) != 4 or len(key) != 4 or len(value) != 4:
        return False
    batch, *inner_dims, width = query
    own_batch, *own_inner_dims, own_width = key
    value_batch, *value_inner_dims, _ = value
    heads, own_heads = (dims[1 if rows_first else 0] for dims in (inner_dims, own_inner_dims))
    grouped = heads == own_heads or (own_heads > 0 and not heads % own_heads)
    return batch == own_batch == value_batch and own_inner_dims == value_inner_dims and width == own_width and grouped


def _require_scores(op: str, expected: tuple[int, ...], **tensors: Any) -> None:
    """Each tensor that is given broadcasts to the scores, and all but the bias are bool."""
    for name, t in tensors.items():
        if t is None:
            continue
        if len(t._shape) != 4 or broadcast_shapes(op, t._shape, expected) != expected:
            raise ShapeError(f"{op}(): {name} of shape {list(t._shape)} does not broadcast to {list(expected)}")
        if name != "bias" and t.dtype is not dtypes.bool_:
            raise DtypeError(f"{op}(): expected {name} of dtype bool, got {t.dtype.name}")
