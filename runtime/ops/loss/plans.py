"""Plans of cross-entropy, of the negative log-likelihood of class indices, of their gradients, and of a check."""

from math import prod

from ...kernels.cpu.plan import Ints, Layout, Plan, Step, are_contiguous
from . import cpu_cross_entropy_loops as loops
from . import cpu_loops as nll_loops


def require_unit_interval(x: Layout, target: Layout) -> Plan | None:
    if not are_contiguous(x, target):
        return None
    return (Step(nll_loops.refuse_outside, (0, 1), ((0, ()),), work=prod(x.shape), masks=(0,)),)


def cross_entropy(
    x: Layout, target: Layout, weight: Layout | None, reduction: int, ignore_index: int, label_smoothing: float
) -> Plan | None:
    if not are_contiguous(x, target, weight):
        return None
    sizes = _sizes_of(x, target)
    block = 1 if sizes[2:] else loops.BLOCK
    blocks = -(-sizes[0] // block)
    sums = (2, (6 * blocks,))  # a result that is not given: at least eight bytes for each
    results = ((0, () if reduction else target.shape), (1, (prod(target.shape) + 1,)), sums)
    loop, ints = loops.losses_of_columns if sizes[2:] else loops.losses_of_rows, (*sizes, reduction, ignore_index)
    return (
        Step(loop, (0, 1, 2), results, (label_smoothing,), ints, (sizes[0], block)),
        Step(loops.finish_losses, (), results, (), (blocks, reduction)),
    )


def cross_entropy_backward(
    grad: Layout, x: Layout, target: Layout, weight: Layout | None, saved_state: Layout, reduction: int,
    ignore_index: int, label_smoothing: float,
) -> Plan | None:  # fmt: skip
    if not are_contiguous(grad, x, target, weight, saved_state):
        return None
    sizes = _sizes_of(x, target)
    loop = loops.losses_of_columns_backward if sizes[2:] else loops.losses_of_rows_backward
    ints = (*sizes, reduction, ignore_index)
    return (Step(loop, (0, 1, 2, 3, 4), ((0, x.shape),), (label_smoothing,), ints, (sizes[0], 1)),)


def _sizes_of(x: Layout, target: Layout) -> Ints:
    if len(target.shape) < 2:
        return prod(x.shape[:-1]), x.shape[-1]
    return *x.shape[:2], prod(target.shape) // max(x.shape[0], 1)


def nll_loss(x: Layout, target: Layout, weight: Layout | None, reduction: int, ignore_index: int) -> Plan | None:
    if not are_contiguous(x, target, weight):
        return None
    results = (0, () if reduction else target.shape), (1, ())
    ints = (*_nll_sizes_of(x.shape), reduction, ignore_index)
    return (Step(nll_loops.negative_likelihoods, (0, 1, 2), results, (), ints, work=prod(target.shape)),)


def nll_loss_backward(
    grad: Layout, target: Layout, weight: Layout | None, total_weight: Layout, input_shape: Ints, reduction: int,
    ignore_index: int,
) -> Plan | None:  # fmt: skip
    fits = grad.shape == (() if reduction else target.shape)
    if not fits or not are_contiguous(grad, target, weight, total_weight):
        return None
    shape, ints = tuple(input_shape), (*_nll_sizes_of(input_shape), reduction, ignore_index)
    return (Step(nll_loops.negative_likelihoods_backward, (0, 1, 2, 3), ((0, shape),), (), ints),)


def _nll_sizes_of(shape: Ints) -> Ints:
    batch, classes = (1, shape[0]) if len(shape) == 1 else shape[:2]
    return batch, classes, prod(shape[2:])
