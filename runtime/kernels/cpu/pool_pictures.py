"""Maximum pooling with windows that slide: the greatest of shifted pictures, as convolution adds them up."""

from __future__ import annotations

import functools
from math import prod

import numpy as np

from ..jit import jit
from .conv_layout import steps_of
from .conv_pictures import copy_pictures, layout_of
from .conv_plan import Plan, forward_plan
from .conv_sizes import Geometry

Array = np.ndarray


@functools.lru_cache(maxsize=1024)
def greatest_plan(g: Geometry) -> tuple[Plan, Array, Array]:
    """The pictures; how far each tap lies behind the place of its window; and how far apart the windows are.

    The windows' distances, along three dimensions, come with the place of the first one.
    """
    steps = steps_of(g.sizes)
    taps = [sum(j * d * n for j, d, n in zip(tap, g.dilation, steps, strict=True)) for tap in np.ndindex(*g.kernel)]
    apart = [s * n for s, n in zip(g.stride, steps, strict=True)]
    first = -sum(pad * n for pad, n in zip(g.pads, steps, strict=True))
    small = np.int32 if prod(g.sizes) < 1 << 31 else np.int64
    return forward_plan(g), np.array(taps, small), np.array([*apart, first], np.int64)


@jit
def slide(
    x: Array,
    values: Array,
    indices: Array,
    layout: Array,
    parts: Array,
    task: Array,
    taps: Array,
    behind: Array,
    apart: Array,
) -> bool:
    """The greatest of each window of each plane, NaN before all, and its place in the plane; the first of equals.

    False where some window has nothing above minus infinity: no place is found for it.
    """
    here = layout_of(layout)
    pictures = np.full(here.size, -np.inf, x.dtype)
    best, found = np.empty(task[2], x.dtype), np.empty(task[2], behind.dtype)
    all_found = True
    for plane in range(x.shape[0]):
        source = x[plane]
        if here.size:
            copy_pictures(source, here, parts, pictures)
            source = pictures
        best[:] = -np.inf
        found[:] = -1
        for tap in range(behind.size):
            _take_greater(source[taps[0, tap] : taps[0, tap] + task[2]], best, found, behind[tap])
        for line in range(task[3] * task[4]):
            a, b = divmod(line, task[4])
            start, to = a * here.pitch0 + b * here.pitch1, line * task[5]
            _copy(best[start : start + task[5]], values[plane, to:])
            place = a * apart[0] + b * apart[1] + apart[3]
            all_found &= _place(found[start : start + task[5]], place, apart[2], indices[plane, to:])
    return all_found


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
def _place(found: Array, place: int, step: int, indices: Array) -> bool:
    """The places in the plane of elements so far behind those of their windows; whether there are all."""
    least = np.int64(0)
    for k in range(found.size):
        indices[k] = found[k] + place + k * step
        least = min(least, np.int64(found[k]))
    return least >= 0
