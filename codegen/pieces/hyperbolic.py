"""What is computed by pieces of inverse hyperbolic functions and of the logarithm of odds, by NumPy and SciPy."""

from __future__ import annotations

import numpy as np
from scipy import special

SMALL = 1e-9  # up to here a ratio is that of the first terms of series


def odds_ratio(x: np.ndarray) -> np.ndarray:
    """-log(x / (1 - x)) for x < 1/4, from there on log(x / (1 - x)) / (x - 1/2)."""
    z = np.where(np.abs(2.0 * x - 1.0) < SMALL, SMALL, 2.0 * x - 1.0)
    return np.where(x < 0.25, -special.logit(x), 4.0 * np.arctanh(z) / z)


def asinh_ratio(x: np.ndarray) -> np.ndarray:
    """asinh(x) / x."""
    return np.divide(np.arcsinh(x), x, out=np.ones_like(x), where=np.abs(x) > SMALL)


def acosh_ratio(x: np.ndarray) -> np.ndarray:
    """acosh(1 + x) / sqrt(x)."""
    root = np.sqrt(np.maximum(x, SMALL))
    return np.where(x < SMALL, np.sqrt(2.0) * (1.0 - x / 12.0), np.log1p(x + root * np.sqrt(x + 2.0)) / root)


def atanh_ratio(x: np.ndarray) -> np.ndarray:
    """atanh(x) / x."""
    return np.divide(np.log1p(2.0 * x / (1.0 - x)) / 2.0, x, out=np.ones_like(x), where=np.abs(x) > SMALL)
