"""Kernels of rows on flat memory, as recipes call them: operands, results, then the rows' number, size and range."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from .cpu_loops import log_softmax_backward_rows, log_softmax_rows, softmax_backward_rows, softmax_rows

Array = np.ndarray


@jit(flat=True)
def softmax_of(x: Array, out: Array, rows: int, along: int, first: int, last: int) -> None:
    """Softmax of each row."""
    softmax_rows(x.reshape((rows, along)), out.reshape((rows, along)), first, last)


@jit(flat=True)
def log_softmax_of(x: Array, out: Array, rows: int, along: int, first: int, last: int) -> None:
    """Log-softmax of each row."""
    log_softmax_rows(x.reshape((rows, along)), out.reshape((rows, along)), first, last)


@jit(flat=True)
def softmax_slope(grad: Array, output: Array, out: Array, rows: int, along: int, first: int, last: int) -> None:
    """The gradient of softmax."""
    shape = (rows, along)
    softmax_backward_rows(grad.reshape(shape), output.reshape(shape), out.reshape(shape), first, last)


@jit(flat=True)
def log_softmax_slope(grad: Array, output: Array, out: Array, rows: int, along: int, first: int, last: int) -> None:
    """The gradient of log-softmax."""
    shape = (rows, along)
    log_softmax_backward_rows(grad.reshape(shape), output.reshape(shape), out.reshape(shape), first, last)
