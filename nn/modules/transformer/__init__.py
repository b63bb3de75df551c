"""Transformers: layers, stacks and the whole."""

from .layers import TransformerDecoder, TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer
from .layers import activation_of as _get_activation_fn  # noqa: F401 - programs import these
from .layers import copies as _get_clones  # noqa: F401
from .layers import detect_causal as _detect_is_causal_mask  # noqa: F401
from .layers import rows as _get_seq_len  # noqa: F401
from .layers import square_subsequent_mask as _generate_square_subsequent_mask  # noqa: F401
from .transformer import Transformer

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]
