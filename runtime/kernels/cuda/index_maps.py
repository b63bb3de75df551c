"""Kernels of windows, copied out or added where they lie, and of flips, rolls and triangles: a thread an element."""

from functools import cache
from typing import Any

import numpy as np

from .elementwise import by_dims, multi_index_of, offset_of
from .kernel import Kernel, Signature, Target
from .language import T, cuda, get, int32, multi_index, offset, put, rest, uint32
from .per_element import generated_kernel, reads, writes
from .storage import getter, putter


def im2col(x: Any, out: Any, plane: Any, rows: Any, columns: Any, size: Any) -> None:
    """`plane`: (height, width); `rows`, `columns`: (length of the kernel, windows, dilation, stride, padding)."""
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
    """Sums of windows of one dimension, each a row of x (before, count, after, length): (count, length, step)."""
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
    name = f"{function.__name__} by {computed.name}"
    return generated_kernel(name, function, get=reads(0, computed), put=writes(1), T=lambda *_: computed.type)


source_of: Any = None  # (turns, place): an element's offset; a turn is (size, 1 or -1, first index, step)
keeps: Any = None


def flipped(x: Any, out: Any, flips: Any, sizes: Any, size: Any) -> None:
    """Each index is counted from another end, or from another start on and around."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        put(out, i, get(x, source_of(flips, multi_index(sizes, i))))


def source_outermost(flips: Any, p: Any) -> Any:
    n, sign, shift, step = flips[0]
    q = uint32(uint32(p[0] * sign) + shift)
    if q >= n:
        q = uint32(q - n)
    return uint32(q * step)


def source_inner(flips: Any, p: Any) -> Any:
    n, sign, shift, step = flips[0]
    q = uint32(uint32(p[0] * sign) + shift)
    if q >= n:
        q = uint32(q - n)
    return uint32(uint32(q * step) + rest(flips[1:], p[1:]))


@cache
def flip_kernel(computed: np.dtype) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        x, out, flips, _, _ = signature
        names = {"get": getter(target, x.dtype, computed), "put": putter(target, out.dtype)}
        names |= {"multi_index": multi_index_of(target, len(flips))}
        names["source_of"] = by_dims(target, len(flips), source_outermost, source_inner)
        return target.kernel(flipped, **names)

    return Kernel(f"turned by {computed.name}", make)


def triangle(x: Any, out: Any, rows: Any, columns: Any, diagonal: Any, size: Any) -> None:
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        line = uint32(i // columns)
        column = uint32(i - uint32(line * columns))
        row = uint32(line - uint32(uint32(line // rows) * rows))
        if keeps(int32(int32(column) - int32(row)), diagonal):
            put(out, i, get(x, i))
        else:
            put(out, i, T(0))


def above(distance: Any, diagonal: Any) -> Any:
    return distance >= diagonal


def below(distance: Any, diagonal: Any) -> Any:
    return distance <= diagonal


@cache
def triangles(computed: np.dtype, upper: bool) -> Kernel:
    names = {"get": reads(0, computed), "put": writes(1), "T": lambda *_: computed.type}
    names["keeps"] = lambda target, _: target.device(above if upper else below)
    return generated_kernel(f"{'triu' if upper else 'tril'} by {computed.name}", triangle, **names)


def offsets(out: Any, steps: Any, sizes: Any, first: Any, size: Any) -> None:
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        out[i] = int32(uint32(first + offset(steps, multi_index(sizes, i))))


OFFSETS = generated_kernel(
    "offsets",
    offsets,
    multi_index=lambda target, parts: multi_index_of(target, len(parts[1])),
    offset=lambda target, parts: offset_of(target, len(parts[1])),
)
