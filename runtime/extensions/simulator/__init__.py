"""A CUDA device that is simulated: its memory, the work that is queued for it, and the threads of kernels.

Kernels run as plain Python, one thread after the other, with the checks that a device does not make.
"""

from .global_memory import GlobalArray
from .limits import KernelFault
from .threads import ORDERS, SimulatedCuda

__all__ = ["ORDERS", "GlobalArray", "KernelFault", "SimulatedCuda"]
