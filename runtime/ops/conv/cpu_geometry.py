"""The sizes of a convolution over the last three dimensions of arrays, and the loops that compute it, ready to run."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

from ...kernels.cpu.matmul import PRODUCTS
from ...kernels.window_sizes import conv_size, side_pads
from ...pool.parallel_for import shared

Ints = tuple[int, ...]


class Geometry(NamedTuple):
    """The sizes of one convolution of a batch; the spatial ones are three, of which the first may be 1."""

    batch: int
    channels: int  # of the input, in one group
    outputs: int  # channels of the output, in one group
    groups: int
    sizes: Ints  # of the input's spatial dimensions
    kernel: Ints
    stride: Ints
    pads: Ints  # before each spatial dimension
    dilation: Ints
    positions: Ints  # of the output's spatial dimensions

    @property
    def taps(self) -> int:
        """The number of elements of the kernel."""
        return prod(self.kernel)

    @property
    def products(self) -> int:
        """The number of products that the convolution adds up."""
        return self.batch * self.groups * self.outputs * self.channels * self.taps * prod(self.positions)


def geometry(
    input_shape: Ints, weight_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Geometry:
    """The sizes of a convolution of batched input; `padding` has one number per dimension or two."""
    batch, channels, *sizes = input_shape
    outputs, _, *kernel = weight_shape
    pads = side_pads(padding, len(kernel))
    fits = zip(sizes, kernel, stride, pads, dilation, strict=True)
    return Geometry(
        batch=batch,
        channels=channels // groups,
        outputs=outputs // groups,
        groups=groups,
        sizes=_three(sizes, 1),
        kernel=_three(kernel, 1),
        stride=_three(stride, 1),
        pads=_three([before for before, _ in pads], 0),
        dilation=_three(dilation, 1),
        positions=_three([conv_size(n, k, s, sum(pad), d) for n, k, s, pad, d in fits], 1),
    )


def _three(values: Ints | list[int], fill: int) -> Ints:
    """One number for each of three dimensions."""
    return (fill,) * (3 - len(values)) + tuple(values)


class Work(NamedTuple):
    """Loops over independent parts of a convolution, with all of their arguments but the arrays, which come first."""

    loops: Callable[..., Any]
    arguments: tuple[Any, ...]
    parts: int
    products: int  # of all parts together
    whole: bool = True  # whether they write every element of the result; else it has to begin as zeros

    def on(self, *arrays: Any) -> None:
        """Run the loops on arrays, shared by several threads where there are enough products."""
        shared(self.loops, (*arrays, *self.arguments), self.parts, self.products // PRODUCTS)
