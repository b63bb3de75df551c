"""Pooling over the last `spatial` dimensions on a device: a thread for each window, or for each element of the planes.

Kernels see three dims. Along each a window is a range of the plane: that number `p` begins at p * stride - pad and has
every `dilation`-th of `kernel` elements, or, where `adaptive`, it is from p n / m to ceil((p + 1) n / m) of n elements
for m windows. What lies in the padding has no elements.
"""

from math import prod
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...device.cuda.index_errors import raise_at_once, ticket, word_for
from ...kernels.cuda.language import T, cuda, int64
from ...kernels.cuda_launch import arrays, per_element
from ...kernels.cuda_launch.arrays import in_order
from ...shapes import pool_size
from ..indexing.cuda_gather import scatter

# Texts name these; a kernel has its own in their place.
index: Any = None
W = get_x = get_grad = get_indices = put_values = put_indices = put_result = index


def range_of(p: Any, d: Any, geometry: Any, adaptive: Any) -> Any:
    """First and end of a window along a dim, and the elements that it has with those in the padding."""
    sizes, kernel, stride, pads, dilation, counts = geometry
    n, m = sizes[d], counts[d]
    if adaptive:
        low = index(int64(p) * int64(n) // int64(m))
        high = index((int64(p + 1) * int64(n) + int64(m - 1)) // int64(m))
        return low, high, index(high - low)
    start = index(index(p * stride[d]) - pads[d])
    read_extent = index(start + index(dilation[d] * index(kernel[d] - 1)) + 1)
    limit = index(n + pads[d])
    full = index(index(read_extent if read_extent < limit else limit) - start + dilation[d] - 1) // dilation[d]
    first = start if start >= 0 else index(start + index(index(dilation[d] - 1 - start) // dilation[d]) * dilation[d])
    return first, index(read_extent if read_extent < n else n), index(full)


def maxima(x: Any, values: Any, indices: Any, geometry: Any, adaptive: Any, total: Any) -> None:
    """The greatest of each window, nan before all, and its place in the plane; the first of equals."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        sizes, kernel, stride, pads, dilation, counts = geometry
        q2 = index(i // counts[2])
        q1 = index(q2 // counts[1])
        plane = index(q1 // counts[0])
        first0, end0, _ = range_of(index(q1 - index(plane * counts[0])), 0, geometry, adaptive)
        first1, end1, _ = range_of(index(q2 - index(q1 * counts[1])), 1, geometry, adaptive)
        first2, end2, _ = range_of(index(i - index(q2 * counts[2])), 2, geometry, adaptive)
        start = index(plane * index(sizes[0] * index(sizes[1] * sizes[2])))
        position = index(index(index(first0 * sizes[1]) + first1) * sizes[2] + first2)
        best = get_x(x, index(start + position))
        a = first0
        while a < end0:
            b = first1
            while b < end1:
                c = first2
                while c < end2:
                    at = index(index(index(a * sizes[1]) + b) * sizes[2] + c)
                    value = get_x(x, index(start + at))
                    if value > best or value != value:
                        best, position = value, at
                    c = index(c + dilation[2])
                b = index(b + dilation[1])
            a = index(a + dilation[0])
        put_values(values, i, best)
        put_indices(indices, i, int64(position))


def means(x: Any, result: Any, geometry: Any, adaptive: Any, padded: Any, divisor: Any, total: Any) -> None:
    """The sum of each window over its divisor: 0 stands for its elements, with those in the padding if `padded`."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        sizes, kernel, stride, pads, dilation, counts = geometry
        q2 = index(i // counts[2])
        q1 = index(q2 // counts[1])
        plane = index(q1 // counts[0])
        first0, end0, whole0 = range_of(index(q1 - index(plane * counts[0])), 0, geometry, adaptive)
        first1, end1, whole1 = range_of(index(q2 - index(q1 * counts[1])), 1, geometry, adaptive)
        first2, end2, whole2 = range_of(index(i - index(q2 * counts[2])), 2, geometry, adaptive)
        start = index(plane * index(sizes[0] * index(sizes[1] * sizes[2])))
        sum = W(0)
        for a in range(first0, end0):
            for b in range(first1, end1):
                for c in range(first2, end2):
                    at = index(index(index(a * sizes[1]) + b) * sizes[2] + c)
                    sum = W(sum + get_x(x, index(start + at)))
        by = divisor_of(first0, end0, whole0, first1, end1, whole1, first2, end2, whole2, padded, divisor)
        put_result(result, i, T(sum / W(by)))


def divisor_of(
    first0: Any, end0: Any, whole0: Any, first1: Any, end1: Any, whole1: Any, first2: Any, end2: Any, whole2: Any,
    padded: Any, divisor: Any,
) -> Any:  # fmt: skip
    if divisor != 0:
        return index(divisor)
    if padded:
        return index(whole0 * index(whole1 * whole2))
    return index(index(end0 - first0) * index(index(end1 - first1) * index(end2 - first2)))


def reached(position: Any, d: Any, geometry: Any, adaptive: Any) -> Any:
    """The first window along a dim that may have a place, and the end of those."""
    sizes, kernel, stride, pads, dilation, counts = geometry
    n, m = sizes[d], counts[d]
    if adaptive:
        low = index(int64(position) * int64(m) // int64(n))
        high = index((int64(position + 1) * int64(m) + int64(n - 1)) // int64(n))
        return low, index(high if high < m else m)
    ahead = index(index(position + pads[d]) - index(dilation[d] * index(kernel[d] - 1)))
    low = index(index(ahead + stride[d] - 1) // stride[d]) if ahead > 0 else index(0)
    high = index(index(index(position + pads[d]) // stride[d]) + 1)
    return low, index(high if high < m else m)


def means_back(grad: Any, result: Any, geometry: Any, adaptive: Any, padded: Any, divisor: Any, total: Any) -> None:
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        sizes, kernel, stride, pads, dilation, counts = geometry
        q2 = index(i // sizes[2])
        q1 = index(q2 // sizes[1])
        plane = index(q1 // sizes[0])
        low0, high0 = reached(index(q1 - index(plane * sizes[0])), 0, geometry, adaptive)
        low1, high1 = reached(index(q2 - index(q1 * sizes[1])), 1, geometry, adaptive)
        low2, high2 = reached(index(i - index(q2 * sizes[2])), 2, geometry, adaptive)
        sum = W(0)
        for p0 in range(low0, high0):
            first0, end0, whole0 = range_of(index(p0), 0, geometry, adaptive)
            for p1 in range(low1, high1):
                first1, end1, whole1 = range_of(index(p1), 1, geometry, adaptive)
                for p2 in range(low2, high2):
                    first2, end2, whole2 = range_of(index(p2), 2, geometry, adaptive)
                    by = divisor_of(first0, end0, whole0, first1, end1, whole1, first2, end2, whole2, padded, divisor)
                    at = index(index(index(plane * counts[0]) + p0) * counts[1] + p1) * counts[2] + p2
                    sum = W(sum + W(get_grad(grad, index(at))) / W(by))
        put_result(result, i, T(sum))


def added_at(grad: Any, indices: Any, result: Any, word: Any, ticket: Any, windows: Any, size: Any, total: Any) -> None:
    """Adds each gradient to its place in the plane; one that lies outside of it is noted in a word, and left out."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        position = get_indices(indices, i)
        if position >= 0 and position < size:
            cuda.atomic.add(result, index(index(index(i // windows) * size) + position), get_grad(grad, i))
        elif cuda.atomic.cas(word, 0, int64(0), ticket) == int64(0):
            word[1] = int64(position)
            word[2] = int64(size)


Ints = tuple[int, ...]
Geometry = tuple[Ints, ...]  # of each dim: the size, the kernel's, stride, pad, dilation and the number of windows


def max_pool(
    input: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool, spatial: int
) -> tuple[Array, Array]:
    return max_pool_values(input, sliding(input.shape, kernel, stride, padding, dilation, ceil_mode), spatial, False)


def adaptive_max_pool(input: Array, output_size: Ints, spatial: int) -> tuple[Array, Array]:
    return max_pool_values(input, covering(input.shape, output_size), spatial, True)


def max_pool_values(input: Array, geometry: Geometry, spatial: int, adaptive: bool) -> tuple[Array, Array]:
    shape = (*input.shape[: input.ndim - spatial], *geometry[-1][3 - spatial :])
    values = arrays.result(input, shape)
    indices = arrays.empty(shape, np.dtype(np.int64), input.device)
    x = in_order(input)
    per_element.run(maxima, values.size, input.dtype, x, values, indices, geometry, adaptive)
    return values, indices


def max_pool_backward(grad_output: Array, indices: Array, input_shape: Ints, spatial: int) -> Array:
    result = arrays.zeros(tuple(input_shape), grad_output.dtype, grad_output.device)
    windows, size = prod(grad_output.shape[-spatial:]), prod(input_shape[-spatial:])
    grad, positions = in_order(grad_output), in_order(indices)
    if grad.size:
        note = word_for(result.device), ticket("max_pool_backward", len(input_shape) - spatial)
        per_element.run(added_at, grad.size, result.dtype, grad, positions, result, *note, windows, size)
        raise_at_once(result.device)
    return result


def max_unpool(input: Array, indices: Array, kernel: Ints, stride: Ints, padding: Ints, output_size: Ints) -> Array:
    lead, area = input.shape[: -len(kernel)], prod(input.shape[-len(kernel) :])
    zeros = arrays.result_of_zeros(input, (*lead, prod(output_size)))
    rows = (*lead, area)
    result = scatter(zeros, len(lead), in_order(indices).reshape(rows), in_order(input).reshape(rows))
    return result.reshape((*lead, *output_size))


def avg_pool(input: Array, *window: Any) -> Array:
    geometry, padded, divisor, spatial = means_of(input.shape, *window)
    return mean(input, geometry, spatial, False, padded, divisor)


def avg_pool_backward(grad_output: Array, input_shape: Ints, *window: Any) -> Array:
    geometry, padded, divisor, _ = means_of(input_shape, *window)
    return scatter_grad(grad_output, input_shape, geometry, False, padded, divisor)


def adaptive_avg_pool(input: Array, output_size: Ints, spatial: int) -> Array:
    return mean(input, covering(input.shape, output_size), spatial, True, False, 0)


def adaptive_avg_pool_backward(grad_output: Array, input_shape: Ints, spatial: int) -> Array:
    geometry = covering(input_shape, grad_output.shape[-spatial:])
    return scatter_grad(grad_output, input_shape, geometry, True, False, 0)


def means_of(
    shape: Ints, kernel: Ints, stride: Ints, padding: Ints, ceil_mode: bool, count_include_pad: bool,
    divisor_override: int | None, spatial: int,
) -> tuple[Geometry, bool, int, int]:  # fmt: skip
    geometry = sliding(shape, kernel, stride, padding, (1,) * spatial, ceil_mode)
    return geometry, count_include_pad, divisor_override or 0, spatial


def mean(input: Array, geometry: Geometry, spatial: int, adaptive: bool, padded: bool, divisor: int) -> Array:
    shape = (*input.shape[: input.ndim - spatial], *geometry[-1][3 - spatial :])
    result = arrays.result(input, shape)
    per_element.run(means, result.size, input.dtype, in_order(input), result, geometry, adaptive, padded, divisor)
    return result


def scatter_grad(
    grad_output: Array, input_shape: Ints, geometry: Geometry, adaptive: bool, padded: bool, divisor: int
) -> Array:
    result = arrays.result(grad_output, tuple(input_shape))
    args = in_order(grad_output), result, geometry, adaptive, padded, divisor
    per_element.run(means_back, result.size, result.dtype, *args)
    return result


def sliding(shape: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool) -> Geometry:
    sizes = shape[-len(kernel) :]
    along = zip(sizes, kernel, stride, padding, dilation, strict=True)
    counts = tuple(pool_size(n, k, s, p, d, ceil_mode) for n, k, s, p, d in along)
    return tuple(
        (fill,) * (3 - len(kernel)) + tuple(values)
        for fill, values in zip((1, 1, 1, 0, 1, 1), (sizes, kernel, stride, padding, dilation, counts), strict=True)
    )


def covering(shape: Ints, counts: Ints) -> Geometry:
    full = [(1,) * (3 - len(counts)) + tuple(values) for values in (shape[-len(counts) :], counts)]
    ones = (1, 1, 1)
    return full[0], ones, ones, (0, 0, 0), ones, full[1]
