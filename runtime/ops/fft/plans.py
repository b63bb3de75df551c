"""Which calls compute Fourier transforms of complex numbers, for given layouts and arguments."""

from __future__ import annotations

from math import prod

import numpy as np

from ...kernels.cpu.plan import Ints, Layout, Plan, Step, for_complex
from .cpu import WORK, row_call, scale_of
from .cpu_loops import COMPLEX, transform_either
from .cpu_tables import radices


@for_complex
def fft_c2c(x: Layout, dim: Ints, normalization: int, forward: bool) -> Plan | None:
    """Rows of complex numbers whose lengths have passes; all else is for the general path."""
    if not x.complex or x.strides is not None or tuple(dim) != (len(x.shape) - 1,) or 0 in x.shape:
        return None
    n, count = x.shape[-1], prod(x.shape[:-1])
    if not radices(n):
        return None
    scale, tables, ints, unit = scale_of([n], normalization), [], [n], 1
    for char in "fd":  # a plan is for both
        call = row_call(count, n, COMPLEX, char, scale, forward, 1.0)
        steps, factors, _, _, block, turned, *_ = call.constants
        tables += [steps.reshape(-1), factors.view(np.int64)]
        ints += [block, int(turned)]
        unit = max(unit, block)
    ints.append(int(not forward))
    rows, work = (count, unit), WORK * count * n
    return (
        Step(
            transform_either,
            (0,),
            ((0, x.shape),),
            (scale,),
            tuple(ints),
            rows,
            work,
            tables=tuple(tables),
            complexes=(0,),
        ),
    )
