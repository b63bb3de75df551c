"""Attention with several heads as a layer."""

from typing import Any

from ....generated.tensor import Tensor
from ....runtime.ops.creation import empty
from ... import init
from ...functional.multi_head_attention import Projections, attend_heads
from ...parameter import Parameter
from ..linear import NonDynamicallyQuantizableLinear
from ..module.base import Module


class MultiheadAttention(Module):
    """Attention in several subspaces at once.

    Formula: concat(head_1, ..., head_h) W^O with head_i = softmax(Q W_i^Q (K W_i^K)^T / sqrt(d)) V W_i^V

    Source: Vaswani et al., "Attention is all you need" (2017).

    Args:
        embed_dim: the number of features of queries and outputs.
        num_heads: the number of heads, which share the features among them.
        dropout: the probability with which weights are dropped in training.
        bias: whether projections have biases.
        add_bias_kv: whether a learned key and value is added to those of every item.
        add_zero_attn: whether a key and a value of zeros are added.
        kdim: the number of features of keys; embed_dim when left out.
        vdim: the number of features of values; embed_dim when left out.
        batch_first: whether inputs and output are (batch, rows, features) instead of (rows, batch, features).
        device, dtype: where the parameters lie, and their dtype.

    Shape:
        query: (L, N, embed_dim), or (L, embed_dim) for one item; key: (S, N, kdim); value: (S, N, vdim).
        key_padding_mask: (N, S); attn_mask: (L, S) or (N * num_heads, L, S). Both are True where a key is left out, or
        numbers that are added to the scores. need_weights: whether the weights are returned; average_attn_weights:
        their mean over heads; is_causal: a promise that attn_mask lets query i look at keys 0 to i only.
        Output: shaped like query, and the weights, (N, L, S) or (N, num_heads, L, S), or None.

    Attributes:
        in_proj_weight: the three projections, (3 * embed_dim, embed_dim), where kdim and vdim are embed_dim; starts by
            `xavier_uniform_`.
        q_proj_weight, k_proj_weight, v_proj_weight: otherwise, each by itself.
        in_proj_bias: zeros at the start.
        out_proj: the layer behind the heads.
        bias_k, bias_v: with add_bias_kv; start by `xavier_normal_`.

    Raises:
        AssertionError: embed_dim is no multiple of num_heads, or dimensions and dtypes that do not fit.
        ValueError: embed_dim or num_heads is not positive.
        RuntimeError: masks of wrong shapes.

    Example:
        >>> x = sg.randn(5, 3, 8)
        >>> output, weights = sg.nn.MultiheadAttention(8, 2)(x, x, x)
        >>> list(output.shape), list(weights.shape)
        ([5, 3, 8], [3, 5, 5])
    """

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        _check_sizes(embed_dim, num_heads)
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads, self.dropout, self.batch_first = num_heads, dropout, batch_first
        self.head_dim = embed_dim // num_heads
        self.add_zero_attn = add_zero_attn
        factory = {"device": device, "dtype": dtype}
        for name, shape in self._shapes(bias, add_bias_kv).items():
            self.register_parameter(name, Parameter(empty(shape, **factory)) if shape else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, **factory)
        self._reset_parameters()

    def _shapes(self, bias: bool, add_bias_kv: bool) -> dict[str, tuple[int, ...]]:
        """The shapes of the parameters, in PyTorch's order; () for those that are None."""
        width, same = self.embed_dim, self._qkv_same_embed_dim
        projections = {
            "q_proj_weight": () if same else (width, width),
            "k_proj_weight": () if same else (width, self.kdim),
            "v_proj_weight": () if same else (width, self.vdim),
        }
        packed_weights = {"in_proj_weight": (3 * width, width) if same else ()}
        added: tuple[int, ...] = (1, 1, width) if add_bias_kv else ()
        first = packed_weights | projections if same else projections | packed_weights
        return first | {"in_proj_bias": (3 * width,) if bias else (), "bias_k": added, "bias_v": added}

    def _reset_parameters(self) -> None:
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                init.zeros_(bias)
        for added in (self.bias_k, self.bias_v):
            if added is not None:
                init.xavier_normal_(added)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        separate = (_read(self, "q_proj_weight"), _read(self, "k_proj_weight"), _read(self, "v_proj_weight"))
        return attend_heads(
            (query, key, value),
            self.num_heads,
            Projections(_read(self, "in_proj_weight"), _read(self, "in_proj_bias"), separate),
            (_read(self.out_proj, "weight"), _read(self.out_proj, "bias")),
            masks=(attn_mask, key_padding_mask),
            embed_dim=self.embed_dim,
            added=(_read(self, "bias_k"), _read(self, "bias_v")),
            add_zero=self.add_zero_attn,
            dropout_p=self.dropout if self.training else 0.0,
            need_weights=need_weights,
            average=average_attn_weights,
            is_causal=is_causal,
            batch_first=self.batch_first and query.dim() == 3,
        )


def _read(module: Any, name: str) -> Any:
    """A parameter: from the table, which is much faster than an attribute; one that is computed is an attribute."""
    table = module._parameters
    return table[name] if name in table else getattr(module, name)


def _check_sizes(embed_dim: int, num_heads: int) -> None:
    if embed_dim <= 0 or num_heads <= 0:
        raise ValueError(
            f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
            f"num_heads={num_heads} instead"
        )
    if embed_dim % num_heads:
        raise AssertionError("embed_dim must be divisible by num_heads")
