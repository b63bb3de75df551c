"""PyTorch's `torch.amp.grad_scaler`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.amp.grad_scaler import GradScaler as GradScaler
from specgrad.runtime.extensions.amp.grad_scaler import OptState as OptState
