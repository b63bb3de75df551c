"""Running logarithms of sums of exponentials of complex numbers, a line a thread: of those that differ by 2 pi i it is
the one nearest to that before."""

import math
from functools import cache
from typing import Any

import numpy as np

from ..scalar import atan2, cos, exp, hypot, log, sin
from .kernel import Kernel, Signature, Target
from .language import T, cuda, float64, get, lost, put, uint32
from .storage import getter, putter

COMPLEX = np.dtype(np.complex128)


def two_sum(a: Any, b: Any, total: Any) -> Any:
    """The rounding error of total = a + b; 0 where that is not finite."""
    part = total - a
    error = (a - (total - part)) + (b - part)
    return error if error == error else float64(0)


def complex_logarithms(x: Any, out: Any, along: Any, after: Any, size: Any) -> None:
    """One of `size` lines. `top` is a number that no real part is above by more than 1."""
    line = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if line < size:
        q = uint32(line // after)
        at = uint32(uint32(uint32(q * along) * after) + uint32(line - uint32(q * after)))
        top, real, imag = float64(-math.inf), float64(0), float64(0)
        lost_real, lost_imag = float64(0), float64(0)
        size_before, angle_before = float64(-math.inf), float64(0)
        i = uint32(0)
        while i < along:
            z = get(x, at)
            share = z.real - top
            if z.real == -math.inf or (z.real == math.inf and top == math.inf):
                share = float64(-math.inf)
            elif share > 1:
                scale = exp(-share)
                real, imag, lost_real, lost_imag = real * scale, imag * scale, lost_real * scale, lost_imag * scale
                top, share = z.real, float64(0)
            length = exp(share)
            if length != 0:
                more, other = length * cos(z.imag), length * sin(z.imag)
                total, phase = real + more, imag + other
                lost_real, lost_imag = lost_real + lost(real, more, total), lost_imag + lost(imag, other, phase)
                real, imag = total, phase
            nearest = z.imag if z.real > size_before else angle_before
            norm = real * real + imag * imag
            size_before, angle_before = float64(-math.inf), float64(0)
            if norm != 0:
                size_before = log(hypot(real, imag)) + (lost_real * real + lost_imag * imag) / norm + top
                angle_before = atan2(imag, real) + (lost_imag * real - lost_real * imag) / norm
                full_rotations = (nearest - angle_before) / (2 * math.pi)
                if full_rotations - full_rotations == 0:
                    angle_before += 2 * math.pi * math.floor(full_rotations + 0.5)
            put(out, at, T(complex(size_before, angle_before)))
            at = uint32(at + after)
            i = uint32(i + uint32(1))


@cache
def complex_logarithm_kernel(dtype: np.dtype) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        x, out = signature[:2]
        names = {"get": getter(target, x.dtype, COMPLEX), "put": putter(target, out.dtype), "T": dtype.type}
        names |= target.scalars(complex_logarithms, False)
        return target.kernel(complex_logarithms, lost=target.device(two_sum), **names)

    return Kernel("complex logarithms", make)
