"""Maximum pooling with windows that slide: the greatest of shifted planes, as convolution adds them up."""

from __future__ import annotations

from math import prod

import numpy as np

from ...kernels.jit import jit
from ..conv.cpu_geometry import Geometry
from ..conv.cpu_packing import flat_steps, layout_of_numbers, pack_planes
from ..conv.cpu_shifted import forward_plan

Array = np.ndarray


def maxima_plan(g: Geometry) -> tuple[Array, ...]:
    """The arguments of `sliding_maxima`: packed planes, taps, offsets of taps from a window's place, and these places.

    Windows are numbered as columns of the packed planes, among which are some that belong to none.
    """
    plan, steps = forward_plan(g), flat_steps(g.sizes)
    small = np.int32 if prod(g.sizes) < 1 << 31 else np.int64
    behind = [sum(j * d * n for j, d, n in zip(tap, g.dilation, steps, strict=True)) for tap in np.ndindex(*g.kernel)]
    columns = np.arange(plan.tasks[0, 2])
    pitch0, pitch1 = plan.layout[7:9]
    counts = columns // pitch0, columns % pitch0 // pitch1, columns % pitch0 % pitch1
    along = zip(counts, g.stride, g.pads, steps, strict=True)
    places = sum((count * s - pad) * n for count, s, pad, n in along)
    return plan.layout, plan.parts, plan.tasks[0], plan.taps, np.array(behind, small), np.asarray(places)


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
    places: Array,
    done: Array,
    first: int,
    last: int,
) -> None:
    """The greatest of each window of some planes, NaN before all, and its place in the plane; the first of equals.

    A plane is done if each of its windows has something above minus infinity, else some have no place.
    """
    here = layout_of_numbers(layout)
    packed = np.full(here.size, -np.inf, x.dtype)
    found = np.empty(places.size, behind.dtype)
    straight = places.size == values.shape[1]
    scratch = np.empty(0 if straight else places.size, x.dtype)
    for plane in range(first, last):
        source = x[plane]
        if here.size:
            pack_planes(source, here, parts, packed)
            source = packed
        best = values[plane] if straight else scratch
        best[:] = -np.inf
        found[:] = -1
        for tap in range(behind.size):
            _take_greater(source[taps[0, tap] : taps[0, tap] + places.size], best, found, behind[tap])
        if straight:
            done[plane] = _place(found, places, indices[plane])
            continue
        done[plane] = True
        for line in range(task[3] * task[4]):
            start, to = line // task[4] * here.pitch0 + line % task[4] * here.pitch1, line * task[5]
            _copy(best[start : start + task[5]], values[plane, to:])
            done[plane] &= _place(found[start : start + task[5]], places[start:], indices[plane, to:])


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
def _place(found: Array, places: Array, indices: Array) -> bool:
    """The places in the plane of elements so far behind those of their windows; whether there are all."""
    least = np.int64(0)
    for k in range(found.size):
        indices[k] = found[k] + places[k]
        least = min(least, np.int64(found[k]))
    return bool(least >= 0)
