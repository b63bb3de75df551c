"""Plans of ops whose results are elements of an operand, each dimension for itself: mirrored, turned, repeated, cut. A
dimension is runs: so many elements, from a place on, a step apart, or a value. The last one is a row, copied run by
run, or, where runs are short, several rows at a time by a table of where their elements lie."""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from ...compiler.jit import WRITTEN, jit
from ...device.threads.job import SLICE
from ...shapes import contiguous_strides
from ..llvm.addresses import part_of
from ..llvm.gather import copy_elements, reverse_elements, take_into
from .plan import Array, Ints, Layout, Plan, Step

SHORT = 16  # elements that a run has at least, on average, to be copied as one
MAX_RUNS = 1 << 12  # of a row or a dimension
MAX_OUTER = 1 << 14  # slices of all dimensions before the last two
MAX_CROSSED = 1 << 16  # elements that are read in another order than that of memory
MAX_ROW_ELEMENTS = 1 << 12  # elements of a row that are found one by one
MIN_RUN_ELEMENTS = 4  # elements of a row's one run that are copied as one between values
BATCH_ELEMENTS = 256  # elements of rows that are found together, about


class Run(NamedTuple):
    """So many elements a step apart, from a place in memory on; where that is -1, a value in their place."""

    start: int
    step: int
    size: int


Runs = list[Run]


def lines(x: Layout) -> list[tuple[int, int]]:
    return list(zip(x.shape, contiguous_strides(x.shape) if x.strides is None else x.strides, strict=True))


def full_run(size: int, step: int) -> Runs:
    return [Run(0, step, size)]


def mirrored(size: int, step: int) -> Runs:
    return [Run((size - 1) * step, -step, size)]


def rolled_run(size: int, step: int, shift: int) -> Runs:
    first = shift % size if size else 0
    return [Run((size - first) * step, step, first), Run(0, step, size - first)]


def bordered(size: int, step: int, before: int, after: int) -> Runs:
    total, remaining = size + before + after, max(size + min(before, 0) + min(after, 0), 0)
    border = min(max(before, 0), total - remaining)
    return [Run(-1, 0, border), Run(max(-before, 0) * step, step, remaining), Run(-1, 0, total - remaining - border)]


def assembled(shape: Ints, dims: Sequence[Runs], value: float = 0) -> Plan | None:
    """The plan of a result of such runs; None where that takes long tables or goes far for neighbours."""
    if min(shape, default=1) <= 0:
        return None
    concatenated = merged_dims([[run for run in runs if run.size] for runs in dims])
    *others, inner, row = [[Run(0, 0, 1)]] * (2 - len(concatenated)) + concatenated
    if max(len(inner), len(row)) > MAX_RUNS or prod(map(length, others)) > MAX_OUTER:
        return None
    if prod(shape) > MAX_CROSSED and is_crossed([*others, inner], row):
        return None
    outer, rows, width = outer_offsets(others), length(inner), length(row)
    tables, total = (outer, flat(inner)), len(outer) * rows
    if width <= BATCH_ELEMENTS and (bordered_row := assembly_of_one_run(shape, (outer, inner, row), value)) is not None:
        return (bordered_row,)
    unit_steps = all(abs(run.step) <= 1 or run.size == 1 for run in row)
    if unit_steps and width >= SHORT * len(row):
        ints, extent = (rows, width), (total * width, SLICE)
        return (Step(assemble_runs, (0,), ((0, shape),), (value,), ints, extent, row=1, tables=(*tables, flat(row))),)
    if width > MAX_ROW_ELEMENTS:
        return None
    return (assembly_of_elements(shape, (outer, inner, row), value),)


def is_crossed(others: Sequence[Runs], row: Runs) -> bool:
    """Whether rows are columns of what they are read from, which then is gone through by squares."""
    max_step = max(abs(run.step) for run in row)
    return any(0 < abs(run.step) < max_step for runs in others for run in runs if run.size > 1)


def assembly_of_one_run(shape: Ints, dims: tuple[Array, Runs, Runs], value: float) -> Step | None:
    outer, inner, row = dims
    read = [k for k, run in enumerate(row) if run.start >= 0]
    if len(read) != 1 or row[read[0]].step != 1 or row[read[0]].size < MIN_RUN_ELEMENTS:
        return None
    rows, width, (start, _, count) = length(inner), length(row), row[read[0]]
    batch = max(1, BATCH_ELEMENTS // width)
    ints, extent = (rows, width, batch, length(row[: read[0]]), start, count), (len(outer) * rows, batch)
    tables = outer, flat(inner)
    return Step(assemble_borders, (0,), ((0, shape),), (value,), ints, extent, row=width, tables=tables)


def assembly_of_elements(shape: Ints, dims: tuple[Array, Runs, Runs], value: float) -> Step:
    outer, inner, row = dims
    rows, width = length(inner), length(row)
    steps = {run.step for run in inner if run.start >= 0 and run.size > 1}
    batch = max(1, BATCH_ELEMENTS // width) if len(steps) < 2 else 1  # rows
    step = steps.pop() if steps else 0
    own = offsets_of(row)
    table = (np.arange(batch)[:, None] * step + np.maximum(own, 0)).reshape(-1)
    fills = (np.arange(batch)[:, None] * width + np.flatnonzero(own < 0)).reshape(-1)
    tables = outer, flat(inner), table, fills
    ints, extent = (rows, width, batch), (len(outer) * rows, batch)
    return Step(assemble_elements, (0,), ((0, shape),), (value,), ints, extent, row=width, tables=tables)


def length(runs: Runs) -> int:
    return sum(run.size for run in runs)


def merged_dims(dims: Sequence[Runs]) -> list[Runs]:
    matches: list[Runs] = []
    for runs in dims:
        matches.append(runs)
        while len(matches) > 1 and (both := merged_runs(matches[-2], matches[-1])) is not None:
            matches[-2:] = [both]
    return matches


def merged_runs(outer: Runs, inner: Runs) -> Runs | None:
    """Two dimensions as one: the inner one is a single run that each step of the outer one goes on with."""
    if len(outer) == outer[0].size == 1:
        return [run_of_both(outer[0], run) for run in inner]
    if len(inner) != 1:
        return None
    start, step, size = inner[0]
    if start >= 0 and size > 1:
        goes_on = all(run.start < 0 or run.size == 1 or run.step == step * size for run in outer)
        if not goes_on or (abs(step) > 1 and length(outer) * size > MAX_ROW_ELEMENTS):
            return None
    return [run_of_both(run, inner[0]) for run in outer]


def run_of_both(outer: Run, inner: Run) -> Run:
    if min(outer.start, inner.start) < 0:
        return Run(-1, 0, outer.size * inner.size)
    step = outer.step if inner.size == 1 else inner.step
    return Run(outer.start + inner.start, step, outer.size * inner.size)


def offsets_of(runs: Runs) -> Array:
    return np.concatenate([run.start + run.step * np.arange(run.size) for run in runs])


def outer_offsets(dims: Sequence[Runs]) -> Array:
    result = np.zeros(1, np.int64)
    for runs in dims:
        own = offsets_of(runs)
        sums = result[:, None] + own
        sums[(result < 0)[:, None] | (own < 0)] = -1
        result = sums.reshape(-1)
    return result


def flat(runs: Runs) -> Array:
    return np.array(runs, np.int64).reshape(-1)


@jit
def find_run(runs: Array, position: int) -> tuple[int, int]:
    r = 0
    while position >= runs[3 * r + 2]:
        position -= runs[3 * r + 2]
        r += 1
    return r, position


@jit
def start_of(outer: int, runs: Array, r: int, i: int) -> int:
    if outer < 0 or runs[3 * r] < 0:
        return -1
    return outer + runs[3 * r] + i * runs[3 * r + 1]


@jit(halves=WRITTEN)
def assemble_runs(
    x: Array, out: Array, outer: Array, inner: Array, row: Array, value: float, rows: int, width: int, first: int,
    last: int,
) -> None:  # fmt: skip
    k = first // width
    q, at = k // rows, first
    r, i = find_run(inner, k % rows)
    part, skip = find_run(row, first - k * width)
    while at < last:
        base = start_of(outer[q], inner, r, i)
        while at < last and 3 * part < row.size:
            count = min(row[3 * part + 2] - skip, last - at)
            write_run(x, start_of(base, row, part, skip), row[3 * part + 1], part_of(out, at, count), value)
            at, part, skip = at + count, part + 1, 0
        q, r, i = following(q, inner, r, i + 1)
        part = 0


@jit
def following(q: int, inner: Array, r: int, i: int) -> tuple[int, int, int]:
    if i < inner[3 * r + 2]:
        return q, r, i
    if 3 * (r + 1) < inner.size:
        return q, r + 1, 0
    return q + 1, 0, 0


@jit(halves=WRITTEN)
def write_run(x: Array, start: int, step: int, to: Array, value: float) -> None:
    if start < 0:
        for i in range(to.size):
            to[i] = value
    elif step == 1:
        copy_elements(to, part_of(x, start, to.size))
    elif step == -1:
        reverse_elements(to, part_of(x, start - to.size + 1, to.size))
    else:  # they are all one
        same = x[start]
        for i in range(to.size):
            to[i] = same


@jit(halves=WRITTEN)
def assemble_elements(
    x: Array, out: Array, outer: Array, inner: Array, table: Array, fills: Array, value: float, rows: int, width: int,
    batch: int, first: int, last: int,
) -> None:  # fmt: skip
    """A range of rows, some at a time: `table` says where elements lie, `fills` which of them are not of x."""
    k, q = first, first // rows
    r, i = find_run(inner, k % rows)
    while k < last:
        count = min(inner[3 * r + 2] - i, last - k, batch)
        base, to = start_of(outer[q], inner, r, i), part_of(out, k * width, count * width)
        if base < 0:
            for j in range(to.size):
                to[j] = value
        else:
            take_into(part_of(x, base, x.size - base), part_of(table, 0, to.size), to)
            for j in range(fills.size // batch * count):
                to[fills[j]] = value
        k += count
        q, r, i = following(q, inner, r, i + count)


@jit(halves=WRITTEN)
def assemble_borders(
    x: Array, out: Array, outer: Array, inner: Array, value: float, rows: int, width: int, batch: int, before: int,
    start: int, count: int, first: int, last: int,
) -> None:  # fmt: skip
    """A range of rows, each of which has one short run of x, from element `before` on, and the value around it."""
    k, q = first, first // rows
    r, i = find_run(inner, k % rows)
    while k < last:
        rows_now = min(inner[3 * r + 2] - i, last - k, batch)
        base, to = start_of(outer[q], inner, r, i), part_of(out, k * width, rows_now * width)
        for j in range(to.size):
            to[j] = value
        if base >= 0:
            copy_rows(x, base + start, inner[3 * r + 1], part_of(to, before, to.size - before), width, count)
        k += rows_now
        q, r, i = following(q, inner, r, i + rows_now)


@jit(halves=WRITTEN)
def copy_rows(x: Array, start: int, step: int, to: Array, width: int, count: int) -> None:
    for at in range(0, to.size, width):
        copy_elements(part_of(to, at, count), part_of(x, start, count))
        start += step
