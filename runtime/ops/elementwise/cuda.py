"""Element-wise ops of several outputs on a device, which no scalar expression gives."""

import numpy as np

from ...device.cuda.array import DeviceArray
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.per_element import apply
from . import cuda_kernels as kernels


def binary_parts(a: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
    mantissa = arrays.result(a, a.shape)
    exponent = arrays.empty(a.shape, np.dtype(np.int32), a.device)
    apply(kernels.binary_parts, a.dtype, (a,), mantissa, exponent)
    return mantissa, exponent
