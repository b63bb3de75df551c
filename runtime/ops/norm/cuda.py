"""Norms on a device: row programs for rows with a weight for each place, and for channels with one each.

What has weights of another shape is put together of several kernels (`cuda_any.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching.rows import Rows, compute, in_order, program
from ..reduction.cuda import sum_to_size
from .cpu_layout import layout_of
from .cuda_any import standardize_any, standardize_backward_any
from .cuda_layout import kind_of

Ints = tuple[int, ...]
Maybe = DeviceArray | None


def standardize(
    input: DeviceArray, weight: Maybe, bias: Maybe, dim: Ints, affine_shape: Ints, eps: float
) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
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
    output_mask: Sequence[bool],
    grad: DeviceArray,
    input: Maybe,
    weight: Maybe,
    mean: DeviceArray,
    var: DeviceArray,
    dim: Ints,
    affine_shape: Ints,
    eps: float,
) -> Sequence[Maybe]:
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
    return [
        match if is_requested else None for match, is_requested in zip((result, share, shift), output_mask, strict=True)
    ]


def standardize_groups(
    input: DeviceArray, weight: Maybe, bias: Maybe, groups: int, eps: float
) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
    shape = (groups, input.shape[1] // groups, 1)
    result, mean, var = standardize(grouped(input, groups), weight, bias, (2, 3), shape, eps)
    return result.reshape(input.shape), mean, var


def standardize_groups_backward(
    output_mask: Sequence[bool],
    grad: DeviceArray,
    input: Maybe,
    weight: Maybe,
    mean: DeviceArray,
    var: DeviceArray,
    groups: int,
    eps: float,
) -> Sequence[Maybe]:
    x = None if input is None else grouped(input, groups)
    shape = (groups, grad.shape[1] // groups, 1)
    return standardize_backward(output_mask, grouped(grad, groups), x, weight, mean, var, (2, 3), shape, eps)


def grouped(array: DeviceArray, groups: int) -> DeviceArray:
    samples, channels = array.shape[:2]
    space = array.size // max(samples * channels, 1)
    return in_order(array).reshape(samples, groups, channels // groups, space)


def normalize_by(
    input: DeviceArray, mean: DeviceArray, var: DeviceArray, weight: Maybe, bias: Maybe, eps: float
) -> DeviceArray:
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


def new(like: DeviceArray, shape: Ints) -> DeviceArray:
    return memory.result(like, shape)


def empty_like(x: DeviceArray) -> DeviceArray:
    return new(x, x.shape)


def table(values: Maybe, neutral: float, like: DeviceArray, shape: Ints) -> DeviceArray:
    """Weights or shifts in row order; `neutral` everywhere in place of None."""
    if values is not None:
        return in_order(values)
    made = memory.scratch(like, (prod(shape),))
    memory.fill(made, neutral)
    return made
