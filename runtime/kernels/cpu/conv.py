"""Convolution in any number of dimensions: windows are copied to the columns of a matrix, BLAS does the rest.

A block of samples is handled at a time, so that its columns stay in the cache. The columns of a block have the
layout (groups, channels of a group * kernel, samples * positions): forward, input gradient and weight gradient are
one matrix product each per block and group.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..windows import conv_size, side_pads

_BLOCK_BYTES = 1 << 21  # columns of one block; about the size of a second-level cache


class Geometry(NamedTuple):
    """The sizes of one convolution."""

    batch: int
    channels: int
    sizes: tuple[int, ...]  # of the input's spatial dimensions
    outputs: int  # output channels
    kernel: tuple[int, ...]
    positions: tuple[int, ...]  # of the output's spatial dimensions
    stride: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    dilation: tuple[int, ...]
    groups: int

    @property
    def padded(self) -> tuple[int, ...]:
        return tuple(
            size + before + after for size, (before, after) in zip(self.sizes, self.pads, strict=False)
        )

    @property
    def inside(self) -> tuple[slice, ...]:
        """Where the input stands in the padded input."""
        spatial = (
            slice(before, before + size) for size, (before, _) in zip(self.sizes, self.pads, strict=False)
        )
        return (slice(None), slice(None), *spatial)

    @property
    def matrix(self) -> tuple[int, int, int]:
        """The shape in which the weight multiplies the columns."""
        return self.groups, self.outputs // self.groups, self.channels // self.groups * prod(self.kernel)

    @property
    def pointwise(self) -> bool:
        """Whether the columns are the input itself: a kernel of size 1 that visits every place once."""
        ones = (1,) * len(self.sizes)
        return self.kernel == ones and self.stride == ones and self.padded == self.sizes

    @property
    def mirrored_pads(self) -> tuple[int, ...]:
        """The pads (before, after each dimension) with which a mirrored kernel visits the output's places."""
        reaches = [d * (k - 1) for d, k in zip(self.dilation, self.kernel, strict=False)]
        return tuple(reach - pad for reach, pads in zip(reaches, self.pads) for pad in pads)

    def blocks(self, itemsize: int) -> Iterator[slice]:
        """The batch in blocks of samples, as even as may be."""
        sample = (self.channels * prod(self.kernel) + self.outputs) * prod(self.positions) * itemsize
        count = max(1, min(self.batch, round(self.batch * sample / _BLOCK_BYTES)))
        step = -(-self.batch // count) or 1
        return (slice(first, min(first + step, self.batch)) for first in range(0, self.batch, step))


@functools.lru_cache(maxsize=1024)
def geometry(
    input_shape: tuple[int, ...],
    weight_shape: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int,
) -> Geometry:
    """The sizes of a convolution of batched input."""
    kernel, sizes = weight_shape[2:], input_shape[2:]
    pads = side_pads(padding, len(kernel))
    fits = zip(sizes, kernel, stride, pads, dilation, strict=False)
    positions = tuple(conv_size(n, k, s, sum(pad), d) for n, k, s, pad, d in fits)
    batch, channels = input_shape[:2]
    return Geometry(
        batch, channels, sizes, weight_shape[0], kernel, positions, stride, pads, dilation, groups
    )


def convolution(
    input: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray | None,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int,
) -> np.ndarray:
    """output[n, o, p] = bias[o] + sum over c, k of input[n, c, stride p + dilation k - padding] weight[o, c, k]."""
    x = input if input.ndim == weight.ndim else input[None]
    plan = geometry(x.shape, weight.shape, stride, padding, dilation, groups)
    output = np.empty((plan.batch, plan.outputs, *plan.positions), input.dtype)
    matrix = weight.reshape(plan.matrix)
    for block in plan.blocks(x.itemsize):
        product = np.matmul(matrix, _columns(x[block], plan))
        if bias is not None:
            product += bias.reshape(plan.groups, -1, 1)
        output[block] = _to_samples(product, plan.positions)
    return output if x is input else output[0]


def convolution_input_grad(
    grad_output: np.ndarray,
    weight: np.ndarray,
    input_shape: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int,
) -> np.ndarray:
    """The transpose of `convolution` as a map of the input.

    Visiting every place (stride 1) it is a convolution with the mirrored weight; otherwise every product goes back to
    where its input stood.
    """
    grad = grad_output if grad_output.ndim == weight.ndim else grad_output[None]
    shape = tuple(input_shape) if grad is grad_output else (1, *input_shape)
    plan = geometry(shape, weight.shape, stride, padding, dilation, groups)
    pads = plan.mirrored_pads
    if set(stride) == {1} and min(pads) >= 0:
        result = convolution(grad, _mirrored(weight, groups), None, stride, pads, dilation, groups)
    else:
        result = _scattered(grad, weight, plan)
    return result if grad is grad_output else result[0]


def _mirrored(weight: np.ndarray, groups: int) -> np.ndarray:
    """The weight with input and output channels exchanged in each group, and reversed along the kernel."""
    outputs, channels, *kernel = weight.shape
    grouped = weight.reshape(groups, outputs // groups, channels, *kernel).swapaxes(1, 2)
    return np.flip(grouped, range(3, grouped.ndim)).reshape(groups * channels, outputs // groups, *kernel)


def _scattered(grad: np.ndarray, weight: np.ndarray, plan: Geometry) -> np.ndarray:
    """The input gradient, block by block: the columns' gradient is one product, and is added back window by window."""
    matrix = weight.reshape(plan.matrix).transpose(0, 2, 1)
    result = np.empty((plan.batch, plan.channels, *plan.sizes), grad.dtype)
    for block in plan.blocks(grad.itemsize):
        result[block] = _add_columns(np.matmul(matrix, _to_columns(grad[block], plan.groups)), plan)
    return result


def convolution_weight_grad(
    grad_output: np.ndarray,
    input: np.ndarray,
    weight_shape: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int,
) -> np.ndarray:
    """weight[o, c, k] = sum over n, p of grad_output[n, o, p] input[n, c, stride p + dilation k - padding]."""
    batched = input.ndim == len(weight_shape)
    x, grad = (input, grad_output) if batched else (input[None], grad_output[None])
    plan = geometry(x.shape, tuple(weight_shape), stride, padding, dilation, groups)
    total = np.zeros(plan.matrix, grad.dtype)
    for block in plan.blocks(x.itemsize):
        total += np.matmul(_to_columns(grad[block], groups), _columns(x[block], plan).transpose(0, 2, 1))
    return total.reshape(weight_shape)


def _columns(x: np.ndarray, plan: Geometry) -> np.ndarray:
    """The windows of a block of samples as (groups, channels of a group * kernel, samples * positions)."""
    if plan.pointwise:
        return _to_columns(x, plan.groups)
    padded = x
    if plan.padded != plan.sizes:
        padded = np.zeros((*x.shape[:2], *plan.padded), x.dtype)
        padded[plan.inside] = x
    lines = np.ascontiguousarray(_line_windows(padded, plan))
    columns = np.ascontiguousarray(_plane_windows(lines, plan))
    return columns.reshape(plan.groups, -1, len(x) * prod(plan.positions))


def _line_windows(padded: np.ndarray, plan: Geometry) -> np.ndarray:
    """Windows along the last dimension only: a view (channels, kernel[-1], samples, *spatial[:-1], positions[-1]).

    To copy these first makes the second copy, of `_plane_windows`, one of long contiguous runs.
    """
    samples, channels, *between, step = padded.strides
    shape = (plan.channels, plan.kernel[-1], len(padded), *padded.shape[2:-1], plan.positions[-1])
    strides = (channels, step * plan.dilation[-1], samples, *between, step * plan.stride[-1])
    return as_strided(padded, shape, strides)


def _plane_windows(lines: np.ndarray, plan: Geometry) -> np.ndarray:
    """Windows along the other dimensions: a view (channels, *kernel, samples, *positions) of the lines."""
    channels, last, samples, *spatial, step = lines.strides
    within = [step * d for step, d in zip(spatial, plan.dilation, strict=False)]
    between = [step * s for step, s in zip(spatial, plan.stride, strict=False)]
    shape = (plan.channels, *plan.kernel, lines.shape[2], *plan.positions)
    return as_strided(lines, shape, (channels, *within, last, samples, *between, step))


def _windows(padded: np.ndarray, plan: Geometry) -> np.ndarray:
    """A view (channels, *kernel, samples, *positions) of the padded block."""
    samples, channels, *spatial = padded.strides
    within = [step * d for step, d in zip(spatial, plan.dilation, strict=False)]
    between = [step * s for step, s in zip(spatial, plan.stride, strict=False)]
    shape = (plan.channels, *plan.kernel, len(padded), *plan.positions)
    return as_strided(padded, shape, (channels, *within, samples, *between))


def _add_columns(columns: np.ndarray, plan: Geometry) -> np.ndarray:
    """The transpose of `_columns`: adds a shifted block per place of the kernel, in a fixed order."""
    samples = columns.shape[-1] // max(prod(plan.positions), 1)
    if plan.pointwise:
        return _to_samples(columns, plan.sizes)
    padded = np.zeros((samples, plan.channels, *plan.padded), columns.dtype)
    windows = _windows(padded, plan)
    parts = columns.reshape(plan.channels, *plan.kernel, samples, *plan.positions)
    for place in np.ndindex(*plan.kernel):
        at = (slice(None), *place)
        windows[at] += parts[at]
    return padded[plan.inside]


def _to_columns(x: np.ndarray, groups: int) -> np.ndarray:
    """(samples, channels, *positions) to (groups, channels of a group, samples * positions)."""
    channels = x.shape[1]
    return x.reshape(len(x), channels, -1).swapaxes(0, 1).reshape(groups, channels // groups, -1)


def _to_samples(product: np.ndarray, positions: tuple[int, ...]) -> np.ndarray:
    """The inverse of `_to_columns`, as a view."""
    channels = product.shape[0] * product.shape[1]
    return product.reshape(channels, -1, *positions).swapaxes(0, 1)
