"""Exchange of memory with other libraries under PyTorch's name; the code is in specgrad.runtime.ops.creation."""

from enum import IntEnum
from typing import Any

from ..runtime.methods.argument_guard import guard_module
from ..runtime.ops.creation import from_dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


class DLDeviceType(IntEnum):
    """Kinds of devices, by the numbers that DLPack gives them."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


def to_dlpack(tensor: Any) -> Any:
    """A capsule of a tensor's memory, which `from_dlpack` of any library takes once.

    Args:
        tensor: the tensor.
    """
    return tensor.__dlpack__()


guard_module(__name__)
