"""Which pixels of an image each point of a grid reads: along one dimension, then of all dimensions together.

A pixel outside of the image, or of a coordinate that is no number, is NOWHERE: nobody reads or writes it. Taps lie one
row after the other: number k of point p, of `count`, is at k * count + p.
"""

import numpy as np

from ...compiler.jit import jit
from ...kernels.llvm.addresses import part_of
from ...kernels.scalar import floor, round

Array = np.ndarray
TapBuffers = tuple[Array, Array, Array, Array, Array, Array]

BLOCK = 256  # points whose taps are found together
NEAREST, BICUBIC = 1, 2  # ways to interpolate; 0 is linear
TAPS = 2, 1, 4  # pixels that a point reads along one dimension, by the way to interpolate
MAX_PIXELS = 2**31  # of an image, whose places are counted in 32 bits
ZEROS, REFLECTION = 0, 2  # what is outside; 1 is the border
ROWS = 5  # to compute in: coordinates of up to three dimensions, their slopes, and places that are moved
SHARPNESS = -0.75  # the derivative of the bicubic filter at distance 1
NOWHERE = -1


@jit(forceinline=True)
def tap_buffers(numbers: Array, positions: Array, dims: int, taps: int, block: int) -> TapBuffers:
    """Pixels, weights, slopes along each dimension, rows to compute in, twice the pixels and weights of all."""
    along, column_count = dims * taps * block, 2 * taps**dims * block
    return (
        part_of(positions, 0, along),
        part_of(numbers, 0, along),
        part_of(numbers, along, along),
        part_of(numbers, 2 * along, ROWS * block),
        part_of(positions, along, column_count),
        part_of(numbers, 2 * along + ROWS * block, column_count),
    )


@jit(forceinline=True)
def tap_buffer_size(dims: int, taps: int, block: int) -> int:
    return (2 * dims * taps + ROWS + 2 * taps**dims) * block


@jit
def find_taps(
    grid: Array, start: int, count: int, image: Array, interpolation: int, padding: int, align: bool,
    buffers: TapBuffers,
) -> None:  # fmt: skip
    """The taps of `count` points from `start` on, and how weights grow; the sizes of `image` as coordinates come."""
    index, weight, derivative, scratch, pixels, weights = buffers
    dims, taps, step, inner_weight = image.size, TAPS[interpolation], 1, 1
    size = taps * count
    scale, moved = part_of(scratch, 3 * count, count), part_of(scratch, 4 * count, count)
    part_coordinates(part_of(grid, start, count * dims), dims, count, scratch)
    result = part_of(index, 0, size), part_of(weight, 0, size)
    for d in range(dims):
        rows = part_of(index, d * size, size), part_of(weight, d * size, size), part_of(derivative, d * size, size)
        at = part_of(scratch, d * count, count)
        unnormalize(image[d], align, at, scale)
        if interpolation == BICUBIC:
            cubic_taps(at, scale, image[d], padding, align, moved, rows)
        else:
            pad_coordinates(at, image[d], padding, align, scale)
            if interpolation == NEAREST:
                nearest_taps(at, image[d], rows)
            else:
                linear_taps(at, scale, image[d], rows)
        if d > 0:
            half = pixels.size >> 1 if d + 2 == dims else 0  # the last ones are in the first half
            sum_buffers = part_of(pixels, half, inner_weight * size), part_of(weights, half, inner_weight * size)
            join_taps(result, rows, taps, step, count, sum_buffers)
            result = sum_buffers
        step, inner_weight = step * image[d], inner_weight * taps


@jit
def part_coordinates(grid: Array, dims: int, count: int, rows: Array) -> None:
    x, y, z = part_of(rows, 0, count), part_of(rows, count, count), part_of(rows, 2 * count, count)
    if dims == 2:
        for p in range(count):
            x[p], y[p] = grid[2 * p], grid[2 * p + 1]
    else:
        for p in range(count):
            x[p], y[p], z[p] = grid[3 * p], grid[3 * p + 1], grid[3 * p + 2]


@jit
def unnormalize(size: int, align: bool, at: Array, scale: Array) -> None:
    number = at.dtype.type
    factor, shift, one = number((size - 1) / 2 if align else size / 2), number(0 if align else 0.5), number(1)
    for p in range(at.size):
        at[p] = (at[p] + one) * factor - shift
        scale[p] = factor


@jit
def pad_coordinates(at: Array, size: int, padding: int, align: bool, scale: Array) -> None:
    """Places outside moved to the border, or mirrored until they are inside, and what that makes of their slopes."""
    if padding == REFLECTION:
        mirror(at, 0 if align else -0.5, size - 1 if align else size, scale)
    if padding != ZEROS:
        zero, last = at.dtype.type(0), at.dtype.type(size - 1)
        for p in range(at.size):
            position = at[p]
            scale[p] = scale[p] if (position > zero) & (position < last) else zero
            position = zero if position < zero else position
            at[p] = last if position > last else position


@jit
def mirror(at: Array, low: float, width: float, scale: Array) -> None:
    number = at.dtype.type
    first, span, half, zero = number(low), number(width), number(0.5), number(0)
    if width == 0:
        for p in range(at.size):
            at[p] *= zero
        return
    for p in range(at.size):
        away = at[p] - first
        distance = abs(away)
        crossings = floor(distance / span)
        rest, pairs = distance - crossings * span, crossings * half
        even = floor(pairs) == pairs
        at[p] = (rest if even else span - rest) + first
        scale[p] = scale[p] if even == (away >= zero) else -scale[p]


@jit
def nearest_taps(at: Array, size: int, rows: tuple[Array, Array, Array]) -> None:
    index, weight, derivative = rows
    number = at.dtype.type
    zero, one, last = number(0), number(1), number(size - 1)
    for p in range(at.size):
        position = round(at[p])
        index[p] = np.int32(position) if (position >= zero) & (position <= last) else NOWHERE
        weight[p], derivative[p] = one, zero


@jit
def linear_taps(at: Array, scale: Array, size: int, rows: tuple[Array, Array, Array]) -> None:
    (index, weight, derivative), count, number = rows, at.size, at.dtype.type
    zero, one, last = number(0), number(1), number(size - 1)
    for p in range(count):
        low = floor(at[p])
        high, part = low + one, at[p] - low
        index[p] = np.int32(low) if (low >= zero) & (low <= last) else NOWHERE
        index[count + p] = np.int32(high) if (high >= zero) & (high <= last) else NOWHERE
        weight[p], weight[count + p] = one - part, part
        derivative[p], derivative[count + p] = -scale[p], scale[p]


@jit
def cubic_taps(
    at: Array, scale: Array, size: int, padding: int, align: bool, moved: Array, rows: tuple[Array, Array, Array]
) -> None:
    """The four pixels around places, each moved inside by itself; `moved` and, in the end, `scale` are overwritten."""
    (index, weight, derivative), count, number = rows, at.size, at.dtype.type
    zero, last = number(0), number(size - 1)
    for k in range(4):
        positions = part_of(index, k * count, count)
        cubic_weights(at, scale, k - 1, part_of(weight, k * count, count), part_of(derivative, k * count, count))
    for k in range(4):
        positions, step = part_of(index, k * count, count), number(k - 1)
        for p in range(count):
            moved[p] = floor(at[p]) + step
        pad_coordinates(moved, size, padding, align, scale)
        for p in range(count):
            position = moved[p]
            positions[p] = np.int32(position) if (position >= zero) & (position <= last) else NOWHERE


@jit
def cubic_weights(at: Array, scale: Array, k: int, weight: Array, derivative: Array) -> None:
    """The weights of the pixels `k` behind those at or before places."""
    number = at.dtype.type
    one, step, sign, a = number(1), number(k), number(1 if k < 1 else -1), number(SHARPNESS)
    if k == 0 or k == 1:
        third, second = a + number(2), a + number(3)
        steep, even = number(3) * third, number(2) * second
        for p in range(at.size):
            x = (at[p] - floor(at[p]) - step) * sign  # the distance
            weight[p] = (third * x - second) * x * x + one
            derivative[p] = (steep * x - even) * x * (scale[p] * sign)
    else:
        three, four, five, eight, ten = number(3), number(4), number(5), number(8), number(10)
        for p in range(at.size):
            x = (at[p] - floor(at[p]) - step) * sign
            weight[p] = (((x - five) * x + eight) * x - four) * a
            derivative[p] = ((three * x - ten) * x + eight) * a * (scale[p] * sign)


@jit
def join_taps(
    result: tuple[Array, Array],
    rows: tuple[Array, Array, Array],
    taps: int,
    step: int,
    count: int,
    sum_buffers: tuple[Array, Array],
) -> None:
    """The taps that there are with each one of a further dimension, whose pixels are `step` apart."""
    inner_weight, zero = result[0].size, sum_buffers[1].dtype.type(0)
    for k in range(taps):
        index, factor = part_of(rows[0], k * count, count), part_of(rows[1], k * count, count)
        for t in range(0, inner_weight, count):
            before, product = part_of(result[0], t, count), part_of(result[1], t, count)
            to = k * inner_weight + t
            pixels, weights = part_of(sum_buffers[0], to, count), part_of(sum_buffers[1], to, count)
            for p in range(count):
                i, j = before[p], index[p]
                pixels[p] = np.int32(i + j * step) if (i | j) >= 0 else NOWHERE
                weights[p] = product[p] * factor[p] if (i | j) >= 0 else zero
