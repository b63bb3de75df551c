"""Ready-made parametrizations of weights."""

from .orthogonal import _Orthogonal as _Orthogonal  # programs look for these classes
from .orthogonal import orthogonal
from .spectral_norm import _SpectralNorm as _SpectralNorm
from .spectral_norm import spectral_norm
from .weight_norm import _WeightNorm as _WeightNorm
from .weight_norm import weight_norm

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]
