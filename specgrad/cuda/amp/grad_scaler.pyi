"""PyTorch's `torch.cuda.amp.grad_scaler`, by names: written from `torch_names.py`."""

from specgrad.runtime.modes.amp.grad_scaler import OptState as OptState
from specgrad.runtime.modes.amp.old_names import CudaGradScaler

GradScaler = CudaGradScaler
