"""Running logarithms of sums of exponentials; compiled on first use, for each dtype.

A line has a top, a number among its first ones that no later one is larger than by more than 1, and the sum of
exp(x - top) so far in double precision, with what rounding has taken from it: so nothing is lost to the length, and
nothing overflows. Lines along (before, along, after) are counted through (before, after).
"""

from __future__ import annotations

import cmath
import math

import numpy as np

from ...kernels.cpu.loops import lines_of
from ...kernels.jit import jit
from ...kernels.scalar import exp, log
from .cpu_sums import WIDTH, lost, start_of

Array = np.ndarray


@jit
def running_logarithms(a: Array, out: Array, along: int, after: int, first: int, last: int) -> None:
    """out_i = log sum_{j <= i} exp(a_j) along each line of a flat array."""
    while first < last:
        start, width = start_of(first, along, after), min(WIDTH, lines_of(after, first, last))
        tops, sums, lows = np.full(width, -math.inf), np.zeros(width), np.zeros(width)
        for i in range(along):
            at = start + i * after
            for j in range(width):
                x, top = np.float64(a[at + j]), tops[j]
                share = x - top
                if x == -math.inf or (x == math.inf and top == math.inf):
                    share = -math.inf  # nothing is added
                elif share > 1:
                    scale = exp(-share)
                    sums[j], lows[j], tops[j], share = sums[j] * scale, lows[j] * scale, x, 0.0
                before, more = sums[j], exp(share)
                sums[j] = before + more
                lows[j] += lost(before, more, sums[j])
                out[at + j] = log(sums[j]) + lows[j] / sums[j] + tops[j] if sums[j] != 0 else -math.inf
        first += width


@jit
def complex_logarithms(a: Array, out: Array, along: int, after: int, first: int, last: int) -> None:
    """out_i = log sum_{j <= i} exp(a_j) of complex numbers along each line of a flat array.

    Logarithms are unique up to multiples of 2 pi i: each result takes the one nearest to the result before, or to the
    new element where that has the larger real part.
    """
    while first < last:
        start, width = start_of(first, along, after), min(WIDTH, lines_of(after, first, last))
        tops, sums, lows = np.full(width, -math.inf), np.zeros(width, np.complex128), np.zeros(width, np.complex128)
        result = np.full(width, complex(-math.inf, 0))
        for i in range(along):
            at = start + i * after
            for j in range(width):
                z = np.complex128(a[at + j])
                share = z.real - tops[j]
                if z.real == -math.inf or (z.real == math.inf and tops[j] == math.inf):
                    share = -math.inf
                elif share > 1:
                    scale = math.exp(-share)
                    sums[j], lows[j], tops[j], share = sums[j] * scale, lows[j] * scale, z.real, 0.0
                before, size = sums[j], math.exp(share)
                more = complex(size * math.cos(z.imag), size * math.sin(z.imag)) if size != 0 else 0j
                sums[j] = before + more
                real = lost(before.real, more.real, sums[j].real)
                lows[j] += complex(real, lost(before.imag, more.imag, sums[j].imag))
                result[j] = _followed(sums[j], lows[j], tops[j], z if z.real > result[j].real else result[j])
                out[at + j] = result[j]
        first += width


@jit
def _followed(total: complex, low: complex, top: float, nearest: complex) -> complex:
    """log(total + low) + top, plus the multiple of 2 pi i that brings it nearest to `nearest`."""
    if total == 0:
        return complex(-math.inf, 0.0)
    result = cmath.log(total) + low / total + top
    full_rotations = round((nearest.imag - result.imag) / (2 * math.pi))
    return (
        complex(result.real, result.imag + 2 * math.pi * full_rotations) if full_rotations == full_rotations else result
    )
