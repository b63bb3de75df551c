"""The module in which PyTorch's `amp` package defines GradScaler; the code is in specgrad.runtime.modes.amp."""

from ..runtime.modes.amp.grad_scaler import GradScaler, OptState

__all__ = ["GradScaler", "OptState"]
