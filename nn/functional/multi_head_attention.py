"""Attention with several heads between linear layers, as a function of its parameters."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.ops.creation import zeros
from .attention import check_embedding, check_masks, check_shapes, dropout_mask, split_mask
from .dropout import dropout

linear = ops.linear


class Projections(NamedTuple):
    """Projections of inputs to queries, keys and values: one weight for all, or one for each."""

    weight: Tensor | None
    bias: Tensor | None
    separate: tuple[Tensor | None, ...]


class Attended(NamedTuple):
    """Queries, keys and values of all heads, (batch, rows, heads, features), and what their scores are masked by."""

    query: Tensor
    key: Tensor
    value: Tensor
    masks: tuple[Tensor | None, ...]  # those of queries against keys, and of keys: True is left out, numbers are added


def attend_heads(
    inputs: tuple[Tensor, Tensor, Tensor],
    heads: int,
    projections: Projections,
    last: tuple[Tensor, Tensor | None],
    *,
    masks: tuple[Tensor | None, Tensor | None],
    embed_dim: int,
    added: tuple[Tensor | None, Tensor | None] = (None, None),
    add_zero: bool = False,
    dropout_p: float = 0.0,
    need_weights: bool = True,
    average: bool = True,
    is_causal: bool = False,
    static: tuple[Tensor | None, Tensor | None] = (None, None),
    batch_first: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Multi-head attention of inputs that are (rows, batch, features), or (batch, rows, features) with batch_first."""
    single = inputs[0].ndim == 2
    check_shapes(inputs, masks, heads)
    batch = 1 if single else 0 if batch_first else 1
    if single:
        inputs = _with_batch(inputs)
        masks = masks[0], None if masks[1] is None else masks[1].unsqueeze(0)
    check_embedding(inputs, embed_dim, heads, projections.weight is None)
    sizes, rows = tuple(inputs[0].shape), 1 - batch
    keys = tuple(inputs[1].shape)[rows]
    check_masks(masks, sizes[batch], heads, sizes[rows], keys, is_causal)
    is_causal = is_causal and masks[1] is None and not need_weights
    alike = inputs[0] is inputs[1] is inputs[2] and projections.weight is not None
    nothing_more = not add_zero and added[0] is None and static[0] is None and static[1] is None
    if alike and nothing_more and not need_weights and not single:
        projected = linear(inputs[0], projections.weight, projections.bias)  # type: ignore[arg-type]
        projected = projected if batch == 0 else projected.transpose(0, 1)
        output = _attend_alike(projected, heads, masks, dropout_p, is_causal)
        return linear(output if batch == 0 else output.transpose(0, 1), *last), None
    parts = [t if batch == 0 else t.transpose(0, 1) for t in _projected(inputs, projections, heads)]
    query, key, value = _static(parts, static)
    attended = _extended(Attended(query, key, value, _masks_of_four(masks, heads)), added, add_zero)
    causal = is_causal and attended.key.shape[1] == keys
    output, weights = _attend(attended, dropout_p, need_weights, causal)
    output = output.reshape((sizes[1 - rows], sizes[rows], sizes[2]))
    output = linear(output if batch == 0 else output.transpose(0, 1), *last)
    if weights is not None and average:
        weights = weights.mean(1)
    if single:
        return output.squeeze(1), None if weights is None else weights.squeeze(0)
    return output, weights


def _with_batch(inputs: tuple[Tensor, ...]) -> tuple[Any, ...]:
    """One item as a batch; the same tensor stays the same one."""
    results = {id(t): t.unsqueeze(1) for t in inputs}
    return tuple([results[id(t)] for t in inputs])


def _projected(inputs: tuple[Tensor, Tensor, Tensor], projections: Projections, heads: int) -> Sequence[Tensor]:
    """Queries, keys and values of all heads; inputs that are the same tensor are multiplied at once."""
    query, key, value = inputs
    weight, bias, separate = projections
    if weight is not None and key is value:
        width = weight.shape[0] // 3
        if query is key:
            return _split_heads(linear(query, weight, bias), 3, heads)
        first, others = weight.split([width, 2 * width])
        first_bias, other_bias = (None, None) if bias is None else bias.split([width, 2 * width])
        return [
            *_split_heads(linear(query, first, first_bias), 1, heads),
            *_split_heads(linear(key, others, other_bias), 2, heads),
        ]
    weights = separate if weight is None else weight.chunk(3)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    arg = zip(inputs, weights, biases, strict=True)
    return [part for t, w, b in arg for part in _split_heads(linear(t, w, b), 1, heads)]  # type: ignore[arg-type]


def _split_heads(t: Tensor, parts: int, heads: int) -> Sequence[Tensor]:
    """The parts of the last dimension, each as (..., heads, features of a head), without a copy."""
    first, second, width = t.shape
    size = width // (parts * heads)
    if parts == 1:
        return [t.view((first, second, heads, size))]
    return t.view((first, second, parts, heads, size)).unbind(2)


def _static(parts: list[Tensor], static: tuple[Tensor | None, ...]) -> list[Tensor]:
    """The parts with keys and values that are given for all heads, (batch * heads, rows, features)."""
    batch, heads = parts[0].shape[0], parts[0].shape[2]
    for number, value in enumerate(static, 1):
        if value is not None:
            parts[number] = value.unflatten(0, [batch, heads]).transpose(1, 2)
    return parts


def _masks_of_four(masks: tuple[Tensor | None, ...], heads: int) -> tuple[Tensor | None, ...]:
    """Both masks with the dimensions of scores, (batch, heads, queries, keys)."""
    looks, padding = masks
    if looks is not None:
        looks = looks.reshape((1, 1, *looks.shape)) if looks.dim() == 2 else looks.unflatten(0, [-1, heads])
    return looks, None if padding is None else padding.reshape((padding.shape[0], 1, 1, padding.shape[1]))


def _extended(attended: Attended, added: tuple[Tensor | None, ...], add_zero: bool) -> Attended:
    query, key, value, masks = attended
    batch, _, heads, width = key.shape
    more = []
    if added[0] is not None and added[1] is not None:
        more.append([t.reshape((1, 1, heads, width)).expand((batch, 1, heads, width)) for t in added])  # type: ignore[union-attr]
    if add_zero:
        zero = zeros((batch, 1, heads, width), dtype=key.dtype, device=key.device)
        more.append([zero, zero])
    for key_row, value_row in more:
        key, value = ops.cat([key, key_row], 1), ops.cat([value, value_row], 1)
        masks = tuple([None if m is None else _one_more(m) for m in masks])
    return Attended(query, key, value, masks)


def _one_more(mask: Tensor) -> Tensor:
    return ops.cat([mask, zeros((*mask.shape[:-1], 1), dtype=mask.dtype, device=mask.device)], -1)


def _attend_alike(projected: Tensor, heads: int, masks: tuple[Tensor | None, ...], p: float, causal: bool) -> Tensor:
    batch, rows, width = projected.shape
    bias, mask = (None, None) if causal else _combined(_masks_of_four(masks, heads))
    keep, keep_scale = dropout_mask((batch, heads, rows, rows), p, projected)
    scale = 1 / math.sqrt(width // (3 * heads))
    return ops.self_attention(projected, heads, bias, mask, keep, keep_scale, causal, scale)[0]


def _attend(attended: Attended, p: float, need_weights: bool, causal: bool) -> tuple[Tensor, Tensor | None]:
    """(output of all heads, their weights if needed)."""
    query, key, value, masks = attended
    scale = 1 / math.sqrt(query.shape[-1])
    bias, mask = _combined(() if causal else masks)
    if not need_weights:
        shape = (query.shape[0], query.shape[2], query.shape[1], key.shape[1])
        keep, keep_scale = dropout_mask(shape, p, query)
        return ops.attention(query, key, value, bias, mask, keep, keep_scale, causal, scale, True)[0], None
    scores = (query.transpose(1, 2) * scale).matmul(key.permute((0, 2, 3, 1)))
    scores = scores if bias is None else scores + bias
    scores = scores if mask is None else scores.masked_fill(mask.logical_not(), -math.inf)
    weights = dropout(scores.softmax(-1), p)
    return weights.matmul(value.transpose(1, 2)).transpose(1, 2), weights


def _combined(masks: tuple[Tensor | None, ...]) -> tuple[Tensor | None, Tensor | None]:
    """(what is added to scores, where a query may look), of masks that are True where it may not."""
    bias, blocked = None, None
    for mask in masks:
        number, flags = split_mask(mask)
        if number is not None:
            bias = number if bias is None else bias + number
        if flags is not None:
            blocked = flags if blocked is None else blocked | flags
    return bias, None if blocked is None else blocked.logical_not()


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Multi-head attention from the parameters of a `MultiheadAttention`: (output, weights).

    Args:
        query: what looks.
        key: what is looked at.
        value: what is seen there.
        embed_dim_to_check: E.
        num_heads: the number of heads.
        in_proj_weight: the weights of the three projections, one below the other.
        in_proj_bias: their biases.
        bias_k, bias_v: a key and a value that are added to those of every item.
        add_zero_attn: whether to add a key and a value of zeros.
        dropout_p: the probability with which weights are dropped.
        out_proj_weight, out_proj_bias: the last projection.
        training: whether anything is dropped.
        key_padding_mask: (N, S), True for keys that are left out, or numbers added to the scores.
        need_weights: whether to return the weights.
        attn_mask: (L, S) or (N * num_heads, L, S), True where a query may not look, or numbers added to the scores.
        use_separate_proj_weight: whether the three following are used in place of in_proj_weight.
        q_proj_weight, k_proj_weight, v_proj_weight: the weights of the projections by themselves.
        static_k, static_v: keys and values of all heads, (N * num_heads, S, E / num_heads), in place of projected ones.
        average_attn_weights: whether weights are averaged over heads.
        is_causal: a promise that attn_mask lets query i look at keys 0 to i only.

    Shape:
        query: (L, N, E), or (L, E) for one item; key: (S, N, kdim); value: (S, N, vdim). Output: shaped like query, and
        the weights, (N, L, S) or (N, num_heads, L, S); None for them if not needed.

    Raises:
        AssertionError: dimensions or dtypes that do not fit.
        RuntimeError: masks of wrong shapes.

    Example:
        >>> layer, x = sg.nn.MultiheadAttention(4, 2), sg.ones(3, 1, 4)
        >>> weights = layer.in_proj_weight, layer.in_proj_bias, None, None, False, 0.0
        >>> last = layer.out_proj.weight, layer.out_proj.bias
        >>> output, _ = sg.nn.functional.multi_head_attention_forward(x, x, x, 4, 2, *weights, *last)
        >>> list(output.shape)
        [3, 1, 4]
    """
    separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else (None,) * 3
    projections = Projections(None if use_separate_proj_weight else in_proj_weight, in_proj_bias, separate)
    return attend_heads(
        (query, key, value),
        num_heads,
        projections,
        (out_proj_weight, out_proj_bias),
        masks=(attn_mask, key_padding_mask),
        embed_dim=embed_dim_to_check,
        added=(bias_k, bias_v),
        add_zero=add_zero_attn,
        dropout_p=dropout_p if training else 0.0,
        need_weights=need_weights,
        average=average_attn_weights,
        is_causal=is_causal,
        static=(static_k, static_v),
    )
