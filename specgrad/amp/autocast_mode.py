"""The module in which PyTorch's `amp` package defines autocast; the code is in specgrad.runtime.modes.amp."""

from ..runtime.modes.amp.autocast_mode import autocast, autocast_decorator, custom_bwd, custom_fwd
from ..runtime.modes.amp.state import is_autocast_available

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]
