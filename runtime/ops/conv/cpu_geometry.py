"""The sizes of a convolution over the last three dimensions of arrays, and the calls of loops that compute it."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from ...kernels.cpu.matmul import PRODUCTS
from ...kernels.cpu.plan import Array, Ints, Step
from ...kernels.window_sizes import conv_size, side_pads


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
        return prod(self.kernel)

    @property
    def products(self) -> int:
        return self.batch * self.groups * self.outputs * self.channels * self.taps * prod(self.positions)

    @property
    def input_elements(self) -> int:
        return self.groups * self.channels * prod(self.sizes)

    @property
    def output_elements(self) -> int:
        return self.groups * self.outputs * prod(self.positions)


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
    return (fill,) * (3 - len(values)) + tuple(values)


class Call(NamedTuple):
    """What a convolution reads and makes, by the numbers that a plan has for operands and results."""

    x: int
    w: int
    bias: int | None
    result: tuple[int, Ints]
    spare: int  # the first number of results that are memory for the plan's calls alone

    def step(self, loops: Any, parts: int, products: int, tables: tuple[Array, ...], ints: Ints = ()) -> Step:
        """The call of loops over independent parts: out = bias + a convolution of x with w, of so many products.

        The last int but those of the range says whether there is a bias; where there is none, w stands in its place.
        """
        operands, biased = (self.x, self.w, self.w if self.bias is None else self.bias), self.bias is not None
        rows, work = (parts, 1), products // PRODUCTS
        return Step(loops, operands, (self.result,), (), (*ints, biased), rows, work, tables=tables)

    def product(self, loops: Any, parts: int, products: int, tables: tuple[Array, ...], ints: Ints = ()) -> Step:
        """The call of loops that have no bias: out = a product of x and w."""
        rows, work = (parts, 1), products // PRODUCTS
        return Step(loops, (self.x, self.w), (self.result,), (), ints, rows, work, tables=tables)
