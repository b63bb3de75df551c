"""The layer that decoders of transformers are made of."""

from __future__ import annotations

from ....generated.tensor import Tensor
from ...docstrings import completed_from
from .encoder_layer import TransformerEncoderLayer, TransformerLayer


@completed_from(TransformerEncoderLayer)
class TransformerDecoderLayer(TransformerLayer):
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

    attentions = ("self_attn", "multihead_attn")

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

    def _mha_block(
        self, x: Tensor, memory: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        options = {"attn_mask": mask, "key_padding_mask": padding, "is_causal": is_causal, "need_weights": False}
        return self.dropout2(self.multihead_attn(x, memory, memory, **options)[0])

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))
