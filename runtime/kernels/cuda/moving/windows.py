"""Kernels of windows: copied out of an array, or added where they lie, each element by one thread in a fixed order."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..kernel import Kernel, Signature, Target
from ..storage import getter, putter
from ..vocabulary import T, cuda, uint32

# Texts name these; a kernel has its own in their place.
get: Any = None
put: Any = None


def im2col(x: Any, out: Any, plane: Any, rows: Any, columns: Any, size: Any) -> None:
    """The columns of windows.

    `plane` is (height, width), `rows` and `columns` are (length of the kernel, windows, dilation, stride, padding).
    """
    n = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if n < size:
        q = uint32(n // columns[1])
        s = uint32(n - uint32(q * columns[1]))
        t = uint32(q // rows[1])
        r = uint32(q - uint32(t * rows[1]))
        q = uint32(t // columns[0])
        j = uint32(t - uint32(q * columns[0]))
        channel = uint32(q // rows[0])
        i = uint32(q - uint32(channel * rows[0]))
        y = uint32(uint32(uint32(r * rows[3]) + uint32(i * rows[2])) - rows[4])  # beyond the height where it is below 0
        z = uint32(uint32(uint32(s * columns[3]) + uint32(j * columns[2])) - columns[4])
        if y < plane[0] and z < plane[1]:
            put(out, n, get(x, uint32(uint32(uint32(uint32(channel * plane[0]) + y) * plane[1]) + z)))
        else:
            put(out, n, T(0))


def col2im(x: Any, out: Any, plane: Any, rows: Any, columns: Any, size: Any) -> None:
    """The sums of what windows have of each element, in the order of their places in the kernel; see `im2col`."""
    n = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if n < size:
        q = uint32(n // plane[1])
        z = uint32(uint32(n - uint32(q * plane[1])) + columns[4])
        channel = uint32(q // plane[0])
        y = uint32(uint32(q - uint32(channel * plane[0])) + rows[4])
        total = T(0)
        i = uint32(0)
        while i < rows[0] and uint32(i * rows[2]) <= y:
            above = uint32(y - uint32(i * rows[2]))
            r = uint32(above // rows[3])
            j = uint32(0)
            if uint32(r * rows[3]) == above and r < rows[1]:
                while j < columns[0] and uint32(j * columns[2]) <= z:
                    before = uint32(z - uint32(j * columns[2]))
                    s = uint32(before // columns[3])
                    if uint32(s * columns[3]) == before and s < columns[1]:
                        line = uint32(uint32(uint32(uint32(channel * rows[0]) + i) * columns[0]) + j)
                        total += get(x, uint32(uint32(uint32(uint32(line * rows[1]) + r) * columns[1]) + s))
                    j = uint32(j + uint32(1))
            i = uint32(i + uint32(1))
        put(out, n, total)


def overlapped(x: Any, out: Any, along: Any, after: Any, windows: Any, size: Any) -> None:
    """Sums of windows of one dimension, each a row of x: (before, count, after, length); `windows` has their numbers.

    `windows` is (count, length, step).
    """
    n = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if n < size:
        count, length, step = windows
        q = uint32(n // after)
        a = uint32(n - uint32(q * after))
        b = uint32(q // along)
        p = uint32(q - uint32(b * along))
        total = T(0)
        w = uint32(0)
        if p >= length:
            w = uint32(uint32(uint32(p - length) // step) + uint32(1))
        while w < count and uint32(w * step) <= p:
            line = uint32(uint32(uint32(uint32(b * count) + w) * after) + a)
            total += get(x, uint32(uint32(line * length) + uint32(p - uint32(w * step))))
            w = uint32(w + uint32(1))
        put(out, n, total)


@cache
def window_kernel(function: Any, computed: np.dtype) -> Kernel:
    """The kernel of one of these functions, which computes in a dtype."""

    def make(target: Target, signature: Signature) -> Any:
        x, out = signature[:2]
        names = {"get": getter(target, x.dtype, computed), "put": putter(target, out.dtype), "T": computed.type}
        return target.kernel(function, **names)

    return Kernel(f"{function.__name__} by {computed.name}", make)
