"""Loops of sampling at the points of a grid, and of its gradients; the last two arguments are the range.

An image has as many planes as channels, of pixels that lie one after the other; a sample of the grid has `points`.
"""

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import clear, empty_row, part_of
from ...kernels.llvm.gather import take_into
from .cpu_grid_taps import BLOCK, TAPS, TapBuffers, find_taps, tap_buffer_size, tap_buffers


@jit
def sampled_points(
    x: Array, grid: Array, out: Array, image: Array, interpolation: int, padding: int, align: bool, channels: int,
    points: int, first: int, last: int,
) -> None:  # fmt: skip
    """out[n, c, p] = the weighted sum of the pixels of x[n, c] around grid[n, p], for a range of blocks of points."""
    dims, taps, blocks, area = image.size, TAPS[interpolation], (points + BLOCK - 1) // BLOCK, area_of(image)
    block = min(BLOCK, points)
    size = tap_buffer_size(dims, taps, block)
    numbers, positions = empty_row(out.dtype.type(0), size), empty_row(np.int32(0), size)
    held = part_of(numbers, 0, size), part_of(positions, 0, size)  # as memory lives while who makes it has lent it
    buffers = tap_buffers(*held, dims, taps, block)
    tap_weights, inside = empty_row(out.dtype.type(0), taps**dims * block), empty_row(np.int64(0), taps**dims * block)
    for number in range(first, last):
        n, start = number // blocks, number % blocks * BLOCK
        count = min(BLOCK, points - start)
        find_taps(grid, (n * points + start) * dims, count, image, interpolation, padding, align, buffers)
        all = taps**dims * count
        pixels, weights = part_of(buffers[4], 0, all), part_of(buffers[5], 0, all)
        result, safe = part_of(tap_weights, 0, all), part_of(inside, 0, all)
        for k in range(all):
            safe[k] = max(pixels[k], 0)
        for c in range(n * channels, (n + 1) * channels):
            row = part_of(out, c * points + start, count)
            sample_plane(part_of(x, c * area, area), pixels, safe, weights, result, row)


@jit
def scatter_point_grads(
    grad: Array, grid: Array, out: Array, image: Array, interpolation: int, padding: int, align: bool,
    channels: int, points: int, first: int, last: int,
) -> None:  # fmt: skip
    """out[n, c] gets grad[n, c, p] times its weight at the pixels around grid[n, p]; one thread a plane."""
    dims, taps, area = image.size, TAPS[interpolation], area_of(image)
    block = min(BLOCK, points)
    size = tap_buffer_size(dims, taps, block)
    numbers, positions = empty_row(out.dtype.type(0), size), empty_row(np.int32(0), size)
    held = part_of(numbers, 0, size), part_of(positions, 0, size)  # as memory lives while who makes it has lent it
    buffers = tap_buffers(*held, dims, taps, block)
    clear(part_of(out, first * area, (last - first) * area))
    plane = first
    while plane < last:
        n = plane // channels
        end = min(last, (n + 1) * channels)
        for start in range(0, points, BLOCK):
            count = min(BLOCK, points - start)
            find_taps(grid, (n * points + start) * dims, count, image, interpolation, padding, align, buffers)
            pixels, weights = part_of(buffers[4], 0, taps**dims * count), part_of(buffers[5], 0, taps**dims * count)
            for c in range(plane, end):
                row = part_of(grad, c * points + start, count)
                scatter_pixel_grads(row, pixels, weights, part_of(out, c * area, area))
        plane = end


@jit
def sloping_points(
    grad: Array, x: Array, grid: Array, out: Array, image: Array, interpolation: int, padding: int, align: bool,
    channels: int, points: int, first: int, last: int,
) -> None:  # fmt: skip
    """out[n, p, d] = sum_c grad[n, c, p] times the slope of sample (n, c, p) along dimension d, by blocks."""
    dims, taps, blocks, area = image.size, TAPS[interpolation], (points + BLOCK - 1) // BLOCK, area_of(image)
    block = min(BLOCK, points)
    size = tap_buffer_size(dims, taps, block)
    numbers, positions = empty_row(out.dtype.type(0), size), empty_row(np.int32(0), size)
    held = part_of(numbers, 0, size), part_of(positions, 0, size)  # as memory lives while who makes it has lent it
    buffers, sums = tap_buffers(*held, dims, taps, block), empty_row(out.dtype.type(0), taps**dims * block)
    tap_weights, inside = empty_row(out.dtype.type(0), taps**dims * block), empty_row(np.int64(0), taps**dims * block)
    for number in range(first, last):
        n, start = number // blocks, number % blocks * BLOCK
        count = min(BLOCK, points - start)
        find_taps(grid, (n * points + start) * dims, count, image, interpolation, padding, align, buffers)
        all = taps**dims * count
        pixels, total = part_of(buffers[4], 0, all), part_of(sums, 0, all)
        result, safe = part_of(tap_weights, 0, all), part_of(inside, 0, all)
        clear(total)
        for k in range(all):
            safe[k] = max(pixels[k], 0)
        for c in range(n * channels, (n + 1) * channels):
            take_into(part_of(x, c * area, area), safe, result)  # what is nowhere has no slope in the end
            add_products(result, part_of(grad, c * points + start, count), total)
        to = part_of(out, (n * points + start) * dims, count * dims)
        for d in range(dims):
            add_derivatives(total, pixels, buffers, taps, d, dims, buffers[3], to)


@jit(forceinline=True)
def area_of(image: Array) -> int:
    area = 1
    for d in range(image.size):
        area *= image[d]
    return area


@jit
def sample_plane(plane: Array, pixels: Array, positions: Array, weights: Array, tap_weights: Array, row: Array) -> None:
    if pixels.size == row.size:
        take_into(plane, positions, row)
        clear_nowhere(pixels, row)
        return
    take_into(plane, positions, tap_weights)
    if not np.isfinite(plane[0]):  # which stands for those that are nowhere: else their weights of 0 are enough
        clear_nowhere(pixels, tap_weights)
    weigh_pixels(tap_weights, weights, row)


@jit
def clear_nowhere(pixels: Array, tap_weights: Array) -> None:
    zero = tap_weights.dtype.type(0)
    for k in range(tap_weights.size):
        tap_weights[k] = tap_weights[k] if pixels[k] >= 0 else zero


@jit
def weigh_pixels(tap_weights: Array, weights: Array, row: Array) -> None:
    """row[p] = the sum of the pixels of point p times their weights; four are added at a time."""
    count, zero = row.size, row.dtype.type(0)
    for t in range(0, tap_weights.size, 4 * count):
        a, b = part_of(tap_weights, t, count), part_of(tap_weights, t + count, count)
        c, d = part_of(tap_weights, t + 2 * count, count), part_of(tap_weights, t + 3 * count, count)
        u, v = part_of(weights, t, count), part_of(weights, t + count, count)
        w, z = part_of(weights, t + 2 * count, count), part_of(weights, t + 3 * count, count)
        for p in range(count):
            before = row[p] if t else zero
            row[p] = before + (a[p] * u[p] + b[p] * v[p] + c[p] * w[p] + d[p] * z[p])


@jit
def scatter_pixel_grads(row: Array, pixels: Array, weights: Array, plane: Array) -> None:
    """Adds row[p] times their weights to the pixels of each point p."""
    count, fours = row.size, pixels.size // (4 * row.size) * 4 * row.size
    for t in range(0, fours, 4 * count):
        a, b = part_of(pixels, t, count), part_of(pixels, t + count, count)
        c, d = part_of(pixels, t + 2 * count, count), part_of(pixels, t + 3 * count, count)
        u, v = part_of(weights, t, count), part_of(weights, t + count, count)
        w, z = part_of(weights, t + 2 * count, count), part_of(weights, t + 3 * count, count)
        for p in range(count):
            value = row[p]
            if a[p] >= 0:
                plane[np.uint64(a[p])] += value * u[p]
            if b[p] >= 0:
                plane[np.uint64(b[p])] += value * v[p]
            if c[p] >= 0:
                plane[np.uint64(c[p])] += value * w[p]
            if d[p] >= 0:
                plane[np.uint64(d[p])] += value * z[p]
    for t in range(fours, pixels.size, count):
        a, u = part_of(pixels, t, count), part_of(weights, t, count)
        for p in range(count):
            if a[p] >= 0:
                plane[np.uint64(a[p])] += row[p] * u[p]


@jit
def add_products(tap_weights: Array, row: Array, sums: Array) -> None:
    count = row.size
    for t in range(0, tap_weights.size, count):
        pixels, to = part_of(tap_weights, t, count), part_of(sums, t, count)
        for p in range(count):
            to[p] += pixels[p] * row[p]


@jit
def add_derivatives(
    sums: Array, pixels: Array, buffers: TapBuffers, taps: int, dim: int, dims: int, row: Array, out: Array
) -> None:
    """out[p, dim] = the sums of point p times the slopes of their weights along `dim`; `row` is overwritten."""
    count = out.size // dims
    total, factors = part_of(row, 0, count), part_of(row, count, count)
    zero = total.dtype.type(0)
    clear(total)
    for k in range(sums.size // count):
        part, positions, rest = part_of(sums, k * count, count), part_of(pixels, k * count, count), k
        for p in range(count):
            factors[p] = part[p]
        for d in range(dims):
            factor = part_of(buffers[2] if d == dim else buffers[1], (d * taps + rest % taps) * count, count)
            for p in range(count):
                factors[p] *= factor[p]
            rest //= taps
        for p in range(count):
            total[p] += factors[p] if positions[p] >= 0 else zero
    for p in range(count):
        out[p * dims + dim] = total[p]
