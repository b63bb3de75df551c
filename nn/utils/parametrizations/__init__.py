"""Ready-made parametrizations of weights."""

from .spectral_norm import spectral_norm
from .weight_norm import weight_norm

__all__ = ["spectral_norm", "weight_norm"]
