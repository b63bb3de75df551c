"""Plans of embedding, which reads whole rows of its table, and of its gradient."""

from __future__ import annotations

from math import prod

from ...kernels.cpu.plan import Layout, Plan, are_contiguous, of_any_layout, of_chosen
from ..indexing.plans import table_rows
from ..indexing.plans_writes import rows_onto_zeros


@of_chosen
def embedding(weight: Layout, indices: Layout, padding_idx: int, scale_grad_by_freq: bool) -> Plan | None:
    """Rows of a table."""
    if weight.strides is not None or indices.strides is not None or len(weight.shape) != 2:
        return None
    return table_rows(weight, indices, 1, (*indices.shape, weight.shape[1]))


@of_any_layout
def embedding_backward(
    grad_output: Layout, indices: Layout, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Plan | None:
    """The sums of the rows that belong to each row of the table."""
    sizes, count = (num_weights, grad_output.shape[-1]), prod(indices.shape)
    if scale_grad_by_freq or not prod(sizes) or not are_contiguous(grad_output, indices):
        return None
    return rows_onto_zeros(sizes, (0, 1), count, padding_idx)
