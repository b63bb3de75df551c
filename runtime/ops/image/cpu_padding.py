"""Padding with what an array has itself: along each dimension, a table of which element each place shows."""

from __future__ import annotations

import functools
from math import prod

import numpy as np

from ...kernels.jit import jit

Array = np.ndarray
Ints = tuple[int, ...]


def border_pad(a: Array, pad: Ints, mode: str) -> Array:
    """The last dimensions grown by pairs of `pad`, or cut where these are negative."""
    padded = len(pad) // 2
    tables = [_shown(n, *sides, mode) for n, sides in zip(a.shape[-padded:], _pairs(pad), strict=True)]
    result = np.empty((*a.shape[:-padded], *map(len, tables)), a.dtype)
    _show(_boxes(np.ascontiguousarray(a), padded), *_three(tables), _boxes(result, padded))
    return result


def border_pad_backward(grad: Array, input_shape: Ints, pad: Ints, mode: str) -> Array:
    """Adds what each place has to the element that it shows."""
    padded = len(pad) // 2
    tables = [_shown(n, *sides, mode) for n, sides in zip(input_shape[-padded:], _pairs(pad), strict=True)]
    result = np.zeros(input_shape, grad.dtype)
    _add_back(_boxes(np.ascontiguousarray(grad), padded), *_three(tables), _boxes(result, padded))
    return result


@functools.lru_cache(maxsize=1024)
def _shown(size: int, before: int, after: int, mode: str) -> Array:
    """Which element each place along a padded dimension shows."""
    places = np.arange(-before, size + after)
    if mode == "replicate":
        return places.clip(0, size - 1)
    if mode == "reflect":
        return size - 1 - abs(size - 1 - abs(places))
    first, end = max(-before, 0), size - max(-after, 0)  # what is cut takes no part
    return (places - first) % (end - first) + first


def _pairs(pad: Ints) -> list[tuple[int, int]]:
    """(before, after) of each padded dimension, the first one first."""
    return list(zip(pad[-2::-2], pad[::-2], strict=True))


def _three(tables: list[Array]) -> tuple[Array, Array, Array]:
    first, second, third = [np.zeros(1, np.int64)] * (3 - len(tables)) + tables
    return first, second, third


def _boxes(a: Array, padded: int) -> Array:
    """(boxes, three sizes)."""
    return a.reshape(prod(a.shape[:-padded]), *(1,) * (3 - padded), *a.shape[-padded:])


@jit
def _show(a: Array, down: Array, along: Array, across: Array, result: Array) -> None:
    for box, i, j in np.ndindex(result.shape[:3]):
        source, to = a[box, down[i], along[j]], result[box, i, j]
        for k in range(across.size):
            to[k] = source[across[k]]


@jit
def _add_back(grad: Array, down: Array, along: Array, across: Array, result: Array) -> None:
    for box, i, j in np.ndindex(grad.shape[:3]):
        source, to = grad[box, i, j], result[box, down[i], along[j]]
        for k in range(across.size):
            to[across[k]] += source[k]
