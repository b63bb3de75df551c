"""Plans of ops that put elements elsewhere, and zeros between them, found from what their kernels do to places."""

from __future__ import annotations

from ...kernels.cpu.movement.places import moved
from ...kernels.cpu.plan import Ints, Layout, Plan, of_any_layout
from . import cpu


@of_any_layout
def diagonal_backward(grad: Layout, sizes: Ints, offset: int, dim1: int, dim2: int) -> Plan | None:
    """Zeros beside a diagonal."""
    return moved(grad, lambda a: cpu.diagonal_backward(a, sizes, offset, dim1, dim2))


def im2col(x: Layout, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Plan | None:
    """Windows, with zeros beyond the borders."""
    return moved(x, lambda a: cpu.im2col(a, kernel_size, dilation, padding, stride))
