"""Products with matrices that are given by coordinates, on a device: rows that are gathered, multiplied and added up.

What is gathered has a row for each number of the sparse matrix, and lies on the device at once.
"""

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.arrays import over
from ...kernels.cuda_launch.gather_scatter import added_to_rows, rows_at, rows_gathered
from ...kernels.cuda_launch.per_element import apply, pinned_reader
from ..reduction.cuda import sum_dim
from . import cpu_sparse as cpu
from .cuda_kernels import product


@pinned_reader(cpu.coordinate_mm)
def coordinate_mm(input: Array, row: Array, column: Array, count: int, mat2: Array) -> Array:
    start = arrays.result_of_zeros(mat2, (count, mat2.shape[1]))
    rows = rows_at("coordinate_mm", row, 0, count, False)
    gathered = rows_gathered("coordinate_mm", mat2, 0, column, False)
    return added_to_rows(start, rows, _products(over(input, gathered.shape, (*input.byte_strides, 0)), gathered))


@pinned_reader(cpu.coordinate_sampled)
def coordinate_sampled(input: Array, row: Array, mat2: Array, column: Array) -> Array:
    mine = rows_gathered("coordinate_sampled", input, 0, row, False)
    return sum_dim(_products(mine, rows_gathered("coordinate_sampled", mat2, 0, column, False)), (1,), False)


def _products(a: Array, b: Array) -> Array:
    """The product of each two elements, not rounded to a 16-bit float."""
    result = arrays.scratch(b, b.shape)
    apply(product, b.dtype, (a, b), result)
    return result
