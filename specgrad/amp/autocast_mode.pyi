"""PyTorch's `torch.amp.autocast_mode`, by names: written from `torch_names.py`."""

from specgrad.runtime.modes.amp.autocast_mode import autocast as autocast
from specgrad.runtime.modes.amp.autocast_mode import autocast_decorator as autocast_decorator
from specgrad.runtime.modes.amp.autocast_mode import custom_bwd as custom_bwd
from specgrad.runtime.modes.amp.autocast_mode import custom_fwd as custom_fwd
from specgrad.runtime.modes.amp.state import is_autocast_available as is_autocast_available
