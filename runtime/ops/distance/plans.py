"""Plans of distances between the rows of contiguous matrices."""

from __future__ import annotations

from math import prod

from ...kernels.cpu.plan import Layout, Plan, Step, are_contiguous
from .cpu import ROWS, WORK, euclidean_norms, sizes_of_rows

EUCLIDEAN = 2.0


def row_distances(x1: Layout, x2: Layout, p: float) -> Plan | None:
    """Those of p = 2: rows of the first matrices, which threads share, beside all of the second."""
    shape = (*x1.shape[:-1], x2.shape[-2])
    if p != EUCLIDEAN or not are_contiguous(x1, x2) or not prod(shape) * x1.shape[-1]:
        return None
    rows = prod(x1.shape[:-1]), min(ROWS, x1.shape[-2])
    work, sizes = prod(shape) * x1.shape[-1] // WORK, sizes_of_rows(x1.shape, x2.shape)
    return (Step(euclidean_norms, (0, 1), ((0, shape),), ints=sizes, rows=rows, work=work),)
