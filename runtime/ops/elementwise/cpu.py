"""Element-wise ops of several outputs, which no scalar expression gives."""

import numpy as np

Array = np.ndarray


def binary_parts(a: Array) -> tuple[Array, Array]:
    """m and e with a = m 2^e and 1/2 <= |m| < 1."""
    mantissa, exponent = np.frexp(a)
    return np.asarray(mantissa), np.asarray(exponent, np.int32)
