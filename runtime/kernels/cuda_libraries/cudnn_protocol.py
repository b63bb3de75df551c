"""How the rest of specgrad speaks to a library of convolutions and of attention that keeps no scores, which may refuse
any of them."""

from math import prod
from typing import NamedTuple, Protocol

import numpy as np

Ints = tuple[int, ...]


class Convolution(NamedTuple):
    """A convolution of planes or volumes that lie in row order, sample after sample, channel after channel. An operand
    may also lie with its channels last, sample after sample and place after place."""

    stored: np.dtype  # of all operands in memory
    batch: int
    channels: int  # of the input, in one group
    outputs: int  # channels of the output, in one group
    groups: int
    sizes: Ints  # of the input's spatial dims, three, of which the first may be 1
    kernel: Ints
    stride: Ints
    pads: Ints  # before each spatial dim
    dilation: Ints
    positions: Ints  # of the output's spatial dims
    tf32: bool  # whether float32 may be computed in TF32
    deterministic: bool  # whether equal calls must give equal bits
    channels_last: tuple[bool, bool]  # whether so lie the first and the second operand of a call

    @property
    def is_flat(self) -> bool:
        first = (self.sizes[0], self.kernel[0], self.positions[0])
        return first == (1, 1, 1) and self.pads[0] == 0

    @property
    def spatial(self) -> slice:
        return slice(1 if self.is_flat else 0, 3)

    @property
    def input_shape(self) -> Ints:
        return self.batch, self.channels * self.groups, *self.sizes[self.spatial]

    @property
    def weight_shape(self) -> Ints:
        return self.outputs * self.groups, self.channels, *self.kernel[self.spatial]

    @property
    def output_shape(self) -> Ints:
        return self.batch, self.outputs * self.groups, *self.positions[self.spatial]

    @property
    def bias_shape(self) -> Ints:
        return 1, self.outputs * self.groups, *(1 for _ in self.positions[self.spatial])

    @property
    def pads_after(self) -> Ints:
        """Behind each spatial dim, as many as windows reach."""
        return tuple(
            max((p - 1) * s + (k - 1) * d + 1 - n - before, 0)
            for n, k, s, before, d, p in zip(
                self.sizes, self.kernel, self.stride, self.pads, self.dilation, self.positions, strict=True
            )
        )


def row_strides(shape: Ints) -> Ints:
    return tuple(prod(shape[d + 1 :]) for d in range(len(shape)))


def channels_last_strides(shape: Ints) -> Ints:
    batch, *rest, channel = row_strides((shape[0], *shape[2:], shape[1]))
    return batch, channel, *rest


class Convolutions(Protocol):
    """What a library does: each method says whether it computed; if not, it has written nothing."""

    # The output from input, weight and, where a third operand is given, a number for each channel to be added.
    def convolve(self, value: Convolution, operands: Ints, output: int, stream: int) -> bool: ...
    # The input's gradient from the output's and the weight.
    def convolve_input_gradient(self, value: Convolution, operands: Ints, result: int, stream: int) -> bool: ...
    # The weight's gradient from the input and the output's.
    def convolve_weight_gradient(self, value: Convolution, operands: Ints, result: int, stream: int) -> bool: ...


class Layout(NamedTuple):
    """How an array of (batch, heads, rows, features) lies; strides are in elements."""

    shape: Ints
    strides: Ints


class Attention(NamedTuple):
    """softmax(scale Q K^T) V of each head of queries; heads of keys and values are as many, or shared by several."""

    stored: np.dtype  # of all operands in memory
    query: Layout
    key: Layout
    value: Layout
    output: Layout
    is_causal: bool  # whether row i sees the keys up to i alone
    scale: float


class AttentionGradients(NamedTuple):
    forward: Attention
    above: Layout  # the gradient of the output
    results: tuple[Layout, Layout, Layout]
    deterministic: bool  # whether equal calls must give equal bits


class Attentions(Protocol):
    """What a library does: each method says whether it computed; if not, it has written nothing. Logarithms of the sums
    of exp(scores) are float32, row after row."""

    # Output and logarithms from query, key and value.
    def attend(self, value: Attention, operands: Ints, results: Ints, stream: int) -> bool: ...
    # The gradients of query, key and value, from these, output, the gradient of that, and logarithms.
    def attend_gradients(self, value: AttentionGradients, operands: Ints, results: Ints, stream: int) -> bool: ...
