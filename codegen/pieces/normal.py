"""What is computed by pieces of the error function, the normal distribution and their inverses, in SciPy's words."""

from __future__ import annotations

import numpy as np
from scipy import special


def erfinv_ratio(x: np.ndarray) -> np.ndarray:
    """erfinv(x) / x."""
    clipped = np.maximum(x, 1e-30)
    return np.where(x < 0.5, special.erfinv(clipped), special.erfcinv(1.0 - clipped)) / clipped


def ndtri_ratio(y: np.ndarray) -> np.ndarray:
    """-ndtri(y) for y < 1/4, from there on ndtri(y) / (y - 1/2)."""
    z = np.where(np.abs(y - 0.5) < 1e-9, 1e-9, 2.0 * y - 1.0)
    return np.where(y < 0.25, -special.ndtri(y), np.sqrt(8.0) * special.erfinv(z) / z)


def ndtri_factor(y: np.ndarray) -> np.ndarray:
    """What this is to be multiplied by, in float32."""
    return np.where(y < 0.25, np.float32(1.0), y - np.float32(0.5))


def erfc_logarithm(x: np.ndarray) -> np.ndarray:
    """log2(erfc(x))."""
    above, below = np.maximum(x, 0.0), np.minimum(x, 0.0)
    clipped = np.log1p(special.erf(-below)) / np.log(2.0)
    return np.where(x < 0, clipped, erfcx_logarithm(above) - above * above / np.log(2.0))


def erfc_derivative(x: np.ndarray) -> np.ndarray:
    return -2.0 / np.sqrt(np.pi) / np.log(2.0) / special.erfcx(x)


def erfcx_logarithm(x: np.ndarray) -> np.ndarray:
    """log2(erfcx(x))."""
    return np.asarray(np.log2(special.erfcx(x)))


def erfcx_derivative(x: np.ndarray) -> np.ndarray:
    return 2.0 * x / np.log(2.0) + erfc_derivative(x)
