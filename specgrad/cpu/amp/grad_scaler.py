"""The older name of GradScaler on the CPU, under PyTorch's name; the code is in specgrad.runtime.amp."""

from ...runtime.amp.old_names import CpuGradScaler as GradScaler

__all__ = ["GradScaler"]
