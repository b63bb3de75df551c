"""The kernels of convolution on a device: windows as columns of a matrix and back, and planes filtered one by one.

Spatial dims are three. `geometry` is their sizes, the kernel's, the strides, the pads, the dilations and the positions.
"""

from typing import Any

from ...kernels.cuda.language import T, cuda

# Texts name these; a kernel has its own in their place.
index: Any = None
W = get_x = get_columns = get_weight = get_bias = get_result = put_columns = put_result = index


def columns_of_windows(x: Any, columns: Any, channels: Any, geometry: Any, steps: Any, total: Any) -> None:
    """columns[sample, (channel, tap), position] = x[sample, channel, place], 0 outside; `steps` of the first two."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        sizes, kernel, stride, pads, dilation, positions = geometry
        q2 = index(i // positions[2])
        p2 = index(i - index(q2 * positions[2]))
        q1 = index(q2 // positions[1])
        p1 = index(q2 - index(q1 * positions[1]))
        q0 = index(q1 // positions[0])
        p0 = index(q1 - index(q0 * positions[0]))
        r2 = index(q0 // kernel[2])
        k2 = index(q0 - index(r2 * kernel[2]))
        r1 = index(r2 // kernel[1])
        k1 = index(r2 - index(r1 * kernel[1]))
        r0 = index(r1 // kernel[0])
        k0 = index(r1 - index(r0 * kernel[0]))
        sample = index(r0 // channels)
        a0 = index(index(index(p0 * stride[0]) + index(k0 * dilation[0])) - pads[0])
        a1 = index(index(index(p1 * stride[1]) + index(k1 * dilation[1])) - pads[1])
        a2 = index(index(index(p2 * stride[2]) + index(k2 * dilation[2])) - pads[2])
        value = T(0)
        if a0 >= 0 and a0 < sizes[0] and a1 >= 0 and a1 < sizes[1] and a2 >= 0 and a2 < sizes[2]:
            value = get_x(x, index(index(index(index(index(r0 * sizes[0]) + a0) * sizes[1]) + a1) * sizes[2]) + a2)
        line = index(q0 - index(sample * index(index(channels * kernel[0]) * index(kernel[1] * kernel[2]))))
        q = index(i - index(q0 * index(positions[0] * index(positions[1] * positions[2]))))
        put_columns(columns, index(index(sample * steps[0]) + index(line * steps[1])) + q, value)


def windows_of_columns(columns: Any, result: Any, channels: Any, geometry: Any, total: Any) -> None:
    """result[sample, channel, place]: the sum of the columns' elements that come from there."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        sizes, kernel, stride, pads, dilation, positions = geometry
        q2 = index(i // sizes[2])
        a2 = index(i - index(q2 * sizes[2]) + pads[2])
        q1 = index(q2 // sizes[1])
        a1 = index(q2 - index(q1 * sizes[1]) + pads[1])
        plane = index(q1 // sizes[0])
        a0 = index(q1 - index(plane * sizes[0]) + pads[0])
        sum = W(0)
        for k0 in range(kernel[0]):
            d0 = index(a0 - index(k0 * dilation[0]))
            p0 = index(d0 // stride[0])
            if d0 >= 0 and index(p0 * stride[0]) == d0 and p0 < positions[0]:
                for k1 in range(kernel[1]):
                    d1 = index(a1 - index(k1 * dilation[1]))
                    p1 = index(d1 // stride[1])
                    if d1 >= 0 and index(p1 * stride[1]) == d1 and p1 < positions[1]:
                        for k2 in range(kernel[2]):
                            d2 = index(a2 - index(k2 * dilation[2]))
                            p2 = index(d2 // stride[2])
                            if d2 >= 0 and index(p2 * stride[2]) == d2 and p2 < positions[2]:
                                line = index(index(index(plane * kernel[0]) + k0) * kernel[1] + k1) * kernel[2] + k2
                                at = index(index(index(line * positions[0]) + p0) * positions[1] + p1) * positions[2]
                                sum = W(sum + get_columns(columns, index(at + p2)))
        put_result(result, i, T(sum))


def filtered(
    x: Any, weight: Any, bias: Any, result: Any, has_bias: Any, channels: Any, each: Any, geometry: Any, total: Any
) -> None:
    """Depthwise: each of `each` outputs of a channel is that channel's plane, filtered."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        sizes, kernel, stride, pads, dilation, positions = geometry
        q2 = index(i // positions[2])
        a2 = index(index(i - index(q2 * positions[2])) * stride[2] - pads[2])
        q1 = index(q2 // positions[1])
        a1 = index(index(q2 - index(q1 * positions[1])) * stride[1] - pads[1])
        plane = index(q1 // positions[0])
        a0 = index(index(q1 - index(plane * positions[0])) * stride[0] - pads[0])
        output = index(plane % index(channels * each))
        source = index(plane // each)
        sum = W(get_bias(bias, output)) if has_bias else W(0)
        for k0 in range(kernel[0]):
            for k1 in range(kernel[1]):
                for k2 in range(kernel[2]):
                    b0, b1 = index(a0 + k0 * dilation[0]), index(a1 + k1 * dilation[1])
                    b2 = index(a2 + k2 * dilation[2])
                    if b0 >= 0 and b0 < sizes[0] and b1 >= 0 and b1 < sizes[1] and b2 >= 0 and b2 < sizes[2]:
                        tap = index(index(index(output * kernel[0]) + k0) * kernel[1] + k1) * kernel[2] + k2
                        at = index(index(index(source * sizes[0]) + b0) * sizes[1] + b1) * sizes[2] + b2
                        sum = W(sum + get_x(x, index(at)) * get_weight(weight, index(tap)))
        put_result(result, i, T(sum))


def filtered_back(x: Any, weight: Any, result: Any, channels: Any, each: Any, geometry: Any, total: Any) -> None:
    """Depthwise: the transpose of `filtered` as a map of the planes; `x` is the gradient of the outputs."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        sizes, kernel, stride, pads, dilation, positions = geometry
        q2 = index(i // sizes[2])
        a2 = index(i - index(q2 * sizes[2]) + pads[2])
        q1 = index(q2 // sizes[1])
        a1 = index(q2 - index(q1 * sizes[1]) + pads[1])
        plane = index(q1 // sizes[0])
        a0 = index(q1 - index(plane * sizes[0]) + pads[0])
        first = index(index(plane % channels) * each)
        sum = W(0)
        for k0 in range(kernel[0]):
            for k1 in range(kernel[1]):
                for k2 in range(kernel[2]):
                    d0, d1 = index(a0 - k0 * dilation[0]), index(a1 - k1 * dilation[1])
                    d2 = index(a2 - k2 * dilation[2])
                    p0, p1, p2 = index(d0 // stride[0]), index(d1 // stride[1]), index(d2 // stride[2])
                    full = index(p0 * stride[0]) == d0 and index(p1 * stride[1]) == d1 and index(p2 * stride[2]) == d2
                    inside = p0 < positions[0] and p1 < positions[1] and p2 < positions[2]
                    if d0 >= 0 and d1 >= 0 and d2 >= 0 and full and inside:
                        for o in range(each):
                            tap = index(index(index(first + o) * kernel[0] + k0) * kernel[1] + k1) * kernel[2] + k2
                            line = index(index(plane * each) + o)
                            at = index(index(index(line * positions[0]) + p0) * positions[1] + p1) * positions[2] + p2
                            sum = W(sum + get_x(x, index(at)) * get_weight(weight, index(tap)))
        put_result(result, i, T(sum))


def biased(result: Any, bias: Any, channels: Any, plane: Any, total: Any) -> None:
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        line = index(i // plane)
        channel = index(line - index(index(line // channels) * channels))
        put_result(result, i, get_result(result, i) + get_bias(bias, channel))
