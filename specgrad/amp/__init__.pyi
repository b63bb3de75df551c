"""PyTorch's `torch.amp`, by names: written from `torch_names.py`."""

from specgrad.runtime.modes.amp.autocast_mode import autocast as autocast
from specgrad.runtime.modes.amp.autocast_mode import custom_bwd as custom_bwd
from specgrad.runtime.modes.amp.autocast_mode import custom_fwd as custom_fwd
from specgrad.runtime.modes.amp.grad_scaler import GradScaler as GradScaler
from specgrad.runtime.modes.amp.state import is_autocast_available as is_autocast_available

from . import autocast_mode as autocast_mode
from . import grad_scaler as grad_scaler
