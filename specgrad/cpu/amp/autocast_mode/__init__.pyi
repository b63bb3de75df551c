"""PyTorch's `torch.cpu.amp.autocast_mode`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.amp.deprecated_names import CpuAutocast

autocast = CpuAutocast
