"""Kernels of layers on flat memory, as recipes call them: operands, results, then ints, then numbers."""

from __future__ import annotations

import numpy as np

from ..jit import jit
from .cross_entropy_loops import losses_of_rows, slopes_of_rows
from .standardized_rows import backward_rows, standardize_rows

Array = np.ndarray


@jit(flat=True)
def layer_norm(
    x: Array, weight: Array, bias: Array, out: Array, mean: Array, var: Array, rows: int, along: int, eps: float
) -> None:
    """Each row standardised, times the weight, plus the bias."""
    shape = (rows, along)
    standardize_rows(x.reshape(shape), weight, bias, eps, out.reshape(shape), mean, var)


@jit(flat=True)
def layer_norm_slopes(
    grad: Array,
    x: Array,
    weight: Array,
    mean: Array,
    var: Array,
    out: Array,
    weight_grad: Array,
    bias_grad: Array,
    rows: int,
    along: int,
    eps: float,
) -> None:
    """The gradients of the rows, of the weight and of the bias."""
    shape = (rows, along)
    given = x.reshape(shape), weight, mean, var
    backward_rows(grad.reshape(shape), *given, eps, out.reshape(shape), weight_grad, bias_grad)


@jit(flat=True)
def class_losses(
    x: Array,
    target: Array,
    losses: Array,
    kept: Array,
    rows: int,
    classes: int,
    reduction: int,
    ignored: int,
    smoothing: float,
) -> None:
    """Cross-entropy of rows; raises for a target that is no class, whereupon the kernel says so in words."""
    weights = np.empty(0, x.dtype)
    scores = x.reshape((rows, classes))
    if losses_of_rows(scores, target, weights, reduction, ignored, smoothing, losses, kept) >= 0:
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
    smoothing: float,
) -> None:
    """Its gradient."""
    shape, weights = (rows, classes), np.empty(0, x.dtype)
    scores, slopes = x.reshape(shape), out.reshape(shape)
    slopes_of_rows(scores, target, weights, kept, grad, reduction, ignored, smoothing, slopes)
