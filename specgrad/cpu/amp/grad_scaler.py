"""The older name of GradScaler on the CPU, under PyTorch's name; the code is in specgrad.runtime.modes.amp."""

from ...runtime.modes.amp.old_names import CpuGradScaler as GradScaler

__all__ = ["GradScaler"]
