"""PyTorch's `torch.amp.grad_scaler`, by names: written from `torch_names.py`."""

from specgrad.runtime.modes.amp.grad_scaler import GradScaler as GradScaler
from specgrad.runtime.modes.amp.grad_scaler import OptState as OptState
