"""The older names of autocast on CUDA devices, under PyTorch's name; the code is in specgrad.runtime.modes.amp."""

from ...runtime.modes.amp.old_names import CudaAutocast as autocast
from ...runtime.modes.amp.old_names import cuda_custom_bwd as custom_bwd
from ...runtime.modes.amp.old_names import cuda_custom_fwd as custom_fwd

__all__ = ["autocast", "custom_bwd", "custom_fwd"]
