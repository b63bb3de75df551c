"""Forward-mode differentiation under PyTorch's name; the code is in specgrad.runtime.autograd.dual."""

from ..runtime.autograd.dual import dual_level, make_dual, unpack_dual

__all__ = ["dual_level", "make_dual", "unpack_dual"]
