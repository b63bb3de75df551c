"""Padding by reflection, replication or wrapping around: along each dimension, a table of source indices."""

from __future__ import annotations

import functools
from math import prod

import numpy as np

from ...kernels.jit import jit

Array = np.ndarray
Ints = tuple[int, ...]


def border_pad(a: Array, pad: Ints, mode: str) -> Array:
    """The last dimensions grown by pairs of `pad`, or cut where these are negative."""
    padded, tables = len(pad) // 2, _tables(a.shape, pad, mode)
    result = np.empty((*a.shape[:-padded], *map(len, tables[3 - padded :])), a.dtype)
    _gather_boxes(_boxes(np.ascontiguousarray(a), padded), *tables, _boxes(result, padded))
    return result


def border_pad_backward(grad: Array, input_shape: Ints, pad: Ints, mode: str) -> Array:
    """Adds each gradient to that of the element that was repeated there."""
    padded, result = len(pad) // 2, np.zeros(input_shape, grad.dtype)
    tables = _tables(input_shape, pad, mode)
    _scatter_add_boxes(_boxes(np.ascontiguousarray(grad), padded), *tables, _boxes(result, padded))
    return result


def _tables(shape: Ints, pad: Ints, mode: str) -> list[Array]:
    """The source index of each index along the padded dimensions, as the last of three dimensions."""
    sides = list(zip(pad[-2::-2], pad[::-2], strict=True))  # (before, after), the first dimension first
    padded = [source_index(n, *side, mode) for n, side in zip(shape[-len(sides) :], sides, strict=True)]
    return [np.zeros(1, np.int64)] * (3 - len(padded)) + padded


@functools.lru_cache(maxsize=1024)
def source_index(size: int, before: int, after: int, mode: str) -> Array:
    """For each index along a padded dimension the index of the element that it repeats."""
    index = np.arange(-before, size + after)
    if mode == "replicate":
        return index.clip(0, size - 1)
    if mode == "reflect":
        return size - 1 - abs(size - 1 - abs(index))
    first, end = max(-before, 0), size - max(-after, 0)  # elements that are cut off are not repeated
    return (index - first) % (end - first) + first


def _boxes(a: Array, padded: int) -> Array:
    """(boxes, three sizes)."""
    return a.reshape(prod(a.shape[:-padded]), *(1,) * (3 - padded), *a.shape[-padded:])


@jit
def _gather_boxes(a: Array, down: Array, along: Array, across: Array, result: Array) -> None:
    for box, i, j in np.ndindex(result.shape[:3]):
        source, to = a[box, down[i], along[j]], result[box, i, j]
        for k in range(across.size):
            to[k] = source[across[k]]


@jit
def _scatter_add_boxes(grad: Array, down: Array, along: Array, across: Array, result: Array) -> None:
    for box, i, j in np.ndindex(grad.shape[:3]):
        source, to = grad[box, i, j], result[box, down[i], along[j]]
        for k in range(across.size):
            to[across[k]] += source[k]
