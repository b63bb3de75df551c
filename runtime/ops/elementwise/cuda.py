"""Element-wise ops of several outputs on a device, which no scalar expression gives."""

from __future__ import annotations

import numpy as np

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching.elements import apply
from . import cuda_kernels as kernels


def binary_parts(a: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
    mantissa = memory.result(a, a.shape)
    exponent = memory.empty(a.shape, np.dtype(np.int32), a.device)
    apply(kernels.binary_parts, a.dtype, (a,), mantissa, exponent)
    return mantissa, exponent
