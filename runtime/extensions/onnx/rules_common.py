"""Functions that serve formulas of the key `onnx` in any family; each is given the operators first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .operators import NUMBERS


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
