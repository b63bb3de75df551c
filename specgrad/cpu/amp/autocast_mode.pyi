"""PyTorch's `torch.cpu.amp.autocast_mode`, by names: written from `torch_names.py`."""

from specgrad.runtime.modes.amp.old_names import CpuAutocast

autocast = CpuAutocast
