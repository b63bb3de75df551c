"""PyTorch's `torch.cuda.amp`, by names: written from `torch_names.py`."""

from specgrad.cuda.amp.common import amp_definitely_not_available as amp_definitely_not_available
from specgrad.runtime.extensions.amp.deprecated_names import (
    CudaAutocast,
    CudaGradScaler,
    cuda_custom_bwd,
    cuda_custom_fwd,
)

from . import autocast_mode as autocast_mode
from . import common as common
from . import grad_scaler as grad_scaler

autocast = CudaAutocast
custom_bwd = cuda_custom_bwd
custom_fwd = cuda_custom_fwd
GradScaler = CudaGradScaler
