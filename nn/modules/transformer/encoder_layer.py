"""The layer that encoders of transformers are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....generated.tensor import Tensor
from ... import functional as F
from ..activation.multihead_attention import MultiheadAttention
from ..dropout import Dropout
from ..linear import Linear
from ..module.base import Module
from ..normalization import LayerNorm
from .masks import as_numbers

Activation = Callable[[Tensor], Tensor]


class TransformerLayer(Module):
    """Base of the layers: attention under each of the names, then two linear layers."""

    attentions: tuple[str, ...]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        for name in self.attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **factory))
        self.linear1 = Linear(d_model, dim_feedforward, bias, **factory)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **factory)
        self.norm_first = norm_first
        blocks = range(1, len(self.attentions) + 2)
        for number in blocks:
            setattr(self, f"norm{number}", LayerNorm(d_model, layer_norm_eps, bias=bias, **factory))
        for number in blocks:
            setattr(self, f"dropout{number}", Dropout(dropout))
        self.activation = activation_of(activation)

    def _sa_block(self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool = False) -> Tensor:
        options = {"attn_mask": mask, "key_padding_mask": padding, "is_causal": is_causal, "need_weights": False}
        return self.dropout1(self.self_attn(x, x, x, **options)[0])


class TransformerEncoderLayer(TransformerLayer):
    """Self-attention and two linear layers, each with a residual connection and a norm.

    Formula: y = norm(x + attention(x)); output = norm(y + W_2 activation(W_1 y)); with norm_first y = x +
    attention(norm(x)) and output = y + W_2 activation(W_1 norm(y))

    Source: Vaswani et al., "Attention is all you need" (2017).

    Args:
        d_model: the number of features.
        nhead: the number of heads.
        dim_feedforward: the number of features between the linear layers.
        dropout: the probability of dropout, of attention weights too.
        activation: "relu", "gelu", or a function.
        layer_norm_eps: what norms add to the variance.
        batch_first: whether tensors are (batch, rows, features) instead of (rows, batch, features).
        norm_first: whether norms come in front of attention and linear layers.
        bias: whether linear layers and norms have biases.
        device: where the parameters lie.
        dtype: their dtype.

    Shape:
        src: (S, N, d_model), or (S, d_model) for one item; src_mask: (S, S) or (N * nhead, S, S); src_key_padding_mask:
        (N, S); both True where a key is left out, or numbers added to the scores. Output: as src.

    Attributes:
        self_attn, linear1, linear2, norm1, norm2, dropout, dropout1, dropout2: the layers inside.

    Raises:
        RuntimeError: another activation, or masks of wrong shapes.
        AssertionError: d_model is no multiple of nhead, or dimensions and dtypes that do not fit.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.TransformerEncoderLayer(8, 2, dim_feedforward=16)(sg.randn(5, 3, 8)).shape)
        [5, 3, 8]
    """

    attentions = ("self_attn",)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        padding = as_numbers("src_key_padding_mask", src_key_padding_mask, src, src_mask=src_mask)
        mask = as_numbers("src_mask", src_mask, src)
        if self.norm_first:
            x = src + self._sa_block(self.norm1(src), mask, padding, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(src + self._sa_block(src, mask, padding, is_causal))
        return self.norm2(x + self._ff_block(x))

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


def activation_of(activation: str | Activation) -> Activation:
    """The function that a name stands for."""
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return F.relu if activation == "relu" else F.gelu
