"""Transformers: layers, stacks and the whole."""

from .decoder_layer import TransformerDecoderLayer
from .encoder_layer import TransformerEncoderLayer
from .encoder_layer import activation_of as _get_activation_fn  # noqa: F401 - programs import these
from .masks import detect_causal as _detect_is_causal_mask  # noqa: F401
from .masks import square_subsequent_mask as _generate_square_subsequent_mask  # noqa: F401
from .stacks import TransformerDecoder, TransformerEncoder
from .stacks import copies as _get_clones  # noqa: F401
from .stacks import rows as _get_seq_len  # noqa: F401
from .transformer import Transformer

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]
