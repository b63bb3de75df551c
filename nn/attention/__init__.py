"""Which kernel computes attention, under PyTorch's names, and masks of causal attention (`nn.attention.bias`)."""

from ...runtime.methods.argument_guard import guard_module as _guard_module
from .backends import WARN_FOR_UNFUSED_KERNELS, SDPBackend, sdpa_kernel

__all__ = ["WARN_FOR_UNFUSED_KERNELS", "SDPBackend", "sdpa_kernel"]

_guard_module(__name__)
