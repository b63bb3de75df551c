"""Moved elements, arithmetic, products and reductions in ONNX operators, where one line does not say it."""

import math
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from .graph import NUMBERS


def cast(onnx: Any, x: Any, dtype: str) -> Any:
    return x if x.dtype == dtype else onnx.Cast(x, to=NUMBERS[dtype])


def number(onnx: Any, value: float, dtype: str) -> Any:
    return np.array(value, dtype)


def axes(onnx: Any, x: Any, dim: Any) -> list[int]:
    if x.ndim == 0:
        return []
    value = [dim] if isinstance(dim, int) else list(dim or range(x.ndim))
    return [each % x.ndim for each in value]


def split(onnx: Any, x: Any, sizes: Sequence[int], dim: int) -> Any:
    return x.graph.add("Split", (x, list(sizes)), {"axis": dim}, count=len(sizes))


def flat(onnx: Any, x: Any) -> Any:
    return onnx.Reshape(x, [-1])


def permuted(onnx: Any, x: Any, order: Sequence[int]) -> Any:
    return onnx.Transpose(x, perm=[dim % x.ndim for dim in order])


def swapped(onnx: Any, x: Any, first: int, second: int) -> Any:
    order = list(range(x.ndim))
    if order:
        order[first], order[second] = order[second], order[first]
    return permuted(onnx, x, order)


def filled(onnx: Any, shape: Sequence[int], value: Any, dtype: str) -> Any:
    return onnx.Expand(cast(onnx, onnx.Reshape(np.asarray(value), [1] * len(shape)), dtype), list(shape))


def wrapped(onnx: Any, index: Any, size: int) -> Any:
    return onnx.Where(onnx.Less(index, 0), index + size, index)


LAST = 2**63 - 1  # beyond any size: up to the end, or with a minus to the beginning


def sliced(onnx: Any, x: Any, dim: int, start: int | None, stop: int | None, step: int = 1) -> Any:
    return onnx.Slice(x, [start or 0], [LAST if stop is None else stop], [dim], [step])


def narrowed(onnx: Any, x: Any, dim: int, start: int, length: int) -> Any:
    first = start + x.shape[dim] if start < 0 else start
    return onnx.Slice(x, [first], [first + length], [dim])


def flipped(onnx: Any, x: Any, dims: Sequence[int]) -> Any:
    count = len(dims)
    return onnx.Slice(x, [-1] * count, [-LAST] * count, list(dims), [-1] * count) if count else x


def rolled(onnx: Any, x: Any, shifts: Sequence[int], dims: Sequence[int]) -> Any:
    sizes = x.shape
    if not dims:
        return onnx.Reshape(_rolled(onnx, onnx.Reshape(x, [-1]), shifts[0] % max(prod(sizes), 1), 0), list(sizes))
    for shift, dim in zip(shifts, dims, strict=True):
        x = _rolled(onnx, x, shift % max(sizes[dim], 1), dim)
    return x


def _rolled(onnx: Any, x: Any, shift: int, dim: int) -> Any:
    if shift == 0:
        return x
    return onnx.Concat(onnx.Slice(x, [-shift], [LAST], [dim]), onnx.Slice(x, [0], [-shift], [dim]), axis=dim)


def repeated(onnx: Any, x: Any, repeats: Sequence[int]) -> Any:
    missing = list(range(len(repeats) - x.ndim))
    return onnx.Tile(onnx.Unsqueeze(x, missing) if missing else x, list(repeats))


def padded(onnx: Any, x: Any, pad: Sequence[int], value: float) -> Any:
    """More before and behind, or less where that is negative; `pad` has pairs from the last dimension on."""
    befores = [0] * (x.ndim - len(pad) // 2) + list(pad[-2::-2])
    afters = [0] * (x.ndim - len(pad) // 2) + list(pad[::-2])
    grown = onnx.Pad(x, [max(number, 0) for number in befores + afters], value)
    dims = [dim for dim in range(x.ndim) if min(befores[dim], afters[dim]) < 0]
    if not dims:
        return grown
    stops = [afters[dim] if afters[dim] < 0 else LAST for dim in dims]
    return onnx.Slice(grown, [max(-befores[dim], 0) for dim in dims], stops, dims)


def cut(onnx: Any, x: Any, shape: Sequence[int]) -> Any:
    dims = [dim for dim, size in enumerate(shape) if size != x.shape[dim]]
    return onnx.Slice(x, [0] * len(dims), [shape[dim] for dim in dims], dims) if dims else x


def truncated(onnx: Any, x: Any) -> Any:
    return onnx.Sign(x) * onnx.Floor(onnx.Abs(x)) if x.is_float else x


def floor_div(onnx: Any, x: Any, y: Any) -> Any:
    """x / y rounded down. Whole numbers are divided without a rest: ONNX rounds them towards zero."""
    value = x if hasattr(x, "is_float") else y
    return onnx.Floor(onnx.Div(x, y)) if value.is_float else onnx.Div(onnx.Sub(x, onnx.Mod(x, y)), y)


def power(onnx: Any, base: Any, exponent: Any) -> Any:
    """x to the power y. ONNX leaves open what whole numbers give for powers below 0: here 1 / x^-y, rounded towards
    zero, so 1 and -1 alone do not become 0."""
    if exponent.is_float:
        return onnx.Pow(base, exponent)
    zero, one = np.array(0, exponent.dtype), np.array(1, exponent.dtype)
    upwards = onnx.Pow(base, onnx.Abs(exponent))
    is_special_case = onnx.Or(onnx.Equal(onnx.Abs(base), one), onnx.GreaterOrEqual(exponent, zero))
    return onnx.Where(is_special_case, upwards, zero)


def affine(onnx: Any, x: Any, weight: Any, bias: Any) -> Any:
    if x.ndim == 2 and weight.ndim == 2:
        return onnx.Gemm(x, weight, bias, transB=1)
    result = onnx.MatMul(x, onnx.Transpose(weight, perm=[1, 0]) if weight.ndim == 2 else weight)
    return result if bias is None else result + bias


def truths(onnx: Any, x: Any) -> Any:
    """1 where an element is true, else 0: ONNX has no largest bool."""
    return onnx.Cast(x if x.dtype == "bool" else onnx.Not(onnx.Equal(x, 0)), to=6)


def variance(onnx: Any, x: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
    """The mean of squared distances from the mean, with `correction` (1 for None) taken from the number of elements."""
    axes = [each % x.ndim for each in (dim or range(x.ndim))] if x.ndim else []
    distance = x - onnx.ReduceMean(x, axes, keepdims=1)
    count = math.prod(x.shape[axis] for axis in axes)
    total = onnx.ReduceSum(distance * distance, axes, keepdims=keepdim)
    return total / max(count - (1 if correction is None else correction), 0)


def p_norm(onnx: Any, x: Any, p: float, dim: Any, keepdim: bool) -> Any:
    axes = [each % x.ndim for each in (dim or range(x.ndim))] if x.ndim else []
    if p in (1, 2):
        return (onnx.ReduceL1 if p == 1 else onnx.ReduceL2)(x, axes, keepdims=keepdim)
    size = onnx.Abs(x)
    if abs(p) == math.inf:
        return (onnx.ReduceMax if p > 0 else onnx.ReduceMin)(size, axes, keepdims=keepdim)
    if p == 0:
        return onnx.ReduceSum(onnx.Sign(size), axes, keepdims=keepdim)
    return onnx.Pow(onnx.ReduceSum(onnx.Pow(size, p), axes, keepdims=keepdim), 1 / p)
