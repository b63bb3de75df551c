"""Attention with several heads between linear layers, as a function of its parameters."""

from __future__ import annotations

from ....generated.tensor import Tensor
from .heads import Projections, attend_heads


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
        >>> import specgrad as sg
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
