"""The layer that decoders of transformers are made of."""

from __future__ import annotations

from typing import Any

from ....generated.tensor import Tensor
from ... import functional as F
from ...docstrings import completed_from
from ..activation.multihead_attention import MultiheadAttention
from ..dropout import Dropout
from ..linear import Linear
from ..module.base import Module
from ..normalization import LayerNorm
from .encoder_layer import Activation, TransformerEncoderLayer, activation_of


@completed_from(TransformerEncoderLayer)
class TransformerDecoderLayer(Module):
    """Self-attention, attention to a memory, and two linear layers, each with a residual connection and a norm.

    Formula: that of `TransformerEncoderLayer`, with attention of x to the encoder's output in between

    Attributes:
        self_attn, multihead_attn, linear1, linear2: the layers inside.
        norm1, norm2, norm3, dropout, dropout1, dropout2, dropout3: what stands between them.

    Shape:
        tgt: (T, N, d_model); memory: (S, N, d_model); without N for one item. tgt_mask: (T, T), memory_mask: (T, S),
        with N * nhead in front where they differ; tgt_key_padding_mask: (N, T); memory_key_padding_mask: (N, S).
        Output: as tgt.

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.TransformerDecoderLayer(8, 2, dim_feedforward=16)
        >>> list(layer(sg.randn(4, 3, 8), sg.randn(5, 3, 8)).shape)
        [4, 3, 8]
    """

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
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **factory)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **factory)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **factory)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **factory)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **factory)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **factory)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, bias=bias, **factory)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = activation_of(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        own = tgt_mask, tgt_key_padding_mask, tgt_is_causal
        other = memory_mask, memory_key_padding_mask, memory_is_causal
        if self.norm_first:
            x = tgt + self._sa_block(self.norm1(tgt), *own)
            x = x + self._mha_block(self.norm2(x), memory, *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(tgt + self._sa_block(tgt, *own))
        x = self.norm2(x + self._mha_block(x, memory, *other))
        return self.norm3(x + self._ff_block(x))

    def _sa_block(self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool = False) -> Tensor:
        """Self-attention."""
        options = {"attn_mask": mask, "key_padding_mask": padding, "is_causal": is_causal, "need_weights": False}
        return self.dropout1(self.self_attn(x, x, x, **options)[0])

    def _mha_block(
        self, x: Tensor, memory: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        """Attention to the memory."""
        options = {"attn_mask": mask, "key_padding_mask": padding, "is_causal": is_causal, "need_weights": False}
        return self.dropout2(self.multihead_attn(x, memory, memory, **options)[0])

    def _ff_block(self, x: Tensor) -> Tensor:
        """The linear layers."""
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))
