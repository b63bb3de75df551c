"""Plans of the negative log-likelihood of class indices and of its gradient."""

from __future__ import annotations

from math import prod

from ...kernels.cpu.plan import Ints, Layout, Plan, Step, are_contiguous
from . import cpu_nll_loops as nll_loops


def nll_loss(x: Layout, target: Layout, weight: Layout | None, reduction: int, ignore_index: int) -> Plan | None:
    if not are_contiguous(x, target, weight):
        return None
    results = (0, () if reduction else target.shape), (1, ())
    ints = (*_nll_sizes_of(x.shape), reduction, ignore_index)
    return (Step(nll_loops.negative_likelihoods, (0, 1, 2), results, (), ints, work=prod(target.shape)),)


def nll_loss_backward(
    grad: Layout,
    target: Layout,
    weight: Layout | None,
    total_weight: Layout,
    input_shape: Ints,
    reduction: int,
    ignore_index: int,
) -> Plan | None:
    fits = grad.shape == (() if reduction else target.shape)
    if not fits or not are_contiguous(grad, target, weight, total_weight):
        return None
    shape, ints = tuple(input_shape), (*_nll_sizes_of(input_shape), reduction, ignore_index)
    return (Step(nll_loops.negative_likelihoods_backward, (0, 1, 2, 3), ((0, shape),), (), ints),)


def _nll_sizes_of(shape: Ints) -> Ints:
    """The scores as (batch, classes, positions)."""
    batch, classes = (1, shape[0]) if len(shape) == 1 else shape[:2]
    return batch, classes, prod(shape[2:])
