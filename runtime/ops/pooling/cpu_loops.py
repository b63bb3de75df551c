"""The loops of pooling: window by window, for windows of any sizes, and maxima of all windows of a plane at once.

`sliding_maxima` takes the greatest of shifted images, as convolution adds them up.
"""

from __future__ import annotations

from math import prod

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of
from ..conv.cpu_geometry import Geometry
from ..conv.cpu_packing import flat_steps, layout_of_numbers, pack_planes
from ..conv.cpu_shifted import forward_plan

Array = np.ndarray
Ranges = tuple[Array, Array, Array]


@jit
def window_maxima(x: Array, ranges: Ranges, steps: tuple[int, int, int], values: Array, indices: Array) -> None:
    """The greatest of each window, NaN before all, and its index in the flattened plane; the first of equals."""
    (down, along, across), (height, width) = ranges, x.shape[2:]
    for plane, a, b in np.ndindex(values.shape[:3]):
        picture = x[plane]
        for c in range(values.shape[3]):
            i, j, k = down[a, 0], along[b, 0], across[c, 0]
            best, place = picture[i, j, k], (i * height + j) * width + k
            for i in range(down[a, 0], down[a, 1], steps[0]):
                for j in range(along[b, 0], along[b, 1], steps[1]):
                    for k in range(across[c, 0], across[c, 1], steps[2]):
                        value = picture[i, j, k]
                        if value > best or value != value:
                            best, place = value, (i * height + j) * width + k
            values[plane, a, b, c], indices[plane, a, b, c] = best, place


@jit
def window_sums(
    x: Array, down: Array, along: Array, across: Array, out: Array, sizes: Array, first: int, last: int
) -> None:
    """The sums of the windows of some planes, in float64: a window may be all there is.

    Rows are added up first, for all windows side by side. `sizes` are the three of a plane of `x`.
    """
    high, rows, columns = sizes
    line, to = np.empty(columns, np.float64), first * len(down) * len(along) * len(across)
    for plane in range(first, last):
        for a in range(len(down)):
            for b in range(len(along)):
                line[:] = 0
                for i in range(down[a, 0], down[a, 1]):
                    for j in range(along[b, 0], along[b, 1]):
                        row = part_of(x, ((plane * high + i) * rows + j) * columns, columns)
                        for k in range(row.size):
                            line[k] += row[k]
                for c in range(len(across)):
                    out[to] = _sum(part_of(line, across[c, 0], across[c, 1] - across[c, 0]))
                    to += 1


@jit(fastmath={"reassoc"})
def _sum(row: Array) -> float:
    total = 0.0
    for k in range(row.size):
        total += row[k]
    return total


@jit
def add_to_windows(
    shares: Array, down: Array, along: Array, across: Array, out: Array, sizes: Array, first: int, last: int
) -> None:
    """Adds to all elements of each window of some planes, whose three sizes are `sizes`: the transpose of sums.

    Windows side by side are added up to a row first, which is added to all of their rows.
    """
    high, rows, columns = sizes
    line, source = np.empty(columns, out.dtype), first * len(down) * len(along) * len(across)
    for plane in range(first, last):
        for a in range(len(down)):
            for b in range(len(along)):
                line[:] = 0
                for c in range(len(across)):
                    for k in range(across[c, 0], across[c, 1]):
                        line[k] += shares[source]
                    source += 1
                for i in range(down[a, 0], down[a, 1]):
                    for j in range(along[b, 0], along[b, 1]):
                        row = part_of(out, ((plane * high + i) * rows + j) * columns, columns)
                        for k in range(row.size):
                            row[k] += line[k]


@jit
def add_at_indices(grad: Array, indices: Array, result: Array) -> bool:
    """Adds the values of each plane at their indices; False as soon as one is out of bounds."""
    for plane in range(grad.shape[0]):
        grads, positions, totals = grad[plane], indices[plane], result[plane]
        for k in range(grads.size):
            place = positions[k]
            if place < 0 or place >= totals.size:
                return False
            totals[place] += grads[k]
    return True


def maxima_plan(g: Geometry) -> tuple[Array, ...]:
    """The arrays that `sliding_maxima` takes: packed planes, taps, their offsets in a window, and window positions.

    Windows are numbered as columns of the packed planes; some columns belong to no window.
    """
    plan, steps = forward_plan(g), flat_steps(g.sizes)
    small = np.int32 if prod(g.sizes) < 1 << 31 else np.int64
    behind = [sum(j * d * n for j, d, n in zip(tap, g.dilation, steps, strict=True)) for tap in np.ndindex(*g.kernel)]
    columns = np.arange(plan.tasks[2])
    pitch0, pitch1 = plan.layout[7:9]
    counts = columns // pitch0, columns % pitch0 // pitch1, columns % pitch0 % pitch1
    along = zip(counts, g.stride, g.pads, steps, strict=True)
    positions = sum((count * s - pad) * n for count, s, pad, n in along)
    return (
        plan.layout,
        plan.parts,
        plan.tasks,
        plan.taps[: plan.taps.size // 2],
        np.array(behind, small),
        np.asarray(positions),
    )


@jit
def sliding_maxima(
    x: Array,
    values: Array,
    indices: Array,
    layout: Array,
    parts: Array,
    task: Array,
    taps: Array,
    behind: Array,
    positions: Array,
    done: Array,
    first: int,
    last: int,
) -> None:
    """The greatest of each window of some planes, NaN before all, and its index in the plane; the first of equals.

    A plane is done if each of its windows has something above minus infinity, else some have no index.
    """
    here = layout_of_numbers(layout)
    packed = np.full(here.size, -np.inf, x.dtype)
    found = np.empty(positions.size, behind.dtype)
    straight = positions.size == values.shape[1]
    scratch = np.empty(0 if straight else positions.size, x.dtype)
    for plane in range(first, last):
        source = x[plane]
        if here.size:
            pack_planes(source, here, parts, packed)
            source = packed
        best = values[plane] if straight else scratch
        best[:] = -np.inf
        found[:] = -1
        for tap in range(behind.size):
            _take_greater(source[taps[tap] : taps[tap] + positions.size], best, found, behind[tap])
        if straight:
            done[plane] = _write_indices(found, positions, indices[plane])
            continue
        done[plane] = True
        for line in range(task[3] * task[4]):
            start, to = line // task[4] * here.pitch0 + line % task[4] * here.pitch1, line * task[5]
            _copy(best[start : start + task[5]], values[plane, to:])
            done[plane] &= _write_indices(found[start : start + task[5]], positions[start:], indices[plane, to:])


@jit
def _take_greater(seen: Array, best: Array, found: Array, behind: int) -> None:
    for k in range(best.size):
        value = seen[k]
        better = value > best[k] or value != value
        best[k] = value if better else best[k]
        found[k] = behind if better else found[k]


@jit
def _copy(source: Array, to: Array) -> None:
    for k in range(source.size):
        to[k] = source[k]


@jit
def _write_indices(found: Array, positions: Array, indices: Array) -> bool:
    """Indices in the plane: the offsets found plus the positions of the windows; whether every window has one."""
    least = np.int64(0)
    for k in range(found.size):
        indices[k] = found[k] + positions[k]
        least = min(least, np.int64(found[k]))
    return bool(least >= 0)
