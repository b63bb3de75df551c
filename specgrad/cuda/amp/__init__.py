"""The older names of `specgrad.amp` on CUDA devices, under PyTorch's names."""

from ...runtime.modes.amp.old_names import CudaAutocast as autocast
from ...runtime.modes.amp.old_names import CudaGradScaler as GradScaler
from ...runtime.modes.amp.old_names import cuda_custom_bwd as custom_bwd
from ...runtime.modes.amp.old_names import cuda_custom_fwd as custom_fwd
from . import autocast_mode, common, grad_scaler
from .common import amp_definitely_not_available

__all__ = [
    "GradScaler",
    "amp_definitely_not_available",
    "autocast",
    "autocast_mode",
    "common",
    "custom_bwd",
    "custom_fwd",
    "grad_scaler",
]
