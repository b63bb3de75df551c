"""Which calls compute Fourier transforms for given layouts and arguments: rows, columns, and copies around these."""

import functools
from collections.abc import Sequence
from math import prod

import numpy as np

from ...kernels.cpu.index_map_plans import assembled, bordered, full_run, lines
from ...kernels.cpu.move_plans import MAX_MOVED_ELEMENTS, moved
from ...kernels.cpu.plan import Array, Ints, Layout, Plan, Step, for_complex
from .cpu_calls import each_along, matrices_step, mirror_step, real_rows_step, rows_step, scale_of
from .cpu_loops import COMPLEX, FULL_SPECTRUM, HALF, REAL
from .cpu_radices import radices, resized, with_sizes
from .cpu_real_loops import takes_matrix

SPECTRUM, COPY, ROWS = 1, 2, 3  # results that only the calls use: a half, what is given in rows, and what comes in rows


@for_complex
def fft_c2c(x: Layout, lengths: Ints, dim: Ints, normalization: int, forward: bool) -> Plan | None:
    """Lengths that have passes, of numbers in rows, or of few that are copied into them."""
    shape = with_sizes(x.shape, lengths, dim)
    begin = brought(x, shape, len(shape) - 1) if has_passes(x, lengths) and dim else None
    if begin is None:
        return None
    value, scale = (~COPY if begin else 0), scale_of(lengths, normalization)
    rows, others = len(shape) - 1 in dim, sorted(set(dim) - {len(shape) - 1})
    if x.complex or not rows or shape[-1] % 2:
        kind = COMPLEX if x.complex else REAL
        return (*begin, *each_along(value, 0, shape, dim, kind, scale, forward))
    if others == [len(shape) - 2] and takes_matrix(*shape[-2:]):
        return (*begin, matrices_step(value, shape, scale, forward))
    n = shape[-1] // 2
    half = rows_step(value, SPECTRUM, (*shape[:-1], n + 1), n, HALF, scale, True)
    along = each_along(None, SPECTRUM, (*shape[:-1], n + 1), others, COMPLEX, 1.0, True)
    return (*begin, half, *along, mirror_step(SPECTRUM, shape, others, forward))


def fft_r2c(x: Layout, lengths: Ints, dim: Ints, normalization: int, forward: bool, pairs: float) -> Plan | None:
    last, n = dim[-1], lengths[-1]
    shape = with_sizes(x.shape, lengths, dim)
    begin = brought(x, shape, last) if has_passes(x, lengths) else None
    if begin is None:
        return None
    half, others = (*ended_by(shape, last)[:-1], n // 2 + 1), moved_dims(dim, last)
    output = 0 if last == len(shape) - 1 else ROWS
    value, scale = (~COPY if begin else 0), scale_of(lengths, normalization)
    rows = real_rows_step(value, output, half, n, HALF, scale, forward, pairs)
    return finished((*begin, rows, *each_along(None, output, half, others, COMPLEX, 1.0, forward)), half, last, True)


@for_complex
def fft_c2r(x: Layout, lengths: Ints, dim: Ints, normalization: int, forward: bool, pairs: float) -> Plan | None:
    last, n = dim[-1], lengths[-1]
    shape = with_sizes(x.shape, (*lengths[:-1], n // 2 + 1), dim)
    begin = brought(x, shape, last, True) if has_passes(x, lengths) else None
    if begin is None:
        return None
    half, others = ended_by(shape, last), moved_dims(dim, last)
    value, output = (~COPY if begin else 0), (0 if last == len(shape) - 1 else ROWS)
    along = each_along(None if begin else 0, COPY, half, others, COMPLEX, 1.0, forward)
    scale, reals = scale_of(lengths, normalization), (*half[:-1], n)
    rows = real_rows_step(~COPY if along else value, output, reals, n, FULL_SPECTRUM, scale, forward, pairs)
    return finished((*begin, *along, rows), reals, last, False)


def has_passes(x: Layout, lengths: Ints) -> bool:
    return 0 not in x.shape and not x.halves and have_passes(lengths)


@functools.lru_cache(maxsize=256)
def have_passes(lengths: Ints) -> bool:
    return None not in map(radices, lengths)


def moved_dims(dim: Ints, last: int) -> list[int]:
    return [d - (d > last) for d in dim if d != last]


def ended_by(shape: Ints, last: int) -> Ints:
    return (*shape[:last], *shape[last + 1 :], shape[last])


def brought(x: Layout, shape: Ints, last: int, to_complex: bool = False) -> Plan | None:
    """The call that copies elements into padded rows along a dimension; () where they lie so, None for others."""
    widened, end = to_complex and not x.complex, len(shape) - 1
    if x.strides is None and x.shape == shape and last == end and not widened:
        return ()

    def move(a: Array) -> Array:
        result = np.moveaxis(resized(a, shape), last, end)
        return np.stack([result, np.zeros_like(result)], -1) if widened else result

    plan = moved(in_parts(x), move) if prod(shape) <= MAX_MOVED_ELEMENTS else None
    if plan is None and last == end and not widened:
        own = lines(in_parts(x))
        dims = [bordered(size, step, 0, requested - size) for (size, step), requested in zip(own, shape, strict=False)]
        rest = [full_run(*line) for line in own[len(shape) :]]
        plan = assembled((*shape, *in_parts(x).shape[len(shape) :]), [*dims, *rest])
    return None if plan is None else (copy_of(plan, COPY, 0, x.complex or widened),)


def finished(steps: Sequence[Step], shape: Ints, last: int, is_complex: bool) -> Plan | None:
    """Calls whose result has a dimension at the end that belongs elsewhere, and the one that brings it there."""
    if last == len(shape) - 1:
        return tuple(steps)
    plan = moved(in_parts(Layout(shape, None, is_complex)), lambda a: np.moveaxis(a, len(shape) - 1, last))
    return None if plan is None else (*steps, copy_of(plan, 0, ~ROWS, is_complex))


def in_parts(x: Layout) -> Layout:
    if not x.complex:
        return x
    return Layout((*x.shape, 2), None if x.strides is None else (*[2 * step for step in x.strides], 1))


def copy_of(plan: Plan, output: int, operand: int, is_complex: bool) -> Step:
    """The one call of a plan that moves numbers, or their parts, from an operand to a result."""
    ((_, shape),) = plan[0].results
    results = ((output, shape[:-1] if is_complex else shape),)
    return plan[0]._replace(operands=(operand,), results=results, complexes=(output,) if is_complex else ())
