"""Loops over the parts of complex numbers, which lie in pairs."""

from ...compiler.jit import jit
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import part_of


@jit
def join_parts(real: Array, imag: Array, out: Array, step: int, other: int, first: int, last: int) -> None:
    """A range of the pairs of two arrays, of which one may be a single number, through which the step is 0."""
    count = last - first
    to = part_of(out, 2 * first, 2 * count)
    one, two = part_of(real, first * step, count if step else 1), part_of(imag, first * other, count if other else 1)
    if step and other:
        for i in range(count):
            to[2 * i] = one[i]
            to[2 * i + 1] = two[i]
    else:
        for i in range(count):
            to[2 * i] = one[i * step]
            to[2 * i + 1] = two[i * other]
