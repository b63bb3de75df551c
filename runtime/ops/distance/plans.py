"""The plan of the elements above a diagonal: what a row has of them is copied at once."""

import numpy as np

from ...kernels.cpu.contiguous_copy import zeros
from ...kernels.cpu.move_plans import runs_moved
from ...kernels.cpu.plan import Layout, Plan, Step


def above_diagonal(x: Layout) -> Plan | None:
    if len(x.shape) != 2 or x.strides is not None:
        return None
    rows, pairs = x.shape[0], x.shape[0] * (x.shape[0] - 1) // 2
    if not pairs:
        return (zeros(0, (0,)),)
    row = np.arange(rows - 1)
    runs = np.stack([row * rows + row + 1, np.ones_like(row), rows - 1 - row], 1).reshape(-1)
    return (Step(runs_moved, (0,), ((0, (pairs,)),), (0,), tables=(runs,)),)
