"""Transformers: layers, stacks and the whole."""

from .decoder_layer import TransformerDecoderLayer
from .encoder_layer import TransformerEncoderLayer
from .stacks import TransformerDecoder, TransformerEncoder
from .transformer import Transformer

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]
