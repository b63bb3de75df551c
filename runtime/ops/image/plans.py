"""Plans of contiguous floats: padding them by what lies at their borders, resampling them, and the transposes."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...kernels.cpu.plan import Ints, Layout, Plan, Step
from . import cpu_loops as loops
from .cpu_padding import box_of, tables_of
from .cpu_resample import Rows, filter_rows, transposed_rows


def border_pad(x: Layout, pad: Ints, mode: str) -> Plan | None:
    padded, tables = len(pad) // 2, tables_of(x.shape, pad, mode)
    shape = (*x.shape[:-padded], *map(len, tables[3 - padded : 3]))
    if x.strides is not None or not prod(shape):
        return None
    tables = [*tables, box_of(x.shape[-padded:])]
    rows, row = (prod(x.shape[:-padded]), 1), prod(shape[-padded:])
    return (Step(loops.gathered_boxes, (0,), ((0, shape),), rows=rows, tables=tuple(tables), row=row),)


def border_pad_backward(grad: Layout, input_shape: Ints, pad: Ints, mode: str) -> Plan | None:
    if grad.strides is not None or not prod(grad.shape):
        return None
    padded, shape = len(pad) // 2, tuple(input_shape)
    tables = (*tables_of(shape, pad, mode), box_of(shape[-padded:]))
    rows, row = (prod(shape[:-padded]), 1), prod(shape[-padded:])
    return (Step(loops.collected_boxes, (0,), ((0, shape),), rows=rows, tables=tables, row=row),)


def resample(x: Layout, dim: int, length: int, *kind: Any) -> Plan | None:
    """x resampled to `length` elements along `dim`; `kind` is filter, align_corners, scale and antialias."""
    return None if _is_strided(x) else _weighted(x.shape, dim, length, filter_rows(x.shape[dim], length, *kind))


def resample_backward(grad: Layout, dim: int, length: int, *kind: Any) -> Plan | None:
    return (
        None
        if _is_strided(grad)
        else _weighted(grad.shape, dim, length, transposed_rows(length, grad.shape[dim], *kind))
    )


def _is_strided(x: Layout) -> bool:
    return x.strides is not None or not prod(x.shape)


def _weighted(shape: Ints, dim: int, length: int, rows: Rows) -> Plan:
    """The call for sums by a matrix of weights, which take the place of a dimension."""
    before, size, behind = shape[:dim], shape[dim], shape[dim + 1 :]
    outer, inner = prod(before), prod(behind)
    weights = np.ascontiguousarray(rows.weights, np.float64).view(np.int64)
    tables = *[np.ascontiguousarray(a, np.int64) for a in (rows.starts, rows.columns)], weights
    parts = -(-outer // loops.LINES) if inner == 1 else outer * length
    return (
        Step(
            loops.resampled,
            (0,),
            ((0, (*before, length, *behind)),),
            ints=(size, length, inner),
            rows=(parts, 1),
            work=rows.weights.size * outer * inner,
            tables=tables,
        ),
    )
