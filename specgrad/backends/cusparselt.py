"""NVIDIA's products of sparse matrices, which specgrad does not use."""

from ..runtime.settings import unavailable as is_available

__all__ = ["is_available"]
