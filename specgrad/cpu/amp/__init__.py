"""The older names of `specgrad.amp` on the CPU, under PyTorch's names."""

from ...runtime.modes.amp.old_names import CpuAutocast as autocast
from ...runtime.modes.amp.old_names import CpuGradScaler as GradScaler
from . import autocast_mode, grad_scaler

__all__ = ["GradScaler", "autocast", "autocast_mode", "grad_scaler"]
