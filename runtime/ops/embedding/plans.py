"""Plans of embedding, which reads whole rows of its table, of sums of such rows, and of their gradients."""

from math import prod

from ...kernels.cpu.plan import Layout, Plan, Step, are_contiguous, of_any_layout, of_chosen
from ..indexing.plans_gather import table_rows
from ..indexing.plans_index_put import rows_onto_zeros
from . import cpu_bag_loops as loops


@of_chosen
def embedding(weight: Layout, indices: Layout, padding_idx: int, scale_grad_by_freq: bool) -> Plan | None:
    if weight.strides is not None or indices.strides is not None or len(weight.shape) != 2:
        return None
    return table_rows(weight, indices, 1, (*indices.shape, weight.shape[1]))


@of_any_layout
def embedding_backward(
    grad_output: Layout, indices: Layout, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Plan | None:
    sizes, count = (num_weights, grad_output.shape[-1]), prod(indices.shape)
    if scale_grad_by_freq or not prod(sizes) or not are_contiguous(grad_output, indices):
        return None
    return rows_onto_zeros(sizes, (0, 1), count, padding_idx)


@of_chosen
def bag_totals(
    weight: Layout, indices: Layout, offsets: Layout, mean: bool, include_last_offset: bool, padding_idx: int
) -> Plan | None:
    bags, (size, width) = offsets.shape[0] - include_last_offset, weight.shape
    if bags < 1 or not width or not are_contiguous(weight, indices, offsets):
        return None
    ints, work = (size, width, int(mean), padding_idx), indices.shape[0] * width
    return (Step(loops.add_bags, (0, 1, 2), ((0, (bags, width)),), (), ints, (bags, 1), work),)


def embedding_bag_scatter_grad(
    grad_output: Layout, indices: Layout, offsets: Layout, num_weights: int, mean: bool, include_last_offset: bool,
    padding_idx: int,
) -> Plan | None:  # fmt: skip
    bags, width = grad_output.shape
    if not bags * width * num_weights or not are_contiguous(grad_output, indices, offsets):
        return None
    ints, sizes = (num_weights, width, bags, int(mean), padding_idx), (num_weights, width)
    work = prod(sizes) + indices.shape[0] * width
    return (Step(loops.scatter_bag_grads, (0, 1, 2), ((0, sizes),), (), ints, (num_weights, 1), work),)
