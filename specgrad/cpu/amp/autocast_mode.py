"""The older name of autocast on the CPU, under PyTorch's name; the code is in specgrad.runtime.modes.amp."""

from ...runtime.modes.amp.old_names import CpuAutocast as autocast

__all__ = ["autocast"]
