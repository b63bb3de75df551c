"""The older name of GradScaler on CUDA devices, under PyTorch's name; the code is in specgrad.runtime.amp."""

from ...runtime.amp.grad_scaler import OptState
from ...runtime.amp.old_names import CudaGradScaler as GradScaler

__all__ = ["GradScaler", "OptState"]
