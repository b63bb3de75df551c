"""The windows of pooling over the last one to three dimensions, worked out once per shape.

Along each dimension a window is a range of the input: (first, end), both inside. Over three dimensions windows are
boxes; dimensions that are not pooled over count as ones of size 1.
"""

import functools
from math import prod
from typing import NamedTuple

import numpy as np

from ...kernels.cpu.plan import Array
from ...shapes import pool_size
from ..conv.cpu_geometry import Geometry, Ints


class Windows(NamedTuple):
    shape: Ints  # of the output
    sizes: Ints  # of a plane, three
    ranges: tuple[Array, Array, Array]  # (first, end) of each window along each dimension
    steps: Ints  # between the elements of a window
    elements: Array  # how many elements each window has, with those in the padding; one number for all the same
    inside: Array  # how many of these are not padding
    sliding: Geometry | None  # of the same windows as a convolution, if they are enough to do them at once


def windows_of(shape: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool) -> Windows:
    dims = len(kernel)
    lead, sizes = shape[:-dims], shape[-dims:]
    along = list(zip(sizes, kernel, stride, padding, dilation, strict=True))
    counts = tuple(pool_size(n, k, s, p, d, ceil_mode) for n, k, s, p, d in along)
    lines = [_ranges(count, *numbers) for count, numbers in zip(counts, along, strict=True)]
    three = [(1,) * (3 - dims) + values for values in (sizes, kernel, stride, dilation, counts)]
    pads = (0,) * (3 - dims) + padding
    geometry = Geometry(prod(lead), 1, 1, 1, three[0], three[1], three[2], pads, three[3], three[4])
    padded, inside = (_numbers([line[which] for line in lines]) for which in (1, 2))
    ranges, sliding = _three([line[0] for line in lines]), geometry if prod(counts) >= 16 else None
    return Windows((*lead, *counts), three[0], ranges, three[3], padded, inside, sliding)


def adaptive_windows(shape: Ints, counts: Ints) -> Windows:
    lead, sizes = shape[: -len(counts)], shape[-len(counts) :]
    edges = [(count, np.arange(count + 1) * n) for n, count in zip(sizes, counts, strict=True)]
    lines = [np.stack([edge[:-1] // count, -(-edge[1:] // count)], 1) for count, edge in edges]
    elements = _numbers([line[:, 1] - line[:, 0] for line in lines])
    three = (1,) * (3 - len(sizes)) + sizes
    return Windows((*lead, *counts), three, _three(lines), (1, 1, 1), elements, elements, None)


def _ranges(count: int, size: int, kernel: int, stride: int, pad: int, dilation: int) -> tuple[Array, Array, Array]:
    start = np.arange(count, dtype=np.int64) * stride - pad
    read_extent = dilation * (kernel - 1) + 1
    first = np.where(start < 0, start + (-start + dilation - 1) // dilation * dilation, start)
    end = np.minimum(start + read_extent, size)
    padded = (np.minimum(start + read_extent, size + pad) - start + dilation - 1) // dilation
    inside = np.maximum((end - first + dilation - 1) // dilation, 0)
    return np.stack([first, end], 1), padded, inside


def _three(lines: list[Array]) -> tuple[Array, Array, Array]:
    full = np.array([[0, 1]], np.int64)
    first, second, third = [full] * (3 - len(lines)) + lines
    return first, second, third


def _numbers(lines: list[Array]) -> Array:
    products = functools.reduce(np.multiply.outer, lines)
    return products.max() if products.size and products.min() == products.max() else products


def windows_table(windows: Windows) -> Array:
    counts = [len(line) for line in windows.ranges]
    return np.concatenate([[*windows.sizes, *windows.steps, *counts], *map(np.ravel, windows.ranges)]).astype(np.int64)
