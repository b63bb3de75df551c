"""The sizes of a convolution, worked out once per combination of shapes."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from math import prod
from typing import NamedTuple

from ..windows import conv_size, side_pads

BLOCK_BYTES = 1 << 22  # columns and products of one block of samples: about a share of the last-level cache

Ints = tuple[int, ...]


class Geometry(NamedTuple):
    """The sizes of one convolution of a batch."""

    batch: int
    channels: int
    sizes: Ints  # of the input's spatial dimensions
    outputs: int  # output channels
    kernel: Ints
    positions: Ints  # of the output's spatial dimensions
    stride: Ints
    pads: tuple[tuple[int, int], ...]  # before and after each spatial dimension
    dilation: Ints
    groups: int
    padded: Ints  # sizes with pads
    mirrored_pads: Ints  # with which the mirrored kernel visits the output's places

    @property
    def inside(self) -> tuple[slice, ...]:
        """Where the input stands in the padded input."""
        spatial = [slice(before, before + size) for size, (before, _) in zip(self.sizes, self.pads, strict=True)]
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

    def blocks(self, itemsize: int) -> Iterator[slice]:
        """The batch in blocks of samples, as even as may be."""
        sample = (self.channels * prod(self.kernel) + self.outputs) * prod(self.positions) * itemsize
        count = max(1, min(self.batch, round(self.batch * sample / BLOCK_BYTES)))
        step = -(-self.batch // count) or 1
        return (slice(first, min(first + step, self.batch)) for first in range(0, self.batch, step))


@functools.lru_cache(maxsize=1024)
def geometry(
    input_shape: Ints, weight_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Geometry:
    """The sizes of a convolution of batched input; `padding` has one number per dimension or two."""
    batch, channels, *sizes = input_shape
    outputs, _, *kernel = weight_shape
    pads = side_pads(padding, len(kernel))
    fits = zip(sizes, kernel, stride, pads, dilation, strict=True)
    positions = tuple(conv_size(n, k, s, sum(pad), d) for n, k, s, pad, d in fits)
    return Geometry(
        batch=batch,
        channels=channels,
        sizes=tuple(sizes),
        outputs=outputs,
        kernel=tuple(kernel),
        positions=positions,
        stride=stride,
        pads=pads,
        dilation=dilation,
        groups=groups,
        padded=tuple(n + sum(pad) for n, pad in zip(sizes, pads, strict=True)),
        mirrored_pads=tuple(
            d * (k - 1) - side for d, k, pad in zip(dilation, kernel, pads, strict=True) for side in pad
        ),
    )
