"""Ready-made parametrizations of weights."""

from .orthogonal import orthogonal
from .spectral_norm import spectral_norm
from .weight_norm import weight_norm

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]
