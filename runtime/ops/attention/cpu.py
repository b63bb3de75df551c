"""Attention: softmax(scale Q K^T + bias) V over queries and keys of each batch item and head.

Source: T. Dao et al., "FlashAttention" (2022) for computing it block by block, and for a backward pass that needs only
the logarithm of each row's sum of exponentials. Operands may lie in any order of batch, heads and rows, as views of
what a linear layer made: (batch, heads, rows, features), or with `rows_first` (batch, rows, heads, features).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...device.threads.parallel_for import shared
from ...kernels.cpu.matmul import PRODUCTS
from ...kernels.cpu.plan import Array
from . import cpu_loops


def attention(
    query: Array, key: Array, value: Array, bias: Array | None, mask: Array | None, keep: Array | None,
    keep_scale: float, is_causal: bool, scale: float, rows_first: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """(output, log(sum(exp(scores))) of each query), for as many heads of keys as of queries, or fewer."""
    q, k, v = (with_rows(a, rows_first) for a in (query, key, value))
    batch, heads, queries, _ = q.shape
    result = np.empty((*query.shape[:3], value.shape[3]), query.dtype)
    output, logsumexp = with_rows(result, rows_first), np.empty((batch, heads, queries), q.dtype)
    if not output.size or not k.shape[2]:
        result[...], logsumexp[...] = 0, np.inf
        return result, logsumexp
    sizes, table = _sizes(q, k, v), cpu_loops.locate_all(q, k, v, output)
    full_extras = _locate_extras(table, (batch, heads, queries, k.shape[2]), (bias, mask, keep))
    arguments = table, sizes, is_causal, scale, keep_scale, logsumexp
    shared(cpu_loops.attend, arguments, batch * k.shape[1], _work(sizes))
    del full_extras  # whose addresses are in the table: they had to live until here
    return result, logsumexp


def attention_backward(
    output_mask: Sequence[bool], grad: Array, query: Array, key: Array, value: Array, bias: Array | None,
    mask: Array | None, keep: Array | None, output: Array, logsumexp: Array, keep_scale: float, is_causal: bool,
    scale: float, rows_first: bool,
) -> tuple[Array | None, ...]:  # fmt: skip
    inputs = zip(output_mask, (query, key, value, bias), strict=True)
    results = [np.zeros(a.shape, a.dtype) if yes and a is not None else None for yes, a in inputs]
    args = (bias, mask, keep), logsumexp, keep_scale, is_causal, scale, rows_first
    add_gradients((query, key, value, output, grad), args, results)
    return tuple(results)


def add_gradients(operands: Sequence[Array], args: tuple[Any, ...], results: Sequence[Array | None]) -> None:
    extras, logsumexp, keep_scale, is_causal, scale, rows_first = args
    q, k, v, out, above = (with_rows(a, rows_first) for a in operands)
    shape = (*q.shape[:3], k.shape[2])
    if not out.size or not k.shape[2]:
        return
    table = cpu_loops.locate_all(q, k, v, out)
    cpu_loops.locate(table, cpu_loops.GRAD, above)
    full_extras = _locate_extras(table, shape, extras)
    for operand, result in zip((cpu_loops.GRAD_QUERY, cpu_loops.GRAD_KEY, cpu_loops.GRAD_VALUE), results, strict=False):
        if result is not None:
            cpu_loops.locate(table, operand, with_rows(result, rows_first))
    full = None if results[3] is None else np.zeros((*results[3].shape[:3], shape[3]), q.dtype)
    if full is not None:
        cpu_loops.locate(table, cpu_loops.GRAD_BIAS, np.broadcast_to(full, shape))
    sizes, pairs = _sizes(q, k, v), k.shape[0] * k.shape[1]
    arguments = table, sizes, is_causal, scale, keep_scale, logsumexp
    shared(cpu_loops.attend_backward, arguments, pairs, _work(sizes), pairs if full is not None else 1)
    del full_extras, above  # whose addresses are in the table: they had to live until here
    if full is not None and results[3] is not None:
        results[3][...] = full if full.shape == results[3].shape else full.sum(3, keepdims=True)


def self_attention(
    projected: Array, heads: int, bias: Array | None, mask: Array | None, keep: Array | None, keep_scale: float,
    is_causal: bool, scale: float,
) -> tuple[Array, Array]:  # fmt: skip
    """Attention of rows to each other, from queries, keys and values side by side: (batch, rows, 3 * features)."""
    query, key, value = _thirds(projected, heads)
    output, logsumexp = attention(query, key, value, bias, mask, keep, keep_scale, is_causal, scale, True)
    return output.reshape(*projected.shape[:2], projected.shape[2] // 3), logsumexp


def self_attention_backward(
    output_mask: Sequence[bool], grad: Array, projected: Array, heads: int, bias: Array | None, mask: Array | None,
    keep: Array | None, output: Array, logsumexp: Array, keep_scale: float, is_causal: bool, scale: float,
) -> tuple[Array | None, ...]:  # fmt: skip
    result = np.zeros(projected.shape, projected.dtype) if output_mask[0] else None
    bias_result = None if bias is None or not output_mask[1] else np.zeros(bias.shape, bias.dtype)
    split_heads_shape = (*projected.shape[:2], heads, projected.shape[2] // (3 * heads))
    operands = *_thirds(projected, heads), output.reshape(split_heads_shape), grad.reshape(split_heads_shape)
    thirds = (None,) * 3 if result is None else _thirds(result, heads)
    args = (bias, mask, keep), logsumexp, keep_scale, is_causal, scale, True
    add_gradients(operands, args, (*thirds, bias_result))
    return result, bias_result


def _thirds(projected: Array, heads: int) -> tuple[Array, ...]:
    batch, rows, width = projected.shape
    full = projected if projected.strides[2] == projected.itemsize else np.ascontiguousarray(projected)
    return tuple(np.moveaxis(full.reshape(batch, rows, 3, heads, width // (3 * heads)), 2, 0))


def with_rows(array: Array, rows_first: bool) -> Array:
    """The array as (batch, heads, rows, features), its rows contiguous; a copy only where they are not."""
    full = array.strides[3] == array.itemsize or array.shape[3] == 1
    array = array if full else np.ascontiguousarray(array)
    return array.swapaxes(1, 2) if rows_first else array


def _locate_extras(table: Array, shape: tuple[int, ...], extras: Sequence[Array | None]) -> list[Array]:
    """Enters bias, mask and keep into the table, broadcast without a copy; returns the arrays that have to live on."""
    located = []
    for operand, array in zip((cpu_loops.BIAS, cpu_loops.MASK, cpu_loops.KEEP), extras, strict=True):
        if array is not None:
            full = with_rows(np.broadcast_to(array, (*array.shape[:3], shape[3])), False)
            cpu_loops.locate(table, operand, np.broadcast_to(full, shape))
            located.append(full)
    return located


def _sizes(query: Array, key: Array, value: Array) -> tuple[int, ...]:
    batch, heads, queries, width = query.shape
    _, key_heads, keys, _ = key.shape
    return batch, heads, heads // key_heads, queries, keys, width, value.shape[3]


def _work(sizes: tuple[int, ...]) -> int:
    batch, heads, _, queries, keys, width, value_width = sizes
    return batch * heads * queries * keys * (width + value_width) // PRODUCTS
