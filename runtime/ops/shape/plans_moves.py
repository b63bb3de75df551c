"""Plans of ops that put elements elsewhere, and zeros between them, found from what their kernels do to places."""

from __future__ import annotations

from ...kernels.cpu.places import moved
from ...kernels.cpu.plan import Ints, Layout, Plan, of_any_dtype
from . import cpu


@of_any_dtype
def roll(x: Layout, shifts: Ints, dims: Ints) -> Plan | None:
    """Elements moved on, cyclically."""
    return moved(x, lambda a: cpu.roll(a, shifts, dims))


@of_any_dtype
def flip(x: Layout, dims: Ints) -> Plan | None:
    """The order reversed."""
    return moved(x, lambda a: cpu.flip(a, dims))


@of_any_dtype
def triu(x: Layout, diagonal: int) -> Plan | None:
    """Zeros below a diagonal."""
    return moved(x, lambda a: cpu.triu(a, diagonal))


@of_any_dtype
def tril(x: Layout, diagonal: int) -> Plan | None:
    """Zeros above a diagonal."""
    return moved(x, lambda a: cpu.tril(a, diagonal))


def constant_pad_nd(x: Layout, pad: Ints, value: float) -> Plan | None:
    """One number around."""
    return moved(x, lambda a: cpu.constant_pad_nd(a, pad, 0), value)


def diagonal_backward(grad: Layout, sizes: Ints, offset: int, dim1: int, dim2: int) -> Plan | None:
    """Zeros beside a diagonal."""
    return moved(grad, lambda a: cpu.diagonal_backward(a, sizes, offset, dim1, dim2))


def im2col(x: Layout, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Plan | None:
    """Windows, with zeros beyond the borders."""
    return moved(x, lambda a: cpu.im2col(a, kernel_size, dilation, padding, stride))
