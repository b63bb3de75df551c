"""Complex numbers put together of their real and imaginary parts on a device."""

from __future__ import annotations

import numpy as np

from ...cuda.array import DeviceArray
from ...cuda.launching.elements import made
from ...tensor.shapes import broadcast_shapes
from . import cuda_kernels as kernels

COMPLEX = {np.dtype(np.float32): np.dtype(np.complex64)}


def complex_of_parts(real: DeviceArray, imag: DeviceArray) -> DeviceArray:
    shape = broadcast_shapes("complex", real.shape, imag.shape)
    kind = COMPLEX.get(real.dtype, np.dtype(np.complex128))
    return made(kernels.complex_number, shape, (real, imag), kind)
