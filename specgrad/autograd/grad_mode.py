"""The switches of recording, where PyTorch has them; the code is in specgrad.runtime.autograd."""

from ..runtime.modes.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]
