"""Division by the root mean square of rows on a device: the kernels of RMS norm as row programs."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...cuda.array import DeviceArray
from ...cuda.launching.rows import Rows, compute, in_order, program
from .cuda import Maybe, empty_like, new, table

Ints = tuple[int, ...]


def normalize_rms(input: DeviceArray, weight: Maybe, dim: Ints, eps: float) -> tuple[DeviceArray, DeviceArray]:
    x = in_order(input)
    made = empty_like(x), new(x, (*x.shape[: -len(dim)], *[1] * len(dim)))
    compute(program("normalize_rms"), rows_of_last(x, dim), (x, _weights(weight, x, dim)), made, (eps,))
    return made


def normalize_rms_backward(
    output_mask: Sequence[bool], grad: DeviceArray, input: DeviceArray, weight: Maybe, scales: DeviceArray, dim: Ints
) -> tuple[Maybe, Maybe]:
    g, x, rows = in_order(grad), in_order(input), rows_of_last(input, dim)
    result, sums, scale = None, None, in_order(scales)
    if output_mask[0]:
        result = empty_like(x)
        compute(program("normalize_rms_backward"), rows, (g, x, _weights(weight, x, dim), scale), (result,))
    if output_mask[1]:
        sums = new(x, x.shape[-len(dim) :])
        columns = Rows("columns", rows.along, rows.amount, (rows.amount, rows.along))
        compute(program("rms_weight_sums"), columns, (g, x, scale), (sums,))
    return result, sums


def rows_of_last(x: DeviceArray, dim: Ints) -> Rows:
    along = prod(x.shape[-len(dim) :])
    return Rows("rows", prod(x.shape[: -len(dim)]), along, (along,))


def _weights(weight: Maybe, x: DeviceArray, dim: Ints) -> DeviceArray:
    return table(weight, 1, x, x.shape[-len(dim) :])
