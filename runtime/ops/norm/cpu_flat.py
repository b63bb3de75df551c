"""Layer norm on flat memory, as recipes call it: operands, results, then ints, then numbers."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from .cpu_rows import FLUSH, add_blocks, backward_rows, standardize_rows

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
