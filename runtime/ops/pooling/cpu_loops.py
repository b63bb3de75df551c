"""The loops of pooling: window by window, for windows of any sizes, and maxima of all windows of a plane at once.

`sliding_maxima` takes the greatest of shifted images, as convolution adds them up. The last two arguments of a loop are
the range of planes. A table `windows` has three sizes of a plane, the steps between elements of a window, how many
windows there are along each dimension, and (first, end) of each: see `windows_table`.
"""

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_run
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import empty_row, part_of
from ..conv.cpu_geometry import layout_of_numbers, pack_planes
from ..conv.cpu_im2col import add_shifted

RANGES = 9  # where the ranges begin in a table of windows
BATCH_PLANES = 16  # planes whose gradients are spread at once


@jit
def window_maxima(x: Array, values: Array, indices: Array, windows: Array, first: int, last: int) -> None:
    """The greatest of each window, NaN before all, and its index in the flattened plane; the first of equals."""
    for plane in range(first, last):
        plane_maxima(x, values, indices, windows, plane)


@jit
def plane_maxima(x: Array, values: Array, indices: Array, windows: Array, plane: int) -> None:
    """`window_maxima` of one plane: of the columns of rows that windows share first, which are compared by vectors."""
    rows, columns, counts = windows[1], windows[2], part_of(windows, 6, 3)
    size, to = windows[0] * rows * columns, plane * counts[0] * counts[1] * counts[2]
    full = part_of(x, plane * size, size)
    best, idxs = empty_row(x.dtype.type(0), columns), empty_row(np.int64(0), columns)
    for a in range(counts[0]):
        down = part_of(windows, RANGES + 2 * a, 2)
        for b in range(counts[1]):
            along = part_of(windows, RANGES + 2 * (counts[0] + b), 2)
            column_maxima(full, best, idxs, windows, down, along)
            for c in range(counts[2]):
                across = part_of(windows, RANGES + 2 * (counts[0] + counts[1] + c), 2)
                values[to], indices[to] = best_of(best, idxs, across[0], across[1], windows[5])
                to += 1


@jit
def column_maxima(x: Array, best: Array, idxs: Array, windows: Array, down: Array, along: Array) -> None:
    rows, columns = windows[1], best.size
    first = (down[0] * rows + along[0]) * columns
    line = part_of(x, first, columns)
    for k in range(columns):
        best[k], idxs[k] = line[k], first + k
    for i in range(down[0], down[1], windows[3]):
        for j in range(along[0], along[1], windows[4]):
            start = (i * rows + j) * columns
            line = part_of(x, start, columns)
            for k in range(columns):
                value = line[k]
                better = (value > best[k]) | (value != value)
                best[k] = value if better else best[k]
                idxs[k] = start + k if better else idxs[k]


@jit
def best_of(best: Array, idxs: Array, first: int, end: int, step: int) -> tuple[float, int]:
    """The greatest of some columns and its place: the last NaN, else the first of equals."""
    result, position = best[first], idxs[first]
    for k in range(first + step, end, step):
        value, there = best[k], idxs[k]
        greater = value > result or (value == result and there < position)
        if greater or (value != value and (result == result or there > position)):
            result, position = value, there
    return result, position


@jit
def window_means(x: Array, out: Array, windows: Array, divisors: Array, first: int, last: int) -> None:
    """The sums of windows over their divisors, summed in float64: a window may be all there is."""
    counts, size = windows[6:9], windows[0] * windows[1] * windows[2]
    area, halvings = counts[0] * counts[1] * counts[2], _halvings(windows)
    line, halves = np.empty(windows[2], np.float64), np.empty(size if halvings else 0, np.float64)
    for plane in range(first, last):
        source, to = part_of(x, plane * size, size), part_of(out, plane * area, area)
        if halvings:
            _sum_windows(_halved(source, halves, halvings), windows, halvings, line, to)
        else:
            _sum_windows(source, windows, 0, line, to)
        _divide(to, to, divisors)


@jit
def _halvings(windows: Array) -> int:
    """How often neighbours can be added in pairs before windows are: those side by side fill a line and are even."""
    count, result = windows[8], 0
    across = windows[RANGES + 2 * (windows[6] + windows[7]) :]
    width = windows[2] // max(count, 1)
    for c in range(count):
        if across[2 * c] != c * width or across[2 * c + 1] != (c + 1) * width:
            return 0
    while width % 2 == 0 and width * count == windows[2] >> result:
        width, result = width // 2, result + 1
    return result


@jit
def _halved(x: Array, halves: Array, halvings: int) -> Array:
    """The sums of pairs of neighbours, of pairs of these, and so on."""
    size = x.size // 2
    here = part_of(halves, 0, size)
    _add_pairs(x, here)
    for _ in range(halvings - 1):
        there = part_of(halves, size, size // 2)
        _add_pairs(here, there)
        halves, here, size = part_of(halves, size, size), there, size // 2
    return here


@jit
def _add_pairs(x: Array, to: Array) -> None:
    for k in range(to.size):
        to[k] = np.float64(x[2 * k]) + x[2 * k + 1]


@jit
def _sum_windows(x: Array, windows: Array, halvings: int, line: Array, out: Array) -> None:
    counts, rows, columns = windows[6:9], windows[1], windows[2] >> halvings
    across, to = windows[RANGES + 2 * (counts[0] + counts[1]) :], 0
    sums = part_of(line, 0, columns)
    for a in range(counts[0]):
        down = windows[RANGES + 2 * a :]
        for b in range(counts[1]):
            along = windows[RANGES + 2 * (counts[0] + b) :]
            sums[:] = 0
            for i in range(down[0], down[1]):
                for j in range(along[0], along[1]):
                    row = part_of(x, (i * rows + j) * columns, columns)
                    for k in range(row.size):
                        sums[k] += row[k]
            for c in range(counts[2]):
                begin, end = across[2 * c] >> halvings, across[2 * c + 1] >> halvings
                out[to] = _sum(part_of(sums, begin, end - begin)) if end - begin > 1 else sums[begin]
                to += 1


@jit(fastmath={"reassoc"})
def _sum(row: Array) -> float:
    total = 0.0
    for k in range(row.size):
        total += row[k]
    return total


@jit
def _divide(row: Array, to: Array, divisors: Array) -> None:
    like = row.dtype.type
    if divisors.size == 1:
        divisor = like(divisors[0])
        for k in range(row.size):
            to[k] = row[k] / divisor
        return
    for k in range(row.size):
        to[k] = row[k] / like(divisors[k])


@jit
def scatter_mean_grads(grad: Array, out: Array, windows: Array, divisors: Array, first: int, last: int) -> None:
    """The transpose of `window_means`: windows side by side become a row first, which is added to all of their rows."""
    high, rows, columns = windows[0], windows[1], windows[2]
    counts, size = windows[6:9], high * rows * columns
    across, area = windows[RANGES + 2 * (counts[0] + counts[1]) :], counts[0] * counts[1] * counts[2]
    line, shares = np.empty(columns, out.dtype), np.empty(area, out.dtype)
    for plane in range(first, last):
        _divide(part_of(grad, plane * area, area), shares, divisors)
        part_of(out, plane * size, size)[:] = 0
        source = 0
        for a in range(counts[0]):
            down = windows[RANGES + 2 * a :]
            for b in range(counts[1]):
                along = windows[RANGES + 2 * (counts[0] + b) :]
                line[:] = 0
                for c in range(counts[2]):
                    for k in range(across[2 * c], across[2 * c + 1]):
                        line[k] += shares[source]
                    source += 1
                for i in range(down[0], down[1]):
                    for j in range(along[0], along[1]):
                        row = part_of(out, ((plane * high + i) * rows + j) * columns, columns)
                        for k in range(row.size):
                            row[k] += line[k]


@jit
def sliding_means(
    x: Array, out: Array, layout: Array, parts: Array, tasks: Array, taps: Array, target: Array, divisors: Array,
    area: int, first: int, last: int,
) -> None:  # fmt: skip
    """The sums of windows over their divisors: a convolution with ones. `area` counts the windows of a plane."""
    ones = np.ones(taps.size // 2, x.dtype)
    add_shifted(x, ones, ones, out, layout, parts, tasks, taps, target, 0, first, last)
    for plane in range(first, last):
        row = part_of(out, plane * area, area)
        _divide(row, row, divisors)


@jit
def scatter_sliding_mean_grads(
    grad: Array, out: Array, layout: Array, parts: Array, tasks: Array, taps: Array, target: Array, divisors: Array,
    area: int, size: int, first: int, last: int,
) -> None:  # fmt: skip
    """The transpose of `sliding_means`: planes of `area` gradients to planes of `size` elements."""
    ones, shares = np.ones(taps.size // 2, out.dtype), np.empty(BATCH_PLANES * area, out.dtype)
    for plane in range(first, last, BATCH_PLANES):
        count = min(BATCH_PLANES, last - plane)
        for p in range(count):
            _divide(part_of(grad, (plane + p) * area, area), part_of(shares, p * area, area), divisors)
        to = part_of(out, plane * size, count * size)
        add_shifted(shares, ones, ones, to, layout, parts, tasks, taps, target, 0, 0, count)


@jit
def _move_to_indices(
    values: Array, indices: Array, out: Array, area: int, size: int, adds: bool, first: int, last: int
) -> None:
    """Zeros with values at their indices; an IndexError, after all planes, if one is out of bounds."""
    outside = False
    for plane in range(first, last):
        value, positions = part_of(values, plane * area, area), part_of(indices, plane * area, area)
        to = part_of(out, plane * size, size)
        to[:] = 0
        for k in range(value.size):
            position = positions[k]
            if position < 0 or position >= size:
                outside = True
            elif adds:
                to[position] += value[k]
            else:
                to[position] = value[k]
    if outside:
        raise IndexError


@jit
def add_at_indices(grad: Array, indices: Array, out: Array, area: int, size: int, first: int, last: int) -> None:
    _move_to_indices(grad, indices, out, area, size, True, first, last)


@jit
def put_at_indices(values: Array, indices: Array, out: Array, area: int, size: int, first: int, last: int) -> None:
    """The last of several that have one index stays."""
    _move_to_indices(values, indices, out, area, size, False, first, last)


@jit
def sliding_maxima(
    x: Array, values: Array, indices: Array, layout: Array, parts: Array, taps: Array, behind: Array, positions: Array,
    windows: Array, lines: int, line: int, width: int, first: int, last: int,
) -> None:  # fmt: skip
    """As `window_maxima`, which planes are left to in which some window has nothing above minus infinity."""
    here, area = layout_of_numbers(layout), lines * width
    like = x.dtype.type(0)
    packed = empty_row(like, here.size)
    packed[:] = -np.inf
    result = empty_row(np.int32(0), positions.size)
    straight = positions.size == area
    scratch = empty_row(like, 0 if straight else positions.size)
    for plane in range(first, last):
        source = part_of(x, plane * here.channel, here.channel)
        value, index = part_of(values, plane * area, area), part_of(indices, plane * area, area)
        if here.size:
            pack_planes(source, here, parts, packed)
            source = packed
        best = value if straight else scratch
        best[:] = -np.inf
        result[:] = -1
        for tap in range(behind.size):
            _take_greater(part_of(source, taps[tap], positions.size), best, result, np.int32(behind[tap]))
        done = True
        if straight:
            done = _write_indices(result, positions, index)
        for number in range(0 if straight else lines):
            start, to = number // line * here.pitch0 + number % line * here.pitch1, number * width
            copy_run(best, start, value, to, width)
            done &= _write_indices(
                part_of(result, start, width), part_of(positions, start, width), part_of(index, to, width)
            )
        if not done:
            plane_maxima(x, values, indices, windows, plane)


@jit
def _take_greater(seen: Array, best: Array, result: Array, behind: int) -> None:
    for k in range(best.size):
        value = seen[k]
        better = value > best[k] or value != value
        best[k] = value if better else best[k]
        result[k] = behind if better else result[k]


@jit
def _write_indices(result: Array, positions: Array, indices: Array) -> bool:
    """Indices in the plane: the offsets found plus the positions of the windows; whether every window has one."""
    min_value = np.int64(0)
    for k in range(result.size):
        indices[k] = result[k] + positions[k]
        min_value = min(min_value, np.int64(result[k]))
    return bool(min_value >= 0)
