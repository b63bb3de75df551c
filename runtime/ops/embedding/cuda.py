"""Embedding on a CUDA device: rows of a table picked by index, and the sums of rows that go back."""

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.arrays import in_order
from ...kernels.cuda_launch.gather_scatter import INT32, added_to_rows, collected, rows_at, rows_gathered
from ...kernels.cuda_launch.per_element import pinned_reader
from . import cpu


@pinned_reader(cpu.embedding)
def embedding(weight: Array, indices: Array, padding_idx: int = -1, scale_grad_by_freq: bool = False) -> Array:
    return rows_gathered("embedding", weight, 0, indices, False)


@pinned_reader(cpu.embedding_backward)
def embedding_backward(
    grad_output: Array, indices: Array, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Array:
    start = arrays.result_of_zeros(grad_output, (num_weights, grad_output.shape[-1]))
    rows = rows_at("embedding", indices, 0, num_weights, False)
    name = "mean" if scale_grad_by_freq else "sum"
    result = added_to_rows(start, rows, in_order(grad_output), name, 1, not scale_grad_by_freq)
    return _without_padding(result, padding_idx)


@pinned_reader(cpu.embedding_gather)
def embedding_gather(input: Array, indices: Array, padding_idx: int, scale_grad_by_freq: bool) -> Array:
    """The transpose of `embedding_backward`: the table is divided and has zeros before it is read."""
    table = arrays.result_of(input)
    if scale_grad_by_freq:
        rows = rows_at("embedding", indices, 0, len(input), False)
        table = _divided(table, rows)
    return rows_gathered("embedding", _without_padding(table, padding_idx), 0, indices, False)


@pinned_reader(cpu.bag_totals)
def bag_totals(
    weight: Array, indices: Array, offsets: Array, mean: bool, include_last_offset: bool,
    padding_idx: int,
) -> Array:  # fmt: skip
    named, bag = _owners(indices, offsets, include_last_offset, len(weight), padding_idx)
    start = arrays.result_of_zeros(weight, (offsets.size - include_last_offset, weight.shape[1]))
    rows = rows_gathered("bag_totals", weight, 0, named, False)
    return added_to_rows(start, bag, rows, "mean" if mean else "sum", 1, not mean)


@pinned_reader(cpu.embedding_bag_scatter_grad)
def embedding_bag_scatter_grad(
    grad_output: Array, indices: Array, offsets: Array, num_weights: int, mean: bool,
    include_last_offset: bool, padding_idx: int,
) -> Array:  # fmt: skip
    named, bag = _owners(indices, offsets, include_last_offset, num_weights, padding_idx)
    rows = _divided(in_order(grad_output), bag) if mean and bag.size else grad_output
    start = arrays.result_of_zeros(grad_output, (num_weights, grad_output.shape[1]))
    return added_to_rows(start, named, rows_gathered("embedding_bag_scatter_grad", rows, 0, bag, False))


def _owners(
    indices: Array, offsets: Array, include_last_offset: bool, rows: int, padding_idx: int
) -> tuple[Array, Array]:
    args = arrays.to_host(indices), arrays.to_host(offsets), include_last_offset, rows, padding_idx
    named, bag = (arrays.from_host(result.astype(INT32), indices.device) for result in cpu.owners(*args))
    return named, bag


def _divided(table: Array, rows: Array) -> Array:
    sizes = (1, len(table), table.shape[1], rows.size)
    nothing = arrays.zeros((1,), table.dtype, table.device)
    return collected(table, rows, nothing, sizes, (0, 1, 0), (0, 0, 0), "divided")


def _without_padding(table: Array, padding_idx: int) -> Array:
    if 0 <= padding_idx < len(table) and table.size:
        step = table.byte_strides[0]
        arrays.fill(table.viewed(table.shape[1:], padding_idx * step, table.byte_strides[1:]), 0)
    return table
