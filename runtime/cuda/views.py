"""Views of arrays of a device: the same memory with other dims, sizes and steps."""

from __future__ import annotations

from collections.abc import Sequence

from ..tensor.shapes import Shape
from .array import DeviceArray
from .memory import in_order as in_order


def over(array: DeviceArray, shape: Shape, steps: Sequence[int], offset: int = 0) -> DeviceArray:
    """The memory of an array from an offset on, with steps; both in bytes."""
    return array.with_strides(shape, tuple(steps), offset)


def permuted(array: DeviceArray, *order: int) -> DeviceArray:
    steps = array.byte_strides
    return over(array, tuple(array.shape[d] for d in order), [steps[d] for d in order])


def swapped(array: DeviceArray) -> DeviceArray:
    """The last two dims exchanged: each matrix transposed."""
    return permuted(array, *range(array.ndim - 2), array.ndim - 1, array.ndim - 2)


def narrowed(array: DeviceArray, dim: int, start: int, stop: int) -> DeviceArray:
    """A range of one dim; where the rest lies in row order, so does what is left of the first dim."""
    steps = array.byte_strides
    shape = (*array.shape[:dim], stop - start, *array.shape[dim + 1 :])
    result = over(array, shape, steps, start * steps[dim])
    if array.strides is None and dim == 0:
        result.strides = None
    return result


def selected(array: DeviceArray, dim: int, index: int) -> DeviceArray:
    steps = array.byte_strides
    remaining_steps = [d for d in range(array.ndim) if d != dim]
    result = over(
        array, tuple(array.shape[d] for d in remaining_steps), [steps[d] for d in remaining_steps], index * steps[dim]
    )
    if array.strides is None and dim == 0:
        result.strides = None
    return result


def broadcast(array: DeviceArray, shape: Shape) -> DeviceArray:
    """An array that is repeated to a shape; dims are added in front."""
    added = len(shape) - array.ndim
    args = ((1,) * added + array.shape, (0,) * added + array.byte_strides)
    steps = [step if n == size else 0 for n, step, size in zip(*args, shape, strict=True)]
    return over(array, shape, steps)


def reshaped(array: DeviceArray, *sizes: int) -> DeviceArray:
    """The elements in another shape; a copy where they do not lie in row order."""
    return in_order(array).reshape(sizes)
