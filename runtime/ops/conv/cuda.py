"""Convolution over up to three dimensions on a device, and its gradients.

Planes of groups of one channel are filtered as they lie. All else cuDNN computes where it is there and has a plan; if
not, it is products with windows as columns, those of as many samples at a time as `COLUMNS` bytes hold.
"""

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

from ...device.cuda.array import DeviceArray as Array
from ...device.cuda.current import current_stream
from ...device.cuda.math_modes import math_modes
from ...kernels.cuda.storage import in_registers
from ...kernels.cuda_launch import arrays, per_element
from ...kernels.cuda_launch.arrays import broadcast, in_order, over, permuted, swapped
from ...kernels.cuda_libraries.cudnn_protocol import Convolution
from ...kernels.cuda_libraries.libraries import convolutions
from ...kernels.cuda_libraries.matmul import common, is_half, multiply
from ...kernels.cuda_libraries.operands import aligned, is_channels_last, stored_as
from ..reduction.cuda import sum_dim
from . import cuda_kernels as kernels
from .cpu_geometry import Geometry, Ints, geometry

COLUMNS = 1 << 28  # bytes that the columns of windows may take up


class Sizes(NamedTuple):
    g: Geometry
    dims: int  # of places
    output_shape: Ints

    @property
    def as_slots(self) -> tuple[Ints, ...]:
        g = self.g
        return g.sizes, g.kernel, g.stride, g.pads, g.dilation, g.positions

    @property
    def rows(self) -> int:
        return self.g.channels * self.g.groups * self.g.taps

    @property
    def spots(self) -> int:
        return prod(self.g.positions)

    @property
    def is_depthwise(self) -> bool:
        return self.g.channels == 1 and self.g.groups > 1

    @property
    def is_pointwise(self) -> bool:
        g = self.g
        return g.taps == 1 and g.stride == (1, 1, 1) and g.pads == (0, 0, 0) and g.sizes == g.positions

    def slices(self, itemsize: int) -> Iterator[tuple[int, int]]:
        each = max(COLUMNS // max(self.rows * self.spots * itemsize, 1), 1)
        for first in range(0, self.g.batch, each):
            yield first, min(first + each, self.g.batch)


def sizes_of(input_shape: Ints, weight_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int) -> Sizes:
    dims = len(stride)
    g = geometry((1,) * (dims + 2 - len(input_shape)) + input_shape, weight_shape, stride, padding, dilation, groups)
    return Sizes(g, dims, (*input_shape[: -dims - 1], weight_shape[0], *g.positions[3 - dims :]))


def convolution(
    input: Array, weight: Array, bias: Array | None, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    sizes = sizes_of(input.shape, weight.shape, stride, padding, dilation, groups)
    g = sizes.g
    result = like(sizes.output_shape, input, weight)
    if library_convolves(sizes, input, weight, bias, result):
        return result
    x, w = in_order(input), in_order(weight)
    if sizes.is_depthwise:
        extra = (w, False) if bias is None else (in_order(bias), True)
        rest = (result, extra[1], g.groups, g.outputs, sizes.as_slots)
        per_element.run(kernels.filtered, result.size, result.dtype, x, w, extra[0], *rest)
        return result
    if bias is not None:
        column = over(bias, (g.groups * g.outputs, 1), (*bias.byte_strides, 0))
        shape = g.batch, g.groups * g.outputs, sizes.spots
        arrays.copy(result.as_read(result.stored).reshape(shape), broadcast(column, shape))
    for first, last in sizes.slices(x.itemsize):
        columns = columns_of(x, sizes, first, last)
        out = part(result, (g.batch, g.groups, g.outputs, sizes.spots), first, last)
        each_group(by_group(w, sizes), columns, out, 0 if bias is None else 1)
    return result


def convolution_input_backward(
    grad_output: Array, weight: Array, input_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    sizes = sizes_of(tuple(input_shape), weight.shape, stride, padding, dilation, groups)
    g = sizes.g
    result = like(tuple(input_shape), grad_output, weight)
    if library_has("convolve_input_gradient", sizes, (grad_output, weight), result):
        return result
    grad, w = in_order(grad_output), in_order(weight)
    channels = g.channels * g.groups
    if sizes.is_depthwise:
        rest = (channels, g.outputs, sizes.as_slots)
        per_element.run(kernels.filtered_back, result.size, result.dtype, grad, w, result, *rest)
        return result
    plane = prod(g.sizes)
    for first, last in sizes.slices(grad.itemsize):
        value = part(grad, (g.batch, g.groups, g.outputs, sizes.spots), first, last)
        made = part(result, (g.batch, channels, plane), first, last)
        if sizes.is_pointwise:
            columns = part(result, (g.batch, g.groups, g.channels, plane), first, last)
        else:  # elements of several windows are added up: 16-bit floats would be rounded twice
            shape = last - first, g.groups, g.channels * g.taps, sizes.spots
            columns = arrays.empty(shape, in_registers(grad.dtype), grad.device)
        each_group(swapped(by_group(w, sizes)), value, columns, 0)
        if not sizes.is_pointwise:
            args = columns, made, channels, sizes.as_slots
            per_element.run(kernels.windows_of_columns, made.size, result.dtype, *args)
    return result


def convolution_weight_backward(
    grad_output: Array, input: Array, weight_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    sizes = sizes_of(input.shape, tuple(weight_shape), stride, padding, dilation, groups)
    g = sizes.g
    halves = like(tuple(weight_shape), input, grad_output)
    if library_has("convolve_weight_gradient", sizes, (input, grad_output), halves):
        return halves
    grad, x = in_order(grad_output), in_order(input)
    result = arrays.empty(tuple(weight_shape), x.dtype, x.device)
    into = result.reshape((g.groups, g.outputs, g.channels * g.taps))
    started = False
    for first, last in sizes.slices(x.itemsize):
        columns = columns_of(x, sizes, first, last, True)
        value = permuted(part(grad, (g.batch, g.groups, g.outputs, sizes.spots), first, last), 1, 2, 0, 3)
        beside = merged_samples(value)
        multiply(beside, swapped(merged_samples(columns)), into, 1, int(started))
        started = True
    if not started:
        arrays.fill(result, 0)
    return result


def convolution_backward(
    output_mask: Sequence[bool], grad_output: Array, input: Array | None, weight: Array | None, *shapes: Any
) -> tuple[Array | None, ...]:
    (input_shape, weight_shape, *rest), results = shapes, list[Array | None]([None, None, None])
    if output_mask[0] and weight is not None:
        results[0] = convolution_input_backward(grad_output, weight, input_shape, *rest)
    if output_mask[1] and input is not None:
        results[1] = convolution_weight_backward(grad_output, input, weight_shape, *rest)
    if output_mask[2]:
        channels = len(input_shape) - len(rest[0]) - 1
        results[2] = sum_dim(grad_output, tuple(d for d in range(grad_output.ndim) if d != channels), False)
    return tuple(results)


def library_convolves(sizes: Sizes, x: Array, w: Array, bias: Array | None, result: Array) -> bool:
    if bias is None:
        return library_has("convolve", sizes, (x, w), result)
    if library_has("convolve", sizes, (x, w, bias), result):
        return True
    if not library_has("convolve", sizes, (x, w), result):
        return False
    channels = sizes.g.groups * sizes.g.outputs
    per_element.run(kernels.biased, result.size, result.dtype, result, in_order(bias), channels, sizes.spots)
    return True


def library_has(name: str, sizes: Sizes, operands: Sequence[Array], result: Array) -> bool:
    library = None if sizes.is_depthwise else convolutions()
    if library is None or not result.size or not operands[0].size:
        return False
    first, second = common(*operands[:2])
    if result.stored != first.stored:
        return False
    a, b = (aligned(x if is_channels_last(x, x.ndim - sizes.dims - 1) else in_order(x)) for x in (first, second))
    operand_list = [a, b, *(aligned(in_order(stored_as(x, a.stored))) for x in operands[2:])]
    is_strided = a.strides is not None, b.strides is not None
    modes = math_modes.convolution_tf32, math_modes.deterministic_convolutions or math_modes.deterministic
    g = sizes.g
    described = Convolution(
        a.stored, g.batch, g.channels, g.outputs, g.groups, g.sizes, g.kernel, g.stride, g.pads, g.dilation,
        g.positions, *modes, is_strided,
    )  # fmt: skip
    stream = current_stream(result.device.index or 0)
    return bool(getattr(library, name)(described, tuple(x.address for x in operand_list), result.address, stream))


def like(shape: Ints, a: Array, b: Array) -> Array:
    """Memory for a result: of 16-bit floats where both operands are."""
    if is_half(a) and a.stored == b.stored:
        return arrays.empty(shape, a.stored, a.device).as_read(a.dtype)
    return arrays.empty(shape, in_registers(a.dtype), a.device)


def part(a: Array, shape: Ints, first: int, last: int) -> Array:
    each = prod(shape[1:]) * a.itemsize
    return Array(a.address + first * each, (last - first, *shape[1:]), a.dtype, a.block, a.device, None, a.stored)


def by_group(weight: Array, sizes: Sizes) -> Array:
    return weight.reshape((sizes.g.groups, sizes.g.outputs, sizes.g.channels * sizes.g.taps))


def columns_of(x: Array, sizes: Sizes, first: int, last: int, beside: bool = False) -> Array:
    """Windows of some samples, (samples, groups, elements, positions); `beside` puts samples behind elements."""
    g, samples = sizes.g, last - first
    own = g.channels * g.taps
    if sizes.is_pointwise:
        result = part(x, (g.batch, g.groups, own, sizes.spots), first, last)
        return permuted(result, 1, 2, 0, 3) if beside else result
    shape = (g.groups, own, samples, sizes.spots) if beside else (samples, g.groups, own, sizes.spots)
    columns = arrays.empty(shape, x.stored, x.device).as_read(x.dtype)
    steps = (sizes.spots, samples * sizes.spots) if beside else (sizes.rows * sizes.spots, sizes.spots)
    channels = g.channels * g.groups
    value = part(x, (g.batch, channels, prod(g.sizes)), first, last)
    per_element.run(kernels.columns_of_windows, columns.size, x.dtype, value, columns, channels, sizes.as_slots, steps)
    return columns


def merged_samples(a: Array) -> Array:
    shape = (*a.shape[:2], a.shape[2] * a.shape[3])
    if a.strides is None:
        return a.reshape(shape)
    steps = a.byte_strides
    if a.shape[2] == 1:
        return over(a, shape, (*steps[:2], steps[3]))
    return arrays.moved(a).reshape(shape)


def each_group(weights: Array, columns: Array, out: Array, beta: int) -> None:
    """out[n, g] = weights[g] columns[n, g] + beta out[n, g]: a batch of samples for each group, or vice versa."""
    samples, groups = columns.shape[:2]
    if groups == 1 or groups < samples:
        for k in range(groups):
            one = over(
                weights, (samples, *weights.shape[1:]), (0, *weights.byte_strides[1:]), k * weights.byte_strides[0]
            )
            multiply(one, at(columns, 1, k), at(out, 1, k), 1, beta)
        return
    for n in range(samples):
        multiply(weights, at(columns, 0, n), at(out, 0, n), 1, beta)


def at(a: Array, dim: int, k: int) -> Array:
    steps, remaining_dims = a.byte_strides, [d for d in range(a.ndim) if d != dim]
    return over(a, tuple(a.shape[d] for d in remaining_dims), [steps[d] for d in remaining_dims], k * steps[dim])
