"""PyTorch's `torch.cuda.amp.grad_scaler`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.amp.deprecated_names import CudaGradScaler
from specgrad.runtime.extensions.amp.grad_scaler import OptState as OptState

GradScaler = CudaGradScaler
