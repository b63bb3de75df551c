"""`Variable` under PyTorch's module path; the code is in specgrad.runtime.autograd.variable."""

from ..runtime.autograd.variable import Variable

__all__ = ["Variable"]
