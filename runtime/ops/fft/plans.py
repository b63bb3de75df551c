"""Which calls compute Fourier transforms of rows, and of small matrices, for given layouts and arguments."""

from __future__ import annotations

from math import prod

import numpy as np

from ...kernels.cpu.plan import Ints, Layout, Plan, Step, for_complex
from .cpu import WORK, matrix_call, row_call, scale_of
from .cpu_loops import COMPLEX, HALF, WHOLE, mirror_each, transform_either
from .cpu_matrices import takes_matrix, transform_either_matrices
from .cpu_tables import radices

LINE = 8  # integers of a line of the cache, at which each part of a table begins


@for_complex
def fft_c2c(x: Layout, dim: Ints, normalization: int, forward: bool) -> Plan | None:
    """Rows of numbers, and matrices of real ones, whose lengths have passes; else the general path."""
    if x.strides is not None or 0 in x.shape:
        return None
    if x.complex and ends_with(x, dim, 1) and radices(x.shape[-1]):
        scale = scale_of(x.shape[-1:], normalization)
        return rows_plan(x.shape, x.shape[-1], COMPLEX, scale, forward, 1.0, x.shape)
    if not x.complex and ends_with(x, dim, 2) and all(map(radices, x.shape[-2:])) and takes_matrix(*x.shape[-2:]):
        return matrices_plan(x.shape, scale_of(x.shape[-2:], normalization), forward)
    if not x.complex and ends_with(x, dim, 1) and halves(x.shape[-1]):
        return symmetric_plan(x.shape, scale_of(x.shape[-1:], normalization), forward)
    return None


def symmetric_plan(shape: Ints, scale: float, forward: bool) -> Plan:
    """The calls for rows of real numbers: half of the spectrum, and the rest of it by that."""
    n, rows = shape[-1] // 2, prod(shape[:-1])
    (half,) = rows_plan(shape, n, HALF, scale, True, 1.0, shape)
    half = half._replace(results=((1, (*shape[:-1], n + 1)),), complexes=(1,))
    ints, work = (n, int(not forward)), prod(shape)
    return (half, Step(mirror_each, (~1,), ((0, shape),), (), ints, (rows, 1), work, complexes=(0,)))


def fft_r2c(x: Layout, dim: Ints, normalization: int, pairs: float) -> Plan | None:
    """Rows of an even length that has passes."""
    if x.strides is not None or 0 in x.shape or not ends_with(x, dim, 1) or not halves(x.shape[-1]):
        return None
    n, scale = x.shape[-1] // 2, scale_of(x.shape[-1:], normalization)
    return rows_plan(x.shape, n, HALF, scale, True, pairs, (*x.shape[:-1], n + 1))


@for_complex
def fft_c2r(x: Layout, dim: Ints, normalization: int, last: int, pairs: float) -> Plan | None:
    """Rows of complex numbers, to rows of an even length that has passes."""
    if not x.complex or x.strides is not None or 0 in x.shape or not ends_with(x, dim, 1) or not halves(last):
        return None
    return rows_plan(x.shape, last // 2, WHOLE, scale_of([last], normalization), False, pairs, (*x.shape[:-1], last))


def ends_with(x: Layout, dim: Ints, count: int) -> bool:
    """Whether dimensions are so many of the last ones."""
    return len(x.shape) >= count and sorted(dim) == list(range(len(x.shape) - count, len(x.shape)))


def halves(n: int) -> bool:
    """Whether half as many complex numbers have passes."""
    return n % 2 == 0 and radices(n) is not None and bool(radices(n // 2))


def rows_plan(shape: Ints, n: int, kind: int, scale: float, forward: bool, pairs: float, result: Ints) -> Plan:
    """The call for rows of n complex numbers, in either precision."""
    count, tables, ints, unit = prod(shape[:-1]), list[np.ndarray](), [n], 1
    for char in "fd":
        call = row_call(count, n, kind, char, scale, forward, pairs)
        steps, factors, turns, _, block, turned, *_ = call.constants
        tables += [steps.reshape(-1), factors.view(np.int64), turns.view(np.int64)]
        ints += [block, int(turned)]
        unit = max(unit, block)
    numbers, all_ints, written = (scale, pairs), (*ints, kind, int(not forward)), ((0, result),)
    rows, work, complexes = (count, unit), WORK * count * n, () if kind == WHOLE else (0,)
    return (
        Step(transform_either, (0,), written, numbers, all_ints, rows, work, tables=tuple(tables), complexes=complexes),
    )


def matrices_plan(shape: Ints, scale: float, forward: bool) -> Plan:
    """The call for matrices of real numbers, in either precision."""
    columns, steps, tables, ints = shape[-1], list[np.ndarray](), list[np.ndarray](), list[int]()
    for char in "fd":
        along, factors, across, more, turns, n, _, block, turned, *_ = matrix_call(*shape[-2:], char, scale, forward)
        whole, places = in_lines(factors, more, turns)
        steps, tables = [*steps, along.reshape(-1)], [*tables, whole]
        ints += [block, int(turned), *places]
    written, all_ints = ((0, shape),), (n, columns, int(not forward), *ints)
    rows, work, given = (prod(shape[:-2]), 1), WORK * prod(shape), (*steps, across.reshape(-1), *tables)
    return (
        Step(transform_either_matrices, (0,), written, (scale,), all_ints, rows, work, tables=given, complexes=(0,)),
    )


def in_lines(*parts: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Parts one behind the other as integers, each from a multiple of LINE on, and where those behind the first are."""
    words = [part.view(np.int64) for part in parts]
    padded = [np.append(part, np.zeros(-len(part) % LINE, np.int64)) for part in words]
    places = np.cumsum([len(part) for part in padded])[:-1].tolist()
    return np.concatenate(padded), places
