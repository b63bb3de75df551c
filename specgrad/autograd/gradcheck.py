"""Gradient checks under PyTorch's name; the code is in specgrad.runtime.autograd."""

from ..runtime.autograd import GradcheckError, gradcheck, gradgradcheck

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]
