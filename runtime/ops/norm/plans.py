"""Plans of layer norm and its gradients."""

from __future__ import annotations

from math import prod

from ...dispatch.plan import Ints, Layout, Plan, Step, of_rows
from .cpu_layout import layout_of
from .cpu_loops import FLUSH, layer_norm, layer_norm_backward_flat, weight_backward_flat


def standardize(
    x: Layout, weight: Layout | None, bias: Layout | None, dim: Ints, affine_shape: Ints, eps: float
) -> Plan | None:
    """Rows with a weight and a bias for each of their places."""
    if weight is None or bias is None or not of_rows(x, weight, bias):
        return None
    plan = layout_of(x.shape, dim, affine_shape)
    if plan.kind != "rows" or plan.order or not plan.exact or not prod(x.shape):
        return None
    results = ((0, x.shape), (1, plan.stats_shape), (2, plan.stats_shape))
    return (Step(layer_norm, (0, 1, 2), results, plan.folded, (float(eps),), (plan.folded[0], 1)),)


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
) -> Plan | None:
    """The plan of the gradients of layer norm, where all three are wanted."""
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
        Step(layer_norm_backward_flat, (1, 2, 3, 4, 5), slopes, plan.folded, (float(eps),), (rows, FLUSH)),
        Step(weight_backward_flat, (), (sums, (1, weight.shape), (2, weight.shape)), (blocks, along)),
    )
