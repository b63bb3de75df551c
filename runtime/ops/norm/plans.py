"""Plans of standardizing contiguous floats, and of its gradients: of layer, batch, instance and group norm."""

from collections.abc import Sequence
from math import prod
from typing import Any

from ...kernels.cpu.allocate_and_fill import fill
from ...kernels.cpu.plan import Ints, Layout, Plan, Step, are_contiguous
from . import cpu_loops as loops
from . import cpu_scaled_loops as scaled
from . import cpu_statistics_loops as stats
from .cpu_layout import NormLayout, layout_of, layout_of_groups

COLUMNS = 64  # that one thread has, at least
FORWARD = {"columns": loops.standardize_columns, "segments": loops.standardize_segments}
BACKWARD = {"columns": loops.backward_columns, "segments": loops.backward_segments}


def standardize(
    x: Layout, weight: Layout | None, bias: Layout | None, dim: Ints, affine_shape: Ints, eps: float
) -> Plan | None:
    return _forward(layout_of(x.shape, dim, affine_shape, weight is None and bias is None), x, weight, bias, eps)


def standardize_groups(x: Layout, weight: Layout | None, bias: Layout | None, groups: int, eps: float) -> Plan | None:
    return _forward(layout_of_groups(x.shape, groups), x, weight, bias, eps)


def _forward(layout: NormLayout, x: Layout, weight: Layout | None, bias: Layout | None, eps: float) -> Plan | None:
    """The plan where x lies as it is folded; weights and shifts that are not given are filled in."""
    if not _is_folded(layout, *[value for value in (x, weight, bias) if value is not None]):
        return None
    table = Layout(layout.table_shape, None)
    steps = folded(x, weight or table, bias or table, layout, eps)
    missing = [(3 + k, neutral) for k, neutral in enumerate((1.0, 0.0)) if (weight, bias)[k] is None]
    fills = [_filled(output, layout, neutral) for output, neutral in missing]
    operands = 0, 1 if weight else ~3, 2 if bias else ~4
    return (*fills, *[step._replace(operands=operands) for step in steps])


def _filled(output: int, layout: NormLayout, value: float) -> Step:
    return Step(fill, (), ((output, layout.table_shape),), (value,))


def _is_folded(layout: NormLayout, *operands: Layout) -> bool:
    """Whether operands that are not empty lie as a layout folds them, with a table that is just the weights."""
    return are_contiguous(*operands) and not layout.order and layout.exact and prod(layout.shape) > 0


def folded(x: Layout, weight: Layout, bias: Layout, layout: NormLayout, eps: float) -> Plan:
    results = ((0, x.shape), (1, layout.stats_shape), (2, layout.stats_shape))
    return (
        Step(FORWARD[layout.kind], (0, 1, 2), results, (eps,), _sizes_of(layout), _shares_of(layout)),
        Step(scaled.finish_standardized, (0, 1, 2), results, (eps,), _segments_of(layout)),
    )


def _segments_of(layout: NormLayout) -> Ints:
    """The sizes (A, C, S) and (P, Q) of any layout."""
    sizes = layout.folded
    return (*sizes, 1, sizes[1], 1) if layout.kind == "columns" else (*sizes, *layout.table_shape)


def _sizes_of(layout: NormLayout) -> Ints:
    return (*layout.folded, *layout.table_shape) if layout.kind == "segments" else layout.folded


def _shares_of(layout: NormLayout) -> tuple[int, int]:
    return layout.folded[1], COLUMNS if layout.kind == "columns" else 1


def standardize_backward(
    output_mask: tuple[bool, ...], grad: Layout, x: Layout | None, weight: Layout | None, mean: Layout, var: Layout,
    dim: Ints, affine_shape: Ints, eps: float,
) -> Plan | None:  # fmt: skip
    plain = weight is None and not any(output_mask[1:])
    layout = None if x is None else layout_of(x.shape, dim, affine_shape, plain)
    return _backward(layout, output_mask, (grad, x, weight, mean, var), eps)


def standardize_groups_backward(
    output_mask: tuple[bool, ...], grad: Layout, x: Layout | None, weight: Layout | None, mean: Layout, var: Layout,
    groups: int, eps: float,
) -> Plan | None:  # fmt: skip
    layout = None if x is None else layout_of_groups(x.shape, groups)
    return _backward(layout, output_mask, (grad, x, weight, mean, var), eps)


def _backward(
    layout: NormLayout | None, output_mask: tuple[bool, ...], operands: Sequence[Any], eps: float
) -> Plan | None:
    grad, x, weight, mean, var = operands
    if layout is None or x is None or not _is_folded(layout, *[each for each in operands if each is not None]):
        return None
    if weight is not None:
        return folded_backward(output_mask, grad, x, weight, mean, var, layout, eps)
    if any(output_mask[1:]):  # of shifts alone, which have a shape that is not known here
        return None
    ones = 2 * len(output_mask) + 1  # behind the gradients, and those that are not wanted
    table = Layout(layout.table_shape, None)
    steps = folded_backward(output_mask, grad, x, table, mean, var, layout, eps)
    with_ones = [s._replace(operands=tuple([~ones if i == 3 else i for i in s.operands])) for s in steps]
    return (_filled(ones, layout, 1.0), *with_ones)


def folded_backward(
    output_mask: tuple[bool, ...], grad: Layout, x: Layout, weight: Layout, mean: Layout, var: Layout,
    layout: NormLayout, eps: float,
) -> Plan:  # fmt: skip
    """For a folded gradient and array, and a table of weights: the gradients of those of the three that are wanted."""
    operands, sizes = (1, 2, 3, 4, 5), _sizes_of(layout)
    x_grad, *affine = zip(_requested_indices(output_mask), (x.shape, weight.shape, weight.shape), strict=True)
    last = Step(scaled.finish_gradients, (1, 2, 3, 5), (x_grad, *affine), (eps,), _segments_of(layout))
    shares = (layout.table_shape[0], 1) if layout.kind == "segments" else _shares_of(layout)
    return Step(BACKWARD[layout.kind], operands, (x_grad, *affine), (eps,), sizes, shares), last


def _requested_indices(output_mask: tuple[bool, ...]) -> list[int]:
    """The numbers of gradients as results: of those that are not wanted behind all others, for they are not given."""
    return [i if yes else len(output_mask) + 1 + i for i, yes in enumerate(output_mask)]


def normalize_by(
    x: Layout, mean: Layout, var: Layout, weight: Layout | None, bias: Layout | None, eps: float
) -> Plan | None:
    if not are_contiguous(x, mean, var, weight, bias):
        return None
    samples, channels, *sizes = x.shape
    space = prod(sizes)
    operands = (0, 1, 2, 3 if weight else 1, 4 if bias else 1)  # what is not given is not read
    value, result = (weight is not None, bias is not None), ((0, x.shape),)
    if space == 1:
        return (
            Step(stats.normalize_features, operands, result, (eps,), (channels, *value), (samples, 1), row=channels),
        )
    ints, rows = (channels, space, *value), (samples * channels, 1)
    return (Step(stats.normalize_planes, operands, result, (eps,), ints, rows, row=space),)
