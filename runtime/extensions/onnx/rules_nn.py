"""Attention, convolutions, normalisation and recurrent layers in ONNX operators; the gates of the last stand in another
order there.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .rules_images import batched


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
    onnx: Any, x: Any, heads: int, bias: Any, mask: Any, keep: Any, keep_scale: float, is_causal: bool, scale: float
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
    ones = onnx.Expand(onnx.Cast(1, to=7), [rows, seen])
    before = onnx.Cast(onnx.Trilu(ones, 0, upper=0), to=9)
    return before if mask is None else onnx.And(mask, before)


def _softmax(onnx: Any, scores: Any, mask: Any) -> Any:
    """Rows of which everything is left out are zero."""
    if mask is None:
        return onnx.Softmax(scores, axis=-1)
    left = onnx.Softmax(onnx.Where(mask, scores, float("-inf")), axis=-1)
    return onnx.Where(mask, left, 0)


def convolved(
    onnx: Any,
    x: Any,
    weight: Any,
    bias: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Any:
    """Cross-correlation; `padding` has one number per dimension, or two (before, after)."""
    twice = len(padding) == 2 * len(stride)
    pads = [*padding[::2], *padding[1::2]] if twice else [*padding, *padding]
    options = {"strides": stride, "pads": pads, "dilations": dilation, "group": groups}
    return batched(onnx, x, weight.ndim - 2, lambda samples: onnx.Conv(samples, weight, bias, **options))


def transposed_convolution(
    onnx: Any,
    x: Any,
    weight: Any,
    bias: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    output_padding: Sequence[int],
    groups: int,
    dilation: Sequence[int],
) -> Any:
    """The gradient of a convolution with respect to its input; more of the result behind is less padding there."""
    pads = [*padding, *(max(each - more, 0) for each, more in zip(padding, output_padding, strict=True))]
    rest = [max(more - each, 0) for each, more in zip(padding, output_padding, strict=True)]
    options = {"strides": stride, "pads": pads, "output_padding": rest, "group": groups, "dilations": dilation}
    return batched(onnx, x, weight.ndim - 2, lambda samples: onnx.ConvTranspose(samples, weight, bias, **options))


def standardized(
    onnx: Any, x: Any, weight: Any, bias: Any, dim: Sequence[int], affine_shape: Sequence[int], eps: float
) -> Any:
    dims = sorted(each % x.ndim for each in dim)
    distance = x - onnx.ReduceMean(x, dims, keepdims=1)
    result = distance / onnx.Sqrt(onnx.ReduceMean(distance * distance, dims, keepdims=1) + eps)
    result = result if weight is None else result * onnx.Reshape(weight, list(affine_shape))
    return result if bias is None else result + onnx.Reshape(bias, list(affine_shape))


def standardized_rows(onnx: Any, x: Any, weight: Any, bias: Any, dim: Sequence[int], eps: float) -> Any:
    scale = np.ones(x.shape[min(dim) :], x.dtype) if weight is None else weight
    return onnx.LayerNormalization(x, scale, bias, axis=min(dim), epsilon=eps)[0]


def standardized_groups(onnx: Any, x: Any, weight: Any, bias: Any, groups: int, eps: float) -> Any:
    ones, zeros = np.ones(groups, x.dtype), np.zeros(groups, x.dtype)
    parts = onnx.Reshape(x, [0, groups, -1])
    result = onnx.Reshape(onnx.InstanceNormalization(parts, ones, zeros, epsilon=eps), list(x.shape))
    unfolded = [-1, *[1] * (x.ndim - 2)]
    result = result if weight is None else result * onnx.Reshape(weight, unfolded)
    return result if bias is None else result + onnx.Reshape(bias, unfolded)


def batch_normalized(onnx: Any, x: Any, mean: Any, var: Any, weight: Any, bias: Any, eps: float) -> Any:
    scale = np.ones(mean.shape, x.dtype) if weight is None else weight
    shift = np.zeros(mean.shape, x.dtype) if bias is None else bias
    return onnx.BatchNormalization(x, scale, shift, mean, var, epsilon=eps)[0]


def rms_normalized(onnx: Any, x: Any, weight: Any, dim: Sequence[int], eps: float) -> Any:
    """x / sqrt(mean(x^2) + eps) * weight."""
    result = x / onnx.Sqrt(onnx.ReduceMean(x * x, list(dim), keepdims=1) + eps)
    return result if weight is None else result * weight


_GATES = {"LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2), "RNN": (0,)}  # ONNX's order, by ours: i o f c; z r h


def rnn(
    onnx: Any, x: Any, hidden: Any, weights: Sequence[Any], batch_sizes: Sequence[int], reverse: bool, nonlinearity: str
) -> Any:
    name = nonlinearity.title()
    return _layer(onnx, "RNN", x, [hidden], weights, batch_sizes, reverse, activations=[name])


def lstm(
    onnx: Any,
    x: Any,
    hidden: Any,
    cell: Any,
    weights: Sequence[Any],
    projection: Any,
    batch_sizes: Sequence[int],
    reverse: bool,
) -> Any:
    if projection is not None:
        raise NotImplementedError("ONNX's LSTM has no projection of its state (proj_size)")
    return _layer(onnx, "LSTM", x, [hidden, cell], weights, batch_sizes, reverse)


def gru(onnx: Any, x: Any, hidden: Any, weights: Sequence[Any], batch_sizes: Sequence[int], reverse: bool) -> Any:
    return _layer(onnx, "GRU", x, [hidden], weights, batch_sizes, reverse, linear_before_reset=1)


def _layer(
    onnx: Any,
    name: str,
    x: Any,
    states: Sequence[Any],
    weights: Sequence[Any],
    batch_sizes: Sequence[int],
    reverse: bool,
    **options: Any,
) -> Any:
    if batch_sizes:
        raise NotImplementedError("packed sequences are not exported: give the layer a padded tensor")
    size = states[0].shape[-1]
    rows = np.concatenate([np.arange(size) + gate * size for gate in _GATES[name]])
    ordered = [None if w is None else onnx.Gather(w, rows) if name != "RNN" else w for w in weights]
    w, r = (onnx.Unsqueeze(each, [0]) for each in ordered[:2])
    biases = None if ordered[2] is None else onnx.Unsqueeze(onnx.Concat(*ordered[2:], axis=0), [0])
    firsts = [onnx.Unsqueeze(state, [0]) for state in states]
    direction = "reverse" if reverse else "forward"
    result = onnx[name](x, w, r, biases, None, *firsts, hidden_size=size, direction=direction, **options)
    output, *lasts = result
    return onnx.Squeeze(output, [1]), *(onnx.Squeeze(last, [0]) for last in lasts)
