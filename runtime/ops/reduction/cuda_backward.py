"""Backward of reductions on a device: row programs over the dimensions that were reduced."""

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cpu.reduce_layout import Dims, folding
from ...kernels.cpu.row_shapes import Output
from ...kernels.cuda.selection import PUT_BACK
from ...kernels.cuda_launch import arrays as memory
from ...kernels.cuda_launch.cpu_fallback import Fallback
from ...kernels.cuda_launch.layouts import MAX_LAUNCH_ELEMENTS
from ...kernels.cuda_launch.per_element import numbers, over_elements
from ...kernels.cuda_launch.row_programs import RowInput, compute, in_order, program, rows_of, run
from . import cpu_backward as cpu
from .cuda_products import prod_backward as prod_backward

ROW = (Output("row"),)


def sum_backward(grad: Array, shape: Dims, dim: Dims | None) -> Array:
    return repeated(grad, shape, dim)


def mean_backward(grad: Array, shape: Dims, dim: Dims | None) -> Array:
    count = folding(tuple(shape), dim).folded[1] or 1
    args = (RowInput("grad", in_order(grad).ravel(), "row"),)
    divided = run("mean_backward", program("divided"), args, (float(count),), ROW, 0, False)
    return repeated(divided, shape, dim)


def repeated(grad: Array, shape: Dims, dim: Dims | None) -> Array:
    keepdim_shape = folding(tuple(shape), dim).keepdim_shape
    seen = in_order(grad).reshape(keepdim_shape)
    steps = tuple(0 if own != n else step for own, n, step in zip(keepdim_shape, shape, seen.byte_strides, strict=True))
    return memory.result_of(seen.with_strides(shape, steps))


def value_selecting_reduction_backward(grad: Array, shape: Dims, dim: int, indices: Array) -> Array:
    result = memory.result(grad, tuple(shape))
    before, along, after = folding(tuple(shape), dim).folded
    if result.size > MAX_LAUNCH_ELEMENTS and grad.size != before * after:
        return Fallback(cpu.value_selecting_reduction_backward)(grad, shape, dim, indices)
    if grad.size != before * after or not result.size:
        return scatter_multiple(grad, indices, result, (before, along, after))
    arrays = result, in_order(grad), in_order(indices)
    compute(program("selected_backward"), rows_of(before, along, after), arrays, (result,))
    return result


def scatter_multiple(grad: Array, indices: Array, result: Array, shape: tuple[int, int, int]) -> Array:
    before, along, after = shape
    if grad.size != result.size:
        memory.fill(result, 0)
    if grad.size:
        args = [in_order(each).ravel() for each in (grad, indices)]
        layout = numbers(along, after, grad.size // (before * after))
        over_elements(PUT_BACK, grad.size, *args, result.ravel(), *layout)
    return result
