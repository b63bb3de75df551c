"""Cross-entropy on flat memory, as plans call it: operands, results, then ints, then numbers."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.addresses import address, row_at
from .cpu_cross_entropy_loops import BLOCK, finish_losses, losses_of_rows, losses_of_rows_backward

Array = np.ndarray


@jit(flat=True)
def class_losses(
    x: Array,
    target: Array,
    losses: Array,
    kept: Array,
    sums: Array,
    rows: int,
    classes: int,
    reduction: int,
    ignored: int,
    first: int,
    last: int,
    smoothing: float,
) -> None:
    """The losses of a range of rows, unreduced or in sums of blocks."""
    doubles = row_at(0.0, address(sums), (rows + BLOCK - 1) // BLOCK * 3)
    scores, weights = x.reshape((rows, classes)), np.empty(0, x.dtype)
    losses_of_rows(scores, target, weights, reduction, ignored, smoothing, losses, kept, doubles, first, last)


@jit(flat=True)
def class_loss(losses: Array, kept: Array, sums: Array, rows: int, reduction: int) -> None:
    """The loss of all; raises for a target that is no class, whereupon the kernel says so in words."""
    doubles = row_at(0.0, address(sums), (rows + BLOCK - 1) // BLOCK * 3)
    if finish_losses(losses, kept, reduction, doubles) >= 0:
        raise IndexError


@jit(flat=True)
def class_losses_backward(
    grad: Array,
    x: Array,
    target: Array,
    kept: Array,
    out: Array,
    rows: int,
    classes: int,
    reduction: int,
    ignored: int,
    first: int,
    last: int,
    smoothing: float,
) -> None:
    """The gradient of `class_losses`, for a range of rows."""
    shape, weights = (rows, classes), np.empty(0, x.dtype)
    scores, grads = x.reshape(shape), out.reshape(shape)
    losses_of_rows_backward(scores, target, weights, kept, grad, reduction, ignored, smoothing, grads, first, last)
