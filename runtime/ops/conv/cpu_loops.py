"""The loops of convolution over samples, groups, tasks and rows; conv_plan.py says what they do."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.shifted import correlated_rows, weighted_rows
from .cpu_layout import LINE
from .cpu_packing import copy_pictures, picture_layout, result_target, spread_results

Array = np.ndarray


ROWS = 4  # channels of the result that are computed together


@jit
def add_shifted(
    x: Array,
    w: Array,
    bias: Array,
    out: Array,
    layout: Array,
    parts: Array,
    tasks: Array,
    taps: Array,
    target: Array,
    first: int,
    last: int,
) -> None:
    """out = bias + the sum over taps of weights times pictures of x, for blocks of channels of samples' groups."""
    here, there = picture_layout(layout), result_target(target)
    pictures = np.zeros(here.size, x.dtype)
    scratch = np.empty(ROWS * there.scratch, x.dtype)
    blocks = (there.channels + ROWS - 1) // ROWS
    for number in range(first // blocks, (last + blocks - 1) // blocks):
        group = number % there.groups
        source = x[number * here.channels * here.channel :]
        if here.size:
            copy_pictures(source, here, parts, pictures)
            source = pictures
        own, own_bias = w[group * (w.size // there.groups) :], bias[group * there.channels :]
        result = out[number * there.channels * there.channel :]
        begin, end = max(first - number * blocks, 0) * ROWS, min((last - number * blocks) * ROWS, there.channels)
        for t in range(tasks.shape[0]):
            _do_task(source, here, own, own_bias, tasks[t], taps, scratch, result, there, begin, end)


@jit
def _do_task(
    source: Array,
    here: Any,
    w: Array,
    bias: Array,
    task: Array,
    taps: Array,
    scratch: Array,
    out: Array,
    there: Any,
    r: int,
    end: int,
) -> None:
    """The channels from r to end of one task's results."""
    taps = taps[:, task[0] : task[1]]
    while r < end:
        rows = block_of(end - r)
        result, own = out[r * there.channel + task[6] :], w[r * there.weight_row :]
        if there.scratch:
            _weigh(rows, source, taps, own, there.weight_row, bias[r:], scratch, there.scratch, task[2])
            spread_results(rows, scratch, here, task, result, there)
        else:
            _weigh(rows, source, taps, own, there.weight_row, bias[r:], result, there.channel, task[2])
        r += rows


@jit
def block_of(left: int) -> int:
    """How many rows the next block has."""
    return ROWS if left >= ROWS else 2 if left >= 2 else 1


@jit
def _weigh(
    rows: int, x: Array, taps: Array, w: Array, w_row: int, bias: Array, out: Array, step: int, columns: int
) -> None:
    places, weights = taps[0], taps[1]
    if rows == ROWS:
        weighted_rows(4, x, places, w, weights, w_row, bias, out, step, columns)
    elif rows == 2:
        weighted_rows(2, x, places, w, weights, w_row, bias, out, step, columns)
    else:
        weighted_rows(1, x, places, w, weights, w_row, bias, out, step, columns)


@jit
def multiply_shifted(
    grad: Array,
    x: Array,
    out: Array,
    slopes: Array,
    slope_parts: Array,
    layout: Array,
    parts: Array,
    places: Array,
    sizes: Array,
    first: int,
    last: int,
) -> None:
    """out += the sum over samples of channels of grad times each tap's view of x, for blocks of groups' channels.

    `sizes` are the columns of a picture, the samples, how many of them are done together, and the groups.
    """
    columns, batch, together, groups = sizes
    left, right = picture_layout(slopes), picture_layout(layout)
    lefts, rights = np.zeros(together * left.size, x.dtype), np.zeros(together * right.size + LINE, x.dtype)
    if left.size and right.size:
        columns = (columns + LINE - 1) // LINE * LINE  # whole vectors: zeros in grad, anything in x
    blocks = (left.channels + ROWS - 1) // ROWS
    for sample in range(0, batch, together):
        count = min(together, batch - sample)
        for group in range(first // blocks, (last + blocks - 1) // blocks):
            g_here, g_step = _side(grad, left, slope_parts, lefts, sample * groups + group, count, groups)
            x_here, x_step = _side(x, right, parts, rights, sample * groups + group, count, groups)
            r, end = max(first - group * blocks, 0) * ROWS, min((last - group * blocks) * ROWS, left.channels)
            while r < end:
                rows = block_of(end - r)
                own, result = g_here[r * left.picture :], out[(group * left.channels + r) * places.size :]
                _correlate(rows, own, left.picture, g_step, x_here, x_step, places, result, count, columns)
                r += rows


@jit
def _side(
    x: Array, layout: Any, parts: Array, pictures: Array, number: int, count: int, groups: int
) -> tuple[Array, int]:
    """The pictures of a group in some samples, and the step from sample to sample."""
    own = layout.channels * layout.channel
    here = x[number * own :]
    if not layout.size:
        return here, groups * own
    for n in range(count):
        copy_pictures(here[n * groups * own :], layout, parts, pictures[n * layout.size :])
    return pictures, layout.size


@jit
def _correlate(
    rows: int,
    g: Array,
    g_row: int,
    g_step: int,
    x: Array,
    x_step: int,
    places: Array,
    out: Array,
    samples: int,
    columns: int,
) -> None:
    if rows == ROWS:
        correlated_rows(4, g, g_row, g_step, x, x_step, places, out, places.size, samples, columns)
    elif rows == 2:
        correlated_rows(2, g, g_row, g_step, x, x_step, places, out, places.size, samples, columns)
    else:
        correlated_rows(1, g, g_row, g_step, x, x_step, places, out, places.size, samples, columns)
