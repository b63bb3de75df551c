"""Plans of cross-entropy and its gradient."""

from __future__ import annotations

from ...dispatch.plan import Layout, Plan, Step, of_rows
from .cpu_cross_entropy_loops import BLOCK
from .cpu_flat import class_loss, class_losses, class_losses_backward


def cross_entropy(
    x: Layout, target: Layout, weight: Layout | None, reduction: int, ignore_index: int, label_smoothing: float
) -> Plan | None:
    """Rows of scores without weights."""
    if weight is not None or len(x.shape) != 2 or len(target.shape) != 1 or not of_rows(x, target):
        return None
    rows, constants = x.shape[0], (*x.shape, reduction, ignore_index)
    results = ((0, () if reduction else target.shape), (1, (rows + 1,)), (2, (6 * -(-rows // BLOCK),)))
    return (
        Step(class_losses, (0, 1), results, constants, (float(label_smoothing),), (rows, BLOCK)),
        Step(class_loss, (), results, (rows, reduction)),
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
) -> Plan | None:
    """The plan of the gradient: rows of classes, or nothing where there are weights."""
    if weight is not None or len(x.shape) != 2 or len(target.shape) != 1 or not of_rows(grad, x, target, kept):
        return None
    constants = (*x.shape, reduction, ignore_index)
    results = ((0, x.shape),)
    return (Step(class_losses_backward, (0, 1, 2, 4), results, constants, (float(label_smoothing),), (x.shape[0], 1)),)
