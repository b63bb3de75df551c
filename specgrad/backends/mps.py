"""Apple's GPUs, which specgrad does not use."""

from ..runtime.settings import unavailable as is_available
from ..runtime.settings import unavailable as is_built

__all__ = ["is_available", "is_built"]
