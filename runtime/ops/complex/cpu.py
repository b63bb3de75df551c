"""Numbers taken apart, and put together: mantissa and exponent, real and imaginary part."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def binary_parts(a: Array) -> tuple[Array, Array]:
    """m and e with a = m 2^e and 1/2 <= |m| < 1."""
    mantissa, exponent = np.frexp(a)
    return np.asarray(mantissa), np.asarray(exponent, np.int32)


def complex_of_parts(real: Array, imag: Array) -> Array:
    """The complex numbers with these parts, which broadcast."""
    shape = np.broadcast_shapes(real.shape, imag.shape)
    result = np.empty(shape, np.complex64 if real.dtype == np.float32 else np.complex128)
    result.real, result.imag = real, imag
    return result
