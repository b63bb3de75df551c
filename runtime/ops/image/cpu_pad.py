"""Padding by reflection, replication or wrapping around: along each dimension, a table of source indices."""

import functools
from collections.abc import Callable
from math import prod

import numpy as np

from ...device.threads.parallel_for import shared
from ...kernels.cpu.plan import Array, Ints
from .cpu_loops import collected_boxes, gathered_boxes


def border_pad(a: Array, pad: Ints, mode: str) -> Array:
    padded, tables = len(pad) // 2, tables_of(a.shape, pad, mode)
    result = np.empty((*a.shape[:-padded], *map(len, tables[3 - padded : 3])), a.dtype)
    _on_boxes(gathered_boxes, np.ascontiguousarray(a), result, tables, a.shape[-padded:], result.size)
    return result


def border_pad_backward(grad: Array, input_shape: Ints, pad: Ints, mode: str) -> Array:
    """Adds each gradient to that of the element that was repeated there."""
    result = (np.empty if grad.size else np.zeros)(input_shape, grad.dtype)
    tables = tables_of(input_shape, pad, mode)
    _on_boxes(collected_boxes, np.ascontiguousarray(grad), result, tables, input_shape[-len(pad) // 2 :], grad.size)
    return result


def _on_boxes(loop: Callable[..., None], a: Array, out: Array, tables: list[Array], sizes: Ints, padded: int) -> None:
    """Run a loop over all boxes, of which `padded` elements are grown ones, by several threads where they are many."""
    if padded:
        boxes = padded // prod(map(len, tables[:3]))
        box = box_of(sizes)
        shared(loop, (a.ravel(), out.ravel(), *tables, box), boxes, padded)


def box_of(sizes: Ints) -> Array:
    return np.array((1,) * (3 - len(sizes)) + tuple(sizes), np.int64)


def tables_of(shape: Ints, pad: Ints, mode: str) -> list[Array]:
    """The source index of each index along three dimensions, of which the last are padded; and a `longest_run`."""
    sides = list(zip(pad[-2::-2], pad[::-2], strict=True))  # (before, after), the first dimension first
    padded = [source_index(n, *side, mode) for n, side in zip(shape[-len(sides) :], sides, strict=True)]
    return [np.zeros(1, np.int64)] * (3 - len(padded)) + padded + [longest_run(padded[-1])]


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


def longest_run(index: Array) -> Array:
    """Where the longest part of an index that counts up by ones begins, and where it ends."""
    ends = np.flatnonzero(np.diff(index) != 1) + 1
    edges = np.concatenate([[0], ends, [len(index)]])
    longest = int(np.diff(edges).argmax())
    return edges[longest : longest + 2].astype(np.int64)
