"""The older name of GradScaler on CUDA devices, under PyTorch's name; the code is in specgrad.runtime.modes.amp."""

from ...runtime.modes.amp.grad_scaler import OptState
from ...runtime.modes.amp.old_names import CudaGradScaler as GradScaler

__all__ = ["GradScaler", "OptState"]
