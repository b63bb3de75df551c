"""Normalisation of samples under PyTorch's module path; the code is one folder up."""

from ..groupnorm import GroupNorm
from ..normalization import LayerNorm, LocalResponseNorm, RMSNorm
from ..older_layers import CrossMapLRN2d

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]
