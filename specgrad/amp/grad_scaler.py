"""The module in which PyTorch's `amp` package defines GradScaler; the code is in specgrad.runtime.amp."""

from ..runtime.amp.grad_scaler import GradScaler, OptState

__all__ = ["GradScaler", "OptState"]
