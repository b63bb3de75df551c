"""Mixed precision under PyTorch's name; the code is in specgrad.runtime.modes.amp. Loaded when it is first named."""

from ..runtime.arguments import guard_module as _guard_module
from ..runtime.modes.amp.autocast_mode import autocast, custom_bwd, custom_fwd
from ..runtime.modes.amp.grad_scaler import GradScaler
from ..runtime.modes.amp.state import is_autocast_available
from . import autocast_mode, grad_scaler

__all__ = [
    "GradScaler",
    "autocast",
    "autocast_mode",
    "custom_bwd",
    "custom_fwd",
    "grad_scaler",
    "is_autocast_available",
]

_guard_module(__name__)
