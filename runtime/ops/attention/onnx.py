"""Attention in ONNX operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def attended(
    onnx: Any,
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
) -> Any:
    """softmax(scale Q K^T + bias) V, masked, over (batch, heads, rows, features) or (batch, rows, heads, features)."""
    heads_at, rows_at = (2, 1) if rows_first else (1, 2)
    heads, rows, seen = query.shape[heads_at], query.shape[rows_at], key.shape[rows_at]
    order = [0, 2, 1, 3] if rows_first else [0, 1, 2, 3]
    shared = heads // key.shape[heads_at]
    queries = _ordered(onnx, query, order)
    keys, values = (_repeated(onnx, _ordered(onnx, x, order), x, order, shared) for x in (key, value))
    scores = onnx.MatMul(queries * scale, onnx.Transpose(keys, perm=[0, 1, 3, 2]))
    if bias is not None:
        scores = scores + bias
    mask = _with_causal(onnx, mask, rows, seen) if is_causal else mask
    chances = _softmax(onnx, scores, mask)
    if keep is not None:
        chances = onnx.Where(keep, chances * keep_scale, 0)
    return _ordered(onnx, onnx.MatMul(chances, values), order)


def attended_among(
    onnx: Any,
    x: Any,
    heads: int,
    bias: Any,
    mask: Any,
    keep: Any,
    keep_scale: float,
    is_causal: bool,
    scale: float,
) -> Any:
    """Attention of rows to each other, from (batch, rows, 3 features) to (batch, rows, features)."""
    batch, rows, features = x.shape
    split_heads_shape = onnx.Reshape(x, [0, 0, 3, heads, features // 3 // heads])
    parts = [onnx.Gather(split_heads_shape, number, axis=2) for number in range(3)]
    for part in parts:
        part.shape = (batch, rows, heads, features // 3 // heads)
    query, key, value = parts
    result = attended(onnx, query, key, value, bias, mask, keep, keep_scale, is_causal, scale, True)
    return onnx.Reshape(result, [0, 0, features // 3])


def _ordered(onnx: Any, x: Any, order: Sequence[int]) -> Any:
    return x if list(order) == sorted(order) else onnx.Transpose(x, perm=order)


def _repeated(onnx: Any, x: Any, source: Any, order: Sequence[int], shared: int) -> Any:
    """Keys or values for all heads, of which `shared` neighbours have the same."""
    if shared == 1:
        return x
    batch, heads, rows, features = (source.shape[axis] for axis in order)
    wide = onnx.Expand(onnx.Unsqueeze(x, [2]), [batch, heads, shared, rows, features])
    return onnx.Reshape(wide, [batch, heads * shared, rows, features])


def _with_causal(onnx: Any, mask: Any, rows: int, seen: int) -> Any:
    """A mask that leaves out what comes behind a row."""
    ones = onnx.Expand(onnx.Cast(1, to=7), [rows, seen])
    before = onnx.Cast(onnx.Trilu(ones, 0, upper=0), to=9)
    return before if mask is None else onnx.And(mask, before)


def _softmax(onnx: Any, scores: Any, mask: Any) -> Any:
    """Rows of which everything is left out are zero."""
    if mask is None:
        return onnx.Softmax(scores, axis=-1)
    left = onnx.Softmax(onnx.Where(mask, scores, float("-inf")), axis=-1)
    return onnx.Where(mask, left, 0)
