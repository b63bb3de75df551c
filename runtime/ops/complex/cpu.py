"""Complex numbers put together of their real and imaginary parts."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def complex_of_parts(real: Array, imag: Array) -> Array:
    """The complex numbers with these parts, which broadcast."""
    shape = np.broadcast_shapes(real.shape, imag.shape)
    result = np.empty(shape, np.complex64 if real.dtype == np.float32 else np.complex128)
    result.real, result.imag = real, imag
    return result
