"""Plan of embedding, which reads whole rows of its table."""

from __future__ import annotations

from ...kernels.cpu.plan import Layout, Plan
from ..indexing.plans import table_rows


def embedding(weight: Layout, indices: Layout, padding_idx: int, scale_grad_by_freq: bool) -> Plan | None:
    """Rows of a table."""
    if weight.strides is not None or indices.strides is not None or len(weight.shape) != 2:
        return None
    return table_rows(weight, indices, 1, (*indices.shape, weight.shape[1]))
