"""Mixed precision under PyTorch's name; the code is in specgrad.runtime.amp. Loaded when it is first named."""

from ..runtime.amp.autocast_mode import autocast, custom_bwd, custom_fwd
from ..runtime.amp.grad_scaler import GradScaler
from ..runtime.amp.state import is_autocast_available
from ..runtime.arguments import guard_module as _guard_module
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
