"""Attention written in ops, for the derivatives of its kernel of any order and mode."""

import math
from typing import Any

from ...autograd.recompute import recompute_jvp, recompute_vjp
from ...namespace import Tensor, op


def attention_gradients(grad: Tensor, *arguments: Any) -> tuple[Tensor, ...]:
    """By the chain rule through `attention_in_ops`. With P = softmax(S) of scores S = scale Q K^T + bias, M the factor
    of each weight that dropout leaves, and G the gradient of the output (o is the product of elements):

        grad_V = (M o P)^T G                   grad_Q = scale grad_S K
        grad_P = M o (G V^T)                   grad_K = scale grad_S^T Q
        grad_S = P o (grad_P - rowsum(grad_P o P)), which is the gradient of the bias
    """
    return recompute_vjp(attention_in_ops, arguments[:4], (grad,), *arguments[4:])


def attention_tangents(*arguments: Any) -> tuple[Tensor, ...]:
    return recompute_jvp(attention_in_ops, arguments[4:8], arguments[:4], *arguments[8:])


def self_attention_gradients(grad: Tensor, *arguments: Any) -> tuple[Tensor, ...]:
    projected, heads, bias, *rest = arguments
    return recompute_vjp(_self_attention_in_ops, (projected, bias), (grad,), heads, *rest)


def self_attention_tangents(projected_t: Tensor, bias_t: Tensor, *arguments: Any) -> tuple[Tensor, ...]:
    projected, heads, bias, *rest = arguments
    return recompute_jvp(_self_attention_in_ops, (projected, bias), (projected_t, bias_t), heads, *rest)


def _self_attention_in_ops(
    projected: Tensor, bias: Tensor | None, heads: int, mask: Tensor | None, keep: Tensor | None, keep_scale: float,
    is_causal: bool, scale: float,
) -> tuple[Tensor]:  # fmt: skip
    batch, rows, width = projected._shape
    q, k, v = projected.reshape((batch, rows, 3, heads, width // (3 * heads))).unbind(2)
    (output,) = attention_in_ops(q, k, v, bias, mask, keep, keep_scale, is_causal, scale, True)
    return (output.reshape((batch, rows, width // 3)),)


def attention_in_ops(
    query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None, mask: Tensor | None, keep: Tensor | None,
    keep_scale: float, is_causal: bool, scale: float, rows_first: bool,
) -> tuple[Tensor]:  # fmt: skip
    """softmax(scale Q K^T + bias) V; a query that may look at no key gets zeros."""
    q, k, v = (t.transpose(1, 2) if rows_first else t for t in (query, key, value))
    k, v = _for_heads(k, q._shape[1]), _for_heads(v, q._shape[1])
    weights = _weights(attention_scores(q, k, bias, mask, is_causal, scale))
    if keep is not None:
        weights = op.masked_scale(weights, keep.expand(weights._shape), keep_scale)
    result = weights.matmul(v)
    return (result.transpose(1, 2) if rows_first else result,)


def attention_scores(
    q: Tensor, k: Tensor, bias: Tensor | None, mask: Tensor | None, is_causal: bool, scale: float
) -> Tensor:
    """scale Q K^T + bias, and -inf where a query may not look."""
    scores = (q * scale).matmul(k.transpose(-2, -1))
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -math.inf)
    if is_causal:
        ones = scores.new_ones(scores._shape[-2:])
        scores = scores.masked_fill(ones.triu(1) == 1, -math.inf)
    return scores


def _weights(scores: Tensor) -> Tensor:
    """Softmax over keys; zeros where all scores are -inf."""
    if not scores._shape[-1]:
        return scores
    nowhere = scores.detach().amax(-1, True) == -math.inf
    return scores.masked_fill(nowhere, 0).softmax(-1).masked_fill(nowhere, 0)


def _for_heads(t: Tensor, heads: int) -> Tensor:
    """Heads of keys or values repeated for all heads of queries that share them."""
    batch, own, rows, width = t._shape
    if own in (heads, 0):
        return t
    return t.unsqueeze(2).expand((batch, own, heads // own, rows, width)).reshape((batch, heads, rows, width))
