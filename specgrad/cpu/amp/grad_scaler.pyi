"""PyTorch's `torch.cpu.amp.grad_scaler`, by names: written from `torch_names.py`."""

from specgrad.runtime.modes.amp.old_names import CpuGradScaler

GradScaler = CpuGradScaler
