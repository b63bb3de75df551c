"""Complex numbers put together of their real and imaginary parts on a device, element by element."""

from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray
from ...kernels.cuda_launch.per_element import made
from ...shapes import broadcast_shapes


def complex_number(real: Any, imag: Any) -> Any:
    return complex(real, imag)


COMPLEX = {np.dtype(np.float32): np.dtype(np.complex64)}


def complex_of_parts(real: DeviceArray, imag: DeviceArray) -> DeviceArray:
    shape = broadcast_shapes("complex", real.shape, imag.shape)
    kind = COMPLEX.get(real.dtype, np.dtype(np.complex128))
    return made(complex_number, shape, (real, imag), kind)
