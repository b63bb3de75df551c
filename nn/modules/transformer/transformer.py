"""Transformer: an encoder and a decoder."""

from typing import Any

from ....generated.tensor import Tensor
from ... import functional as F
from ... import init
from ...docstrings import completed_from
from ..module.base import Module
from ..normalization import LayerNorm
from .layers import (
    Activation,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
    square_subsequent_mask,
)


@completed_from(TransformerEncoderLayer)
class Transformer(Module):
    """An encoder, and a decoder that attends to its output.

    Formula: decoder(tgt, encoder(src))

    Args:
        num_encoder_layers, num_decoder_layers: the number of layers of each.
        custom_encoder, custom_decoder: modules to use instead.

    Shape:
        src: (S, N, d_model); tgt: (T, N, d_model); without N for one item. src_mask: (S, S), tgt_mask: (T, T),
        memory_mask: (T, S); src_key_padding_mask and memory_key_padding_mask: (N, S), tgt_key_padding_mask: (N, T).
        Output: as tgt.

    Attributes:
        encoder, decoder: the halves; weights start by `xavier_uniform_`.

    Raises: RuntimeError: batches of src and tgt that differ, or another number of features than d_model.

    Example:
        >>> model = sg.nn.Transformer(8, 2, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=16)
        >>> list(model(sg.randn(5, 3, 8), sg.randn(4, 3, 8)).shape)
        [4, 3, 8]
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        sizes: Any = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            bias,
        )
        factory: Any = {"device": device, "dtype": dtype}
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*sizes, **factory)
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, **factory)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            other = TransformerDecoderLayer(*sizes, **factory)
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, **factory)
            custom_decoder = TransformerDecoder(other, num_decoder_layers, norm)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.shape[batch] != tgt.shape[batch]:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask,
            memory_mask,
            tgt_key_padding_mask,
            memory_key_padding_mask,
            tgt_is_causal,
            memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Zeros on and below the diagonal, and -inf above it: a query looks at no later key.

        Args:
            sz: the number of rows.
            device: where the mask lies.
            dtype: its dtype; the default one when left out.

        Example:
            >>> sg.nn.Transformer.generate_square_subsequent_mask(2)
            tensor([[0., -inf],
                    [0., 0.]])
        """
        return square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for weight in self.parameters():
            if weight.dim() > 1:
                init.xavier_uniform_(weight)
