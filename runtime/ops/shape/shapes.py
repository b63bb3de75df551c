"""Shape rules of ops that move elements."""

from collections.abc import Sequence
from math import prod
from typing import Any

from ...errors import NoDataError
from ...shapes import Shape, conv_size
from ...tensor.meta import MetaArray, no_data


def concatenated(tensors: Sequence[Any], dim: int) -> Shape:
    shapes = [tuple(t.shape) for t in tensors if tuple(t.shape) != (0,)]
    if not shapes:
        return (0,)
    first = shapes[0]
    return (*first[:dim], sum(shape[dim] for shape in shapes), *first[dim + 1 :])


def stacked(tensors: Sequence[Any], dim: int) -> Shape:
    first = tuple(tensors[0].shape)
    return (*first[:dim], len(tensors), *first[dim:])


def padded(self: Any, pad: Sequence[int], *rest: Any) -> Shape:
    sizes = list(self.shape)
    for position, (left, right) in enumerate(zip(pad[::2], pad[1::2], strict=True), 1):
        sizes[-position] += left + right
    return tuple(sizes)


def restrided(self: Any, stride: Any, offset: int, to_size: Sequence[int], *rest: Any) -> Shape:
    return tuple(to_size)


def columns(self: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Shape:
    *lead, channels, height, width = self.shape
    along = zip((height, width), kernel_size, stride, padding, dilation, strict=True)
    counts = [conv_size(size, kernel, step, 2 * pad, dilation_step) for size, kernel, step, pad, dilation_step in along]
    return (*lead, channels * prod(kernel_size), prod(counts))


def image(self: Any, output_size: Sequence[int], kernel_size: Sequence[int], *rest: Any) -> Shape:
    return (*self.shape[:-2], self.shape[-2] // prod(kernel_size), *output_size)


def repeated(repeats: Any, output_size: int | None) -> Shape:
    if output_size is None:
        raise NoDataError("repeat_interleave(): cannot repeat_interleave a meta tensor without output_size")
    return (output_size,)


def moved(self: Any, device: Any, non_blocking: bool) -> MetaArray:
    if device.type != "meta":
        raise no_data()
    return MetaArray(self.shape, self.dtype)
