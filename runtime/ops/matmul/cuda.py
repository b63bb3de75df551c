"""Products of matrices and vectors, and linear layers, on a device; operands lie in any layout.

Of products with matrices that are given by coordinates, rows are gathered, multiplied and added up: what is gathered
has a row for each number of the sparse matrix, and lies on the device at once.
"""

from collections.abc import Sequence
from math import prod

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.arrays import broadcast, over, permuted, reshaped, swapped
from ...kernels.cuda_launch.gather_scatter import added_to_rows, rows_at, rows_gathered
from ...kernels.cuda_launch.per_element import apply, pinned_reader
from ...kernels.cuda_libraries.matmul import common, multiply, multiply_with_bias, result_for
from ..reduction.cuda import sum_dim
from . import cpu
from .cuda_kernels import product

Maybe = Array | None
Number = int | float | complex
Gradients = tuple[Maybe, ...]


def mm(a: Array, b: Array) -> Array:
    return multiply(a, b)


bmm = mm


def mm_backward(output_mask: Sequence[bool], grad: Array, a: Maybe, b: Maybe) -> Gradients:
    of_a = None if b is None or not output_mask[0] else multiply(grad, swapped(b))
    return of_a, None if a is None or not output_mask[1] else multiply(swapped(a), grad)


bmm_backward = mm_backward


def mv(a: Array, x: Array) -> Array:
    return multiply(a, column(x)).reshape((a.shape[0],))


def mv_backward(output_mask: Sequence[bool], grad: Array, a: Maybe, x: Maybe) -> Gradients:
    of_a = None if x is None or not output_mask[0] else multiply(column(grad), row(x))
    return of_a, None if a is None or not output_mask[1] else mv(swapped(a), grad)


def dot(x: Array, y: Array) -> Array:
    return multiply(row(x), column(y)).reshape(())


def column(x: Array) -> Array:
    step = x.byte_strides[0]
    return over(x, (x.size, 1), (step, step))


def row(x: Array) -> Array:
    return swapped(column(x))


def addmm(c: Array, a: Array, b: Array, beta: Number, alpha: Number) -> Array:
    return plus(c, a, b, beta, alpha)


baddbmm = addmm


def addmv(y: Array, a: Array, x: Array, beta: Number, alpha: Number) -> Array:
    start = over(y, (*y.shape, 1), (*y.byte_strides, 0)) if y.ndim else y
    return plus(start, a, column(x), beta, alpha).reshape((a.shape[0],))


def addbmm(c: Array, a: Array, b: Array, beta: Number, alpha: Number) -> Array:
    batch, rows, inner = a.shape
    beside = reshaped(permuted(a, 1, 0, 2), rows, batch * inner)
    return plus(c, beside, reshaped(b, batch * inner, b.shape[2]), beta, alpha)


def plus(c: Array, a: Array, b: Array, beta: Number, alpha: Number) -> Array:
    a, b = common(a, b)
    shape = (*a.shape[:-1], b.shape[-1])
    result = result_for(a, b, shape)
    if beta != 0:
        arrays.copy(result.as_read(result.stored), broadcast(c, shape))
    return multiply(a, b, result, alpha, beta)


def linear(input: Array, weight: Array, bias: Maybe) -> Array:
    rows = as_rows(input)
    columns = swapped(weight) if weight.ndim == 2 else column(weight)
    if bias is None:
        result = multiply(rows, columns)
    else:
        at_once = multiply_with_bias(rows, columns, bias) if bias.ndim == 1 else None
        result = plus(bias, rows, columns, 1, 1) if at_once is None else at_once
    return result.reshape(input.shape[:-1] + weight.shape[:-1])


def as_rows(input: Array) -> Array:
    """An array as a matrix of its last dimension's rows; copied where the others do not lie one after the other."""
    if input.ndim == 2:
        return input
    return row(input) if input.ndim == 1 else reshaped(input, prod(input.shape[:-1]), input.shape[-1])


def linear_weight_backward(grad_output: Array, input: Array) -> Array:
    rows = as_rows(input)
    if grad_output.ndim < input.ndim:
        return multiply(swapped(rows), reshaped(grad_output, rows.shape[0], 1)).reshape((rows.shape[1],))
    return multiply(swapped(reshaped(grad_output, rows.shape[0], grad_output.shape[-1])), rows)


def linear_backward(
    output_mask: Sequence[bool], grad_output: Array, input: Maybe, weight: Maybe, input_shape: Sequence[int],
    weight_shape: Sequence[int],
) -> Gradients:  # fmt: skip
    outputs = weight_shape[0] if len(weight_shape) == 2 else 1
    rows = reshaped(grad_output, prod(input_shape[:-1]), outputs)
    results: list[Maybe] = [None, None, None]
    if output_mask[0] and weight is not None:
        results[0] = multiply(rows, reshaped(weight, outputs, weight_shape[-1])).reshape(tuple(input_shape))
    if output_mask[1] and input is not None:
        value = reshaped(input, rows.shape[0], input_shape[-1])
        results[1] = multiply(swapped(rows), value).reshape(tuple(weight_shape))
    if output_mask[2]:
        results[2] = column_sums(rows).reshape(tuple(weight_shape[:-1]))
    return tuple(results)


def column_sums(rows: Array) -> Array:
    """The sum of all rows; of complex numbers by a product with ones."""
    if rows.dtype.kind != "c":
        return sum_dim(rows, (0,), False)
    ones = arrays.empty((1, rows.shape[0]), rows.dtype, rows.device)
    arrays.fill(ones, 1)
    return multiply(ones, rows).reshape((rows.shape[1],))


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
