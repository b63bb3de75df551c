"""The module in which PyTorch's `amp` package defines autocast; the code is in specgrad.runtime.amp."""

from ..runtime.amp.autocast_mode import autocast, autocast_decorator, custom_bwd, custom_fwd
from ..runtime.amp.state import is_autocast_available

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]
