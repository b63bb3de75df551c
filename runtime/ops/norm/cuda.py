"""Norms on a device: row programs for rows with a weight for each place, and for channels with one each.

With weights of another shape rows are copied together and standardized without; these come before and after.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.arrays import in_order as in_memory_order
from ...kernels.cuda_launch.arrays import permuted
from ...kernels.cuda_launch.per_element import apply, made
from ...kernels.cuda_launch.row_programs import Rows, compute, in_order, program
from ...kernels.scalar import sqrt
from ..reduction.cuda import sum_to_size
from .cpu_layout import layout_of


def scaled(x: Any, weight: Any, bias: Any) -> Any:
    return x * weight + bias


def unit_scaled(x: Any, factor: Any, mean: Any, var: Any, eps: Any) -> Any:
    return (x - mean) / sqrt(var + eps) * factor


Ints = tuple[int, ...]
new = arrays.result
Maybe = Array | None
Three = tuple[Array, Array, Array]


def standardize_any(
    input: Array, weight: Maybe, bias: Maybe, dim: Ints, affine_shape: Ints, eps: float, stats_shape: Ints
) -> Three:
    order, rows = rows_over(input.shape, dim)
    units, mean, var = arrays.scratch(input, input.shape), *(arrays.result(input, stats_shape) for _ in range(2))
    compute(program("standardize_plain"), rows, (merged_view(input, order),), (units, mean, var), (eps,))
    args = restored_order(units, order, input.shape), seen(weight, affine_shape, 1.0), seen(bias, affine_shape, 0.0)
    return made(scaled, input.shape, args), mean, var


def standardize_backward_any(
    output_mask: Sequence[bool], grad: Array, input: Array, weight: Maybe, stats: tuple[Array, Array], dim: Ints,
    affine_shape: Ints, eps: float,
) -> Sequence[Maybe]:  # fmt: skip
    order, rows = rows_over(input.shape, dim)
    result = share = shift = None
    if output_mask[0]:
        weighted = arrays.scratch(grad, grad.shape)
        apply(scaled, grad.dtype, (grad, seen(weight, affine_shape, 1.0), 0.0), weighted)
        value = arrays.result(input, input.shape)
        args = merged_view(weighted, order), merged_view(input, order), *map(in_memory_order, stats)
        compute(program("standardize_plain_backward"), rows, args, (value,), (eps,))
        result = arrays.moved(restored_order(value, order, input.shape))
    if output_mask[1]:
        remaining_dims = tuple(1 if d in dim else n for d, n in enumerate(input.shape))
        factors = (in_memory_order(each).reshape(remaining_dims) for each in stats)
        parts = arrays.scratch(input, input.shape)
        apply(unit_scaled, input.dtype, (input, grad, *factors, eps), parts)
        share = sum_to_size(parts, affine_shape)
    if output_mask[2]:
        shift = sum_to_size(grad, affine_shape)
    return result, share, shift


def rows_over(shape: Ints, dim: Ints) -> tuple[Ints, Rows]:
    remaining_dims = tuple(d for d in range(len(shape)) if d not in dim)
    along = prod(shape[d] for d in dim)
    return (*remaining_dims, *dim), Rows("rows", prod(shape[d] for d in remaining_dims), along, (along,))


def merged_view(array: Array, order: Ints) -> Array:
    return arrays.moved(permuted(array, *order))


def restored_order(array: Array, order: Ints, shape: Ints) -> Array:
    """A view of an array whose memory has dimensions in this order, in the order that they have in a shape."""
    back = sorted(range(len(order)), key=order.__getitem__)
    return permuted(array.reshape(tuple(shape[d] for d in order)), *back)


def seen(values: Maybe, shape: Ints, neutral: float) -> Array | float:
    return neutral if values is None else in_memory_order(values).reshape(shape)


def standardize(
    input: Array, weight: Maybe, bias: Maybe, dim: Ints, affine_shape: Ints, eps: float
) -> tuple[Array, Array, Array]:
    plain = weight is None and bias is None
    kind = kind_of(input.shape, dim, () if plain else affine_shape)
    stats = layout_of(input.shape, dim, affine_shape, plain).stats_shape
    if kind is None:
        return standardize_any(input, weight, bias, dim, affine_shape, eps, stats)
    x = in_order(input)
    made = [empty_like(x), new(x, stats), new(x, stats)]
    tables = () if plain else (table(weight, 1, x, affine_shape), table(bias, 0, x, affine_shape))
    compute(program(kind.forward), kind.rows, (x, *tables), made, (eps,))
    return made[0], made[1], made[2]


def standardize_backward(
    output_mask: Sequence[bool], grad: Array, input: Maybe, weight: Maybe, mean: Array, var: Array, dim: Ints,
    affine_shape: Ints, eps: float,
) -> Sequence[Maybe]:  # fmt: skip
    if input is None:  # only the gradient of the bias is wanted
        return None, None, sum_to_size(grad, affine_shape)
    weightless = weight is None and not any(output_mask[1:])
    kind = kind_of(grad.shape, dim, () if weightless else affine_shape)
    if kind is None:
        return standardize_backward_any(output_mask, grad, input, weight, (mean, var), dim, affine_shape, eps)
    g, x, stats = in_order(grad), in_order(input), (in_order(mean), in_order(var))
    scales = () if weightless else (table(weight, 1, x, affine_shape),)
    result, share, shift = None, None, None
    if kind.with_sums:
        result, share, shift = empty_like(x), new(x, affine_shape), new(x, affine_shape)
        compute(program(kind.backward), kind.rows, (g, x, *scales, *stats), (result, share, shift), (eps,))
    else:
        if output_mask[0]:
            result = empty_like(x)
            compute(program(kind.backward), kind.rows, (g, x, *scales, *stats), (result,), (eps,))
        if any(output_mask[1:]):
            share, shift = new(x, affine_shape), new(x, affine_shape)
            assert kind.sums is not None
            compute(program("weight_sums"), kind.sums, (g, x, *stats), (share, shift), (eps,))
    return [x if yes else None for x, yes in zip((result, share, shift), output_mask, strict=True)]


def standardize_groups(input: Array, weight: Maybe, bias: Maybe, groups: int, eps: float) -> tuple[Array, Array, Array]:
    shape = (groups, input.shape[1] // groups, 1)
    result, mean, var = standardize(grouped(input, groups), weight, bias, (2, 3), shape, eps)
    return result.reshape(input.shape), mean, var


def standardize_groups_backward(
    output_mask: Sequence[bool], grad: Array, input: Maybe, weight: Maybe, mean: Array, var: Array, groups: int,
    eps: float,
) -> Sequence[Maybe]:  # fmt: skip
    """The gradients of weight and bias are in the shape (groups, channels of a group, 1)."""
    x = None if input is None else grouped(input, groups)
    shape = (groups, grad.shape[1] // groups, 1)
    return standardize_backward(output_mask, grouped(grad, groups), x, weight, mean, var, (2, 3), shape, eps)


def grouped(array: Array, groups: int) -> Array:
    samples, channels = array.shape[:2]
    space = array.size // max(samples * channels, 1)
    return in_order(array).reshape(samples, groups, channels // groups, space)


def normalize_by(input: Array, mean: Array, var: Array, weight: Maybe, bias: Maybe, eps: float) -> Array:
    samples, channels = input.shape[:2]
    space = input.size // max(samples * channels, 1)
    x = in_order(input)
    result = empty_like(x)
    scales, shifts = table(weight, 1, x, (channels,)), table(bias, 0, x, (channels,))
    rows = Rows("segments", channels, samples * space, (space, channels * space))
    if input.size:
        args = (x, in_order(mean), in_order(var), scales, shifts)
        compute(program("normalize_by"), rows, args, (result,), (eps,))
    return result


def empty_like(x: Array) -> Array:
    return new(x, x.shape)


def table(values: Maybe, neutral: float, like: Array, shape: Ints) -> Array:
    """Weights or shifts in row order; `neutral` everywhere in place of None."""
    if values is not None:
        return in_order(values)
    made = arrays.scratch(like, (prod(shape),))
    arrays.fill(made, neutral)
    return made


# ---- which row programs compute a norm, and where their rows lie: by shapes alone ------------------------------------


class Kind(NamedTuple):
    """The programs of a norm and their rows. `with_sums` says that the program for the gradient of the input gives
    those of weights as well; if not, `sums` are the rows over which these are added up."""

    forward: str
    backward: str
    rows: Rows
    with_sums: bool = False
    sums: Rows | None = None


@lru_cache(maxsize=1024)
def kind_of(shape: Ints, dim: Ints, affine_shape: Ints) -> Kind | None:
    """The programs for statistics over `dim` with weights of a shape that broadcasts, () for none; None for others."""
    count = len(shape)
    remaining_dims = tuple(d for d in range(count) if d not in dim)
    last = tuple(range(count - len(dim), count))
    ends = dim == last
    before, along = prod(shape[d] for d in remaining_dims), prod(shape[d] for d in dim)
    rows = Rows("rows", before, along, (along,)) if ends else _segments(shape, dim, remaining_dims)
    if rows is None:
        return None
    if not affine_shape:
        return Kind("standardize_plain", "standardize_plain_backward", rows)
    affine = (1,) * (count - len(affine_shape)) + affine_shape
    if ends and affine == (1,) * len(remaining_dims) + shape[len(remaining_dims) :]:
        sums = Rows("columns", along, before, (before, along))
        return Kind("standardize", "standardize_backward", rows, sums=sums)
    if affine == tuple(n if d in remaining_dims else 1 for d, n in enumerate(shape)):
        return Kind("standardize_channel", "standardize_channel_backward", rows, with_sums=True)
    return _groups(shape, affine, along) if ends and before and len(remaining_dims) == 2 else None


def _segments(shape: Ints, dim: Ints, remaining_dims: Ints) -> Rows | None:
    if not remaining_dims or remaining_dims != tuple(range(remaining_dims[0], remaining_dims[-1] + 1)):
        return None
    inner, count = prod(shape[remaining_dims[-1] + 1 :]), prod(shape[d] for d in remaining_dims)
    return Rows("segments", count, prod(shape[d] for d in dim), (inner, count * inner))


def _groups(shape: Ints, affine: Ints, along: int) -> Kind | None:
    samples, groups = shape[:2]
    channels = affine[2] if len(affine) > 2 else 1
    if affine != (1, groups, *([channels] if len(shape) > 2 else []), *[1] * (len(shape) - 3)):
        return None
    if channels not in (1, shape[2]):
        return None
    space = along // channels
    rows = Rows("groups", samples * groups, along, (along, groups, channels, space))
    step = groups * channels * space
    sums = Rows("channels", groups * channels, samples * space, (space, step, groups, channels))
    return Kind("standardize", "standardize_backward", rows, sums=sums)
