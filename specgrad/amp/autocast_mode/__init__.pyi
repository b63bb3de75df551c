"""PyTorch's `torch.amp.autocast_mode`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.amp.autocast import autocast as autocast
from specgrad.runtime.extensions.amp.autocast import autocast_decorator as autocast_decorator
from specgrad.runtime.extensions.amp.autocast import custom_bwd as custom_bwd
from specgrad.runtime.extensions.amp.autocast import custom_fwd as custom_fwd
from specgrad.runtime.extensions.amp.state import is_autocast_available as is_autocast_available
