"""CUDA without a GPU: kernels as plain Python, one thread after the other, with the checks that a device does not make.

Kernels import `cuda` and the number types from here, so they run as they stand; whoever compiles them for a device
puts the compiler's in their place.
"""

from .faults import KernelFault
from .global_memory import GlobalArray
from .numbers import (
    boolean,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .threads import ORDERS, SimulatedCuda

__all__ = ["ORDERS", "GlobalArray", "KernelFault", "SimulatedCuda", "cuda"]
__all__ += ["boolean", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
__all__ += ["complex64", "complex128", "float16", "float32", "float64"]

cuda = SimulatedCuda()
