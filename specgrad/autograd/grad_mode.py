"""The switches of recording, where PyTorch has them; the code is in specgrad.runtime.autograd."""

from ..runtime.autograd.multithreading import set_multithreading_enabled
from ..runtime.modes.context_decorators import DecoratorContextManager as _DecoratorContextManager  # noqa: F401
from ..runtime.modes.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled", "set_multithreading_enabled"]
