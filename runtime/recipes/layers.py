"""Recipes of layer norm and of cross-entropy, and of their gradients."""

from __future__ import annotations

from math import prod

from ..kernels.cpu import flat_layers
from ..kernels.cpu.cross_entropy_loops import BLOCK
from ..kernels.cpu.standardized import layout_of
from ..kernels.cpu.standardized_rows import FLUSH
from ..recipe import Ints, Layout, Recipe, Step


def standardize(
    x: Layout, weight: Layout | None, bias: Layout | None, dim: Ints, affine_shape: Ints, eps: float
) -> Recipe | None:
    """Rows with a weight and a bias for each of their places."""
    if weight is None or bias is None or not of_rows(x, weight, bias):
        return None
    plan = layout_of(x.shape, dim, affine_shape)
    if plan.kind != "rows" or plan.order or not plan.exact or not prod(x.shape):
        return None
    results = ((0, x.shape), (1, plan.stats_shape), (2, plan.stats_shape))
    return (Step(flat_layers.layer_norm, (0, 1, 2), results, plan.folded, (float(eps),), (plan.folded[0], 1)),)


def standardize_backward(
    wanted: tuple[bool, ...],
    grad: Layout,
    x: Layout | None,
    weight: Layout | None,
    mean: Layout,
    var: Layout,
    dim: Ints,
    affine_shape: Ints,
    eps: float,
) -> Recipe | None:
    """The same, where all three gradients are wanted."""
    if not all(wanted) or x is None or weight is None or not of_rows(grad, x, weight, mean, var):
        return None
    plan = layout_of(x.shape, dim, affine_shape)
    if plan.kind != "rows" or plan.order or not plan.exact or not prod(x.shape):
        return None
    rows, along = plan.folded
    blocks = -(-rows // FLUSH)
    sums = (3, (2 * blocks * along,))
    slopes = ((0, x.shape), sums)
    return (
        Step(flat_layers.layer_norm_slopes, (1, 2, 3, 4, 5), slopes, plan.folded, (float(eps),), (rows, FLUSH)),
        Step(flat_layers.weight_slopes, (), (sums, (1, weight.shape), (2, weight.shape)), (blocks, along)),
    )


def of_rows(*operands: Layout) -> bool:
    """Whether all lie in rows."""
    return all(operand.strides is None for operand in operands)


def cross_entropy(
    x: Layout, target: Layout, weight: Layout | None, reduction: int, ignore_index: int, label_smoothing: float
) -> Recipe | None:
    """Rows of scores without weights."""
    if weight is not None or len(x.shape) != 2 or len(target.shape) != 1 or not of_rows(x, target):
        return None
    rows, constants = x.shape[0], (*x.shape, reduction, ignore_index)
    results = ((0, () if reduction else target.shape), (1, (rows + 1,)), (2, (6 * -(-rows // BLOCK),)))
    return (
        Step(flat_layers.class_losses, (0, 1), results, constants, (float(label_smoothing),), (rows, BLOCK)),
        Step(flat_layers.class_loss, (), results, (rows, reduction)),
    )


def cross_entropy_backward(
    grad: Layout,
    x: Layout,
    target: Layout,
    weight: Layout | None,
    kept: Layout,
    reduction: int,
    ignore_index: int,
    label_smoothing: float,
) -> Recipe | None:
    """The same."""
    if weight is not None or len(x.shape) != 2 or len(target.shape) != 1 or not of_rows(grad, x, target, kept):
        return None
    constants = (*x.shape, reduction, ignore_index)
    results = ((0, x.shape),)
    return (
        Step(flat_layers.class_slopes, (0, 1, 2, 4), results, constants, (float(label_smoothing),), (x.shape[0], 1)),
    )
