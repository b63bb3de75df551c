"""Forward-mode differentiation under PyTorch's name; the code is in specgrad.runtime.autograd.forward.dual."""

from ..runtime.autograd.forward.dual import (
    UnpackedDualTensor,
    dual_level,
    enter_dual_level,
    exit_dual_level,
    make_dual,
    unpack_dual,
)

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]
