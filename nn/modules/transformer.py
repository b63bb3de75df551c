"""Transformers under PyTorch's module path; the code is one folder up."""

from ..transformer import Transformer
from ..transformer_decoder_layer import TransformerDecoderLayer
from ..transformer_encoder_layer import TransformerEncoderLayer
from ..transformer_stacks import TransformerDecoder, TransformerEncoder

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]
