"""Ops that move elements in ONNX operators, where one line does not say it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

LAST = 2**63 - 1  # beyond any size: up to the end, or with a minus to the beginning


def sliced(onnx: Any, x: Any, dim: int, start: int | None, stop: int | None, step: int = 1) -> Any:
    """Elements from `start` to before `stop` along a dimension, to the end for None."""
    return onnx.Slice(x, [start or 0], [LAST if stop is None else stop], [dim], [step])


def narrowed(onnx: Any, x: Any, dim: int, start: int, length: int) -> Any:
    """`length` elements along a dimension."""
    first = start + x.shape[dim] if start < 0 else start
    return onnx.Slice(x, [first], [first + length], [dim])


def flipped(onnx: Any, x: Any, dims: Sequence[int]) -> Any:
    """The order of elements reversed along dimensions."""
    count = len(dims)
    return onnx.Slice(x, [-1] * count, [-LAST] * count, list(dims), [-1] * count) if count else x


def rolled(onnx: Any, x: Any, shifts: Sequence[int], dims: Sequence[int]) -> Any:
    """Elements moved on along dimensions and in again at the start; of the flattened tensor without dims."""
    sizes = x.shape
    if not dims:
        return onnx.Reshape(_rolled(onnx, onnx.Reshape(x, [-1]), shifts[0] % max(prod(sizes), 1), 0), list(sizes))
    for shift, dim in zip(shifts, dims, strict=True):
        x = _rolled(onnx, x, shift % max(sizes[dim], 1), dim)
    return x


def _rolled(onnx: Any, x: Any, shift: int, dim: int) -> Any:
    """The last `shift` elements before the others."""
    if shift == 0:
        return x
    return onnx.Concat(onnx.Slice(x, [-shift], [LAST], [dim]), onnx.Slice(x, [0], [-shift], [dim]), axis=dim)


def repeated(onnx: Any, x: Any, repeats: Sequence[int]) -> Any:
    """Copies one after the other along each dimension, new ones in front."""
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
    """The first elements along each dimension, so many as a shape says."""
    dims = [dim for dim, size in enumerate(shape) if size != x.shape[dim]]
    return onnx.Slice(x, [0] * len(dims), [shape[dim] for dim in dims], dims) if dims else x
