"""Kernels of rows on flat memory, as recipes call them: operands, results, then the rows' size and range."""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..places import part_of
from .softmax_loops import log_softmax_backward_rows, log_softmax_rows, softmax_backward_rows, softmax_rows

Array = np.ndarray


@jit(flat=True)
def rows_of(x: Array, along: int, first: int, last: int) -> Array:
    """The rows from `first` on."""
    return part_of(x, first * along, (last - first) * along).reshape((last - first, along))


@jit(flat=True)
def softmax_of(x: Array, out: Array, along: int, first: int, last: int) -> None:
    """Softmax of each row."""
    softmax_rows(rows_of(x, along, first, last), rows_of(out, along, first, last))


@jit(flat=True)
def log_softmax_of(x: Array, out: Array, along: int, first: int, last: int) -> None:
    """Log-softmax of each row."""
    log_softmax_rows(rows_of(x, along, first, last), rows_of(out, along, first, last))


@jit(flat=True)
def softmax_slope(grad: Array, output: Array, out: Array, along: int, first: int, last: int) -> None:
    """The gradient of softmax."""
    given = rows_of(grad, along, first, last), rows_of(output, along, first, last)
    softmax_backward_rows(*given, rows_of(out, along, first, last))


@jit(flat=True)
def log_softmax_slope(grad: Array, output: Array, out: Array, along: int, first: int, last: int) -> None:
    """The gradient of log-softmax."""
    given = rows_of(grad, along, first, last), rows_of(output, along, first, last)
    log_softmax_backward_rows(*given, rows_of(out, along, first, last))
