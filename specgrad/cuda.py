"""What programs ask about CUDA before they use it."""

from .runtime.devices import cuda_available as is_available

__all__ = ["is_available"]
