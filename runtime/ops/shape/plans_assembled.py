"""Plans of ops that do to each dimension something of its own: turning, mirroring, and borders; and of triangles."""

from __future__ import annotations

from math import prod

import numpy as np

from ...kernels.cpu.movement.assembled import assembled, bordered, full_run, length, lines, mirrored, rolled_run
from ...kernels.cpu.movement.places import moved
from ...kernels.cpu.plan import Ints, Layout, Plan, is_exact, of_any_dtype, of_any_layout, single, with_integers
from . import cpu_loops as loops


@of_any_layout
@of_any_dtype
def roll(x: Layout, shifts: Ints, dims: Ints) -> Plan | None:
    if not dims:
        return assembled(x.shape, [rolled_run(prod(x.shape), 1, shifts[0])]) if x.strides is None else None
    shift = [
        sum(s for s, dim in zip(shifts, dims, strict=True) if dim % len(x.shape) == d) for d in range(len(x.shape))
    ]
    return assembled(x.shape, [rolled_run(*line, s) for line, s in zip(lines(x), shift, strict=True)])


@of_any_layout
@of_any_dtype
def flip(x: Layout, dims: Ints) -> Plan | None:
    back = {dim % len(x.shape) for dim in dims} if x.shape else set()
    return assembled(x.shape, [(mirrored if d in back else full_run)(*line) for d, line in enumerate(lines(x))])


def padded_full(x: Layout, pad: Ints, value: float) -> Plan | None:
    """As `constant_pad_nd`, of bools and integers: calls take the number as a float64."""
    return constant_pad_nd(x, pad, value) if is_exact(value) else None


@with_integers(padded_full)
@of_any_layout
def constant_pad_nd(x: Layout, pad: Ints, value: float) -> Plan | None:
    pairs = [(0, 0)] * (len(x.shape) - len(pad) // 2) + list(zip(pad[-2::-2], pad[::-2], strict=True))
    dims = [bordered(*line, *pair) for line, pair in zip(lines(x), pairs, strict=True)]
    return assembled(tuple(map(length, dims)), dims, value)


@of_any_dtype
def triu(x: Layout, diagonal: int) -> Plan | None:
    return moved(x, lambda a: np.triu(a, diagonal)) or _triangle(x, diagonal, True)


@of_any_dtype
def tril(x: Layout, diagonal: int) -> Plan | None:
    return moved(x, lambda a: np.tril(a, diagonal)) or _triangle(x, diagonal + 1, False)


def _triangle(x: Layout, diagonal: int, upper: bool) -> Plan | None:
    """Row by row, from the column on that the diagonal is in, or up to it."""
    if x.strides is not None or not prod(x.shape):
        return None
    height, width = x.shape[-2:]
    ints = height, width, max(-height, min(diagonal, width)), int(upper)
    return single(loops.triangle, 1, x.shape, (), ints, (prod(x.shape[:-1]), 1), row=width)
