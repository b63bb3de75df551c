"""Which calls put complex numbers together for given layouts."""

from math import prod

import numpy as np

from ...kernels.cpu.plan import Layout, Plan, Step, are_contiguous
from .cpu_loops import join_parts

UNIT = 1 << 12  # numbers that one thread puts together at least


def complex_of_parts(real: Layout, imag: Layout) -> Plan | None:
    """Parts of one shape, or of which one is a single number; not those of 16 bits."""
    shape = np.broadcast_shapes(real.shape, imag.shape)
    if real.halves or not are_contiguous(real, imag):
        return None
    if not all(x.shape == shape or prod(x.shape) == 1 for x in (real, imag)):
        return None
    steps = int(real.shape == shape), int(imag.shape == shape)
    return (Step(join_parts, (0, 1), ((0, shape),), (), steps, (prod(shape), UNIT), complexes=(0,)),)
