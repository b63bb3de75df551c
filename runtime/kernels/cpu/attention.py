"""Attention: softmax(scale Q K^T + bias) V over queries and keys of each batch item and head.

Source: T. Dao et al., "FlashAttention" (2022) for computing it block by block, and for a backward pass that needs only
the logarithm of each row's sum of exponentials. Operands may lie in any order of batch, heads and rows, as views of
what a linear layer made: (batch, heads, rows, features), or with `rows_first` (batch, rows, heads, features).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .attention_loops import (
    BIAS,
    GRAD,
    GRAD_BIAS,
    GRAD_KEY,
    GRAD_QUERY,
    GRAD_VALUE,
    KEEP,
    KEY,
    MASK,
    OUTPUT,
    QUERY,
    VALUE,
    attend,
    attend_backward,
    locate,
)

Array = np.ndarray

SCORES = 1 << 17  # bytes that the scores of a block may take up
MOST_QUERIES, FEWEST_QUERIES = 96, 6  # of a block: a multiple of the rows of a tile


def attention(
    query: Array,
    key: Array,
    value: Array,
    bias: Array | None,
    mask: Array | None,
    keep: Array | None,
    keep_scale: float,
    is_causal: bool,
    scale: float,
    rows_first: bool,
) -> tuple[Array, Array]:
    """(output, log(sum(exp(scores))) of each query), for as many heads of keys as of queries, or fewer."""
    q, k, v = (with_rows(a, rows_first) for a in (query, key, value))
    result = np.empty((*query.shape[:3], value.shape[3]), query.dtype)
    output, logsumexp = with_rows(result, rows_first), np.empty(q.shape[:3], q.dtype)
    if not output.size or not k.shape[2]:
        result[...], logsumexp[...] = 0, np.inf
        return result, logsumexp
    places = {QUERY: q, KEY: k, VALUE: v, OUTPUT: output, **_extras((*q.shape[:3], k.shape[2]), bias, mask, keep)}
    attend(_table(places), _sizes(q, k, v), is_causal, scale, keep_scale, _left(q, k), logsumexp)
    return result, logsumexp


def attention_backward(
    wanted: Sequence[bool],
    grad: Array,
    query: Array,
    key: Array,
    value: Array,
    bias: Array | None,
    mask: Array | None,
    keep: Array | None,
    output: Array,
    logsumexp: Array,
    keep_scale: float,
    is_causal: bool,
    scale: float,
    rows_first: bool,
) -> tuple[Array | None, ...]:
    """The gradients of query, key, value and bias."""
    inputs = zip(wanted, (query, key, value, bias), strict=True)
    results: list[Any] = [np.zeros(a.shape, a.dtype) if yes and a is not None else None for yes, a in inputs]
    q, k, v, out, above = (with_rows(a, rows_first) for a in (query, key, value, output, grad))
    shape = (*q.shape[:3], k.shape[2])
    if not out.size or not k.shape[2]:
        return tuple(results)
    places = {QUERY: q, KEY: k, VALUE: v, OUTPUT: out, GRAD: above, **_extras(shape, bias, mask, keep)}
    for place, result in zip((GRAD_QUERY, GRAD_KEY, GRAD_VALUE), results, strict=False):
        if result is not None:
            places[place] = with_rows(result, rows_first)
    whole = None if results[3] is None else np.zeros((*results[3].shape[:3], shape[3]), q.dtype)
    if whole is not None:
        places[GRAD_BIAS] = np.broadcast_to(whole, shape)
    attend_backward(_table(places), _sizes(q, k, v), is_causal, scale, keep_scale, _left(q, k), logsumexp)
    if whole is not None:
        results[3] = whole if whole.shape == results[3].shape else whole.sum(3, keepdims=True)
    return tuple(results)


def with_rows(array: Array, rows_first: bool) -> Array:
    """The array as (batch, heads, rows, features), its rows contiguous; a copy only where they are not."""
    whole = array.strides[3] == array.itemsize or array.shape[3] == 1
    array = array if whole else np.ascontiguousarray(array)
    return array.swapaxes(1, 2) if rows_first else array


def _extras(shape: tuple[int, ...], bias: Array | None, mask: Array | None, keep: Array | None) -> dict[int, Array]:
    """What changes scores and weights, broadcast to the scores without a copy; but rows are whole."""
    given = {BIAS: bias, MASK: mask, KEEP: keep}
    found = {place: a for place, a in given.items() if a is not None}
    return {place: np.broadcast_to(_whole_rows(a, shape[3]), shape) for place, a in found.items()}


def _whole_rows(array: Array, columns: int) -> Array:
    return with_rows(np.broadcast_to(array, (*array.shape[:3], columns)), False)


def _sizes(query: Array, key: Array, value: Array) -> Array:
    batch, heads, queries, width = query.shape
    group = heads // max(key.shape[1], 1)
    return np.array([batch, heads, group, queries, key.shape[2], width, value.shape[3]], np.int64)


def _left(query: Array, key: Array) -> Array:
    """Memory for the queries of a block, as many as its scores leave room for."""
    rows = SCORES // (key.shape[2] * key.itemsize) // FEWEST_QUERIES * FEWEST_QUERIES
    return np.empty((min(max(rows, FEWEST_QUERIES), MOST_QUERIES), query.shape[3]), query.dtype)


def _table(places: dict[int, Array]) -> Array:
    """Where operands lie, by their number."""
    table = np.zeros((GRAD_BIAS + 1, 4), np.int64)
    for place, array in places.items():
        locate(table, place, array)
    return table
