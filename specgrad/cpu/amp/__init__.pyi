"""PyTorch's `torch.cpu.amp`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.amp.deprecated_names import CpuAutocast, CpuGradScaler

from . import autocast_mode as autocast_mode
from . import grad_scaler as grad_scaler

autocast = CpuAutocast
GradScaler = CpuGradScaler
