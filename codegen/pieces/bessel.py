"""What is computed by pieces of the Bessel functions of the second kind: near 0 their logarithms stand for them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import special

from specgrad.runtime.kernels.scalar.bessel.near_zero import SHIFT

TWO_OVER_PI = 2.0 / np.pi
Function = Callable[[np.ndarray], np.ndarray]


def logarithm(x: np.ndarray) -> np.ndarray:
    """ln(x / 2) + gamma."""
    return np.log(x / 2.0) + np.euler_gamma


def order_0(function: Function, factor: float, lower_bound: float) -> Function:
    """A function; in the doubling from `least` on a factor times the logarithm, less what exponents are worth there."""
    exponents = (np.log2(lower_bound) + SHIFT) * np.log(2.0)
    return lambda x: np.where(x < 2.0 * lower_bound, factor * (logarithm(x) - exponents), function(x))


def zero_of_logarithm(lower_bound: float) -> tuple[float]:
    return (lower_bound * 2.0 ** (1.0 + SHIFT) * float(np.exp(-np.euler_gamma)),)


def order_1(function: Function, factor: float, lower_bound: float) -> Function:
    """A function; in the doubling from `least` on a factor times half of the logarithm, less 1/4."""
    return lambda x: np.where(x < 2.0 * lower_bound, factor * (0.5 * logarithm(x) - 0.25), function(x))


k0 = order_0(special.k0, -1.0, 2.0**-5)
k0e = order_0(special.k0e, -1.0, 2.0**-6)
y0 = order_0(special.y0, TWO_OVER_PI, 2.0**-5)
k1 = order_1(special.k1, 1.0, 2.0**-5)
k1e = order_1(special.k1e, 1.0, 2.0**-6)
y1 = order_1(special.y1, TWO_OVER_PI, 2.0**-5)
