"""PyTorch's `torch.amp`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.amp.autocast import autocast as autocast
from specgrad.runtime.extensions.amp.autocast import custom_bwd as custom_bwd
from specgrad.runtime.extensions.amp.autocast import custom_fwd as custom_fwd
from specgrad.runtime.extensions.amp.grad_scaler import GradScaler as GradScaler
from specgrad.runtime.extensions.amp.state import is_autocast_available as is_autocast_available

from . import autocast_mode as autocast_mode
from . import grad_scaler as grad_scaler
