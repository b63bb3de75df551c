"""PyTorch's `torch.cpu.amp.grad_scaler`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.amp.deprecated_names import CpuGradScaler

GradScaler = CpuGradScaler
