"""Kernels of layers on flat memory, as recipes call them: operands, results, then ints, then numbers."""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..places import address, row_at
from .cross_entropy_loops import BLOCK, finish_losses, losses_of_rows, slopes_of_rows
from .standardized_rows import FLUSH, add_blocks, backward_rows, standardize_rows

Array = np.ndarray


@jit(flat=True)
def layer_norm(
    x: Array,
    weight: Array,
    bias: Array,
    out: Array,
    mean: Array,
    var: Array,
    rows: int,
    along: int,
    first: int,
    last: int,
    eps: float,
) -> None:
    """Each row standardised, times the weight, plus the bias."""
    shape = (rows, along)
    standardize_rows(x.reshape(shape), weight, bias, eps, out.reshape(shape), mean, var, first, last)


@jit(flat=True)
def layer_norm_slopes(
    grad: Array,
    x: Array,
    weight: Array,
    mean: Array,
    var: Array,
    out: Array,
    sums: Array,
    rows: int,
    along: int,
    first: int,
    last: int,
    eps: float,
) -> None:
    """The gradients of the rows, and sums of blocks of them."""
    shape = (rows, along)
    given = x.reshape(shape), weight, mean, var
    table = sums.reshape(((rows + FLUSH - 1) // FLUSH, 2, along))
    backward_rows(grad.reshape(shape), *given, eps, out.reshape(shape), table, first, last)


@jit(flat=True)
def weight_slopes(sums: Array, weight_grad: Array, bias_grad: Array, blocks: int, along: int) -> None:
    """The gradients of the weight and of the bias."""
    table = sums.reshape((blocks, 2, along))
    add_blocks(table[:, 0], weight_grad)
    add_blocks(table[:, 1], bias_grad)


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
    """Cross-entropy of rows."""
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
def class_slopes(
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
    """Its gradient."""
    shape, weights = (rows, classes), np.empty(0, x.dtype)
    scores, slopes = x.reshape(shape), out.reshape(shape)
    slopes_of_rows(scores, target, weights, kept, grad, reduction, ignored, smoothing, slopes, first, last)
