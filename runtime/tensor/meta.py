"""Arrays without memory: what a tensor of the device `meta` holds where one of the CPU has a NumPy array.

A `MetaArray` has a shape, strides and a dtype; who asks for elements gets an error. What is done with memory anywhere
(`tensor/memory.py`) has a function here too."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..device.device import META, device
from ..errors import NoDataError
from ..shapes import Shape, byte_strides, contiguous_strides


class MetaArray:
    """`strides` are in bytes, None where the elements would lie in row order without gaps."""

    __slots__ = ("__weakref__", "dtype", "shape", "size", "strides")
    __array_ufunc__ = None
    on_device = True
    device: device = META
    address = 0

    def __init__(self, shape: Shape, dtype: np.dtype, strides: tuple[int, ...] | None = None) -> None:
        self.shape = tuple(shape)
        self.dtype = dtype
        self.size = prod(self.shape)
        self.strides = strides

    def __array__(self, *arguments: Any, **keywords: Any) -> Any:
        raise no_data()

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def block(self) -> MetaArray:
        """What stands for the memory: the array itself, which all tensors over it hold."""
        return self

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Any:
        raise no_data()

    def __repr__(self) -> str:
        return f"MetaArray(shape={self.shape}, dtype={self.dtype})"

    def __reduce__(self) -> tuple[Any, ...]:
        return MetaArray, (self.shape, self.dtype, self.strides)

    def __getitem__(self, part: slice) -> MetaArray:
        first, end, _ = part.indices(self.size)
        return MetaArray((max(end - first, 0),), self.dtype)

    def reshape(self, *sizes: Any) -> MetaArray:
        shape = tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes
        known = prod(n for n in shape if n >= 0)
        return MetaArray(tuple(n if n >= 0 else self.size // max(known, 1) for n in shape), self.dtype)

    def ravel(self) -> MetaArray:
        return self if self.ndim == 1 else MetaArray((self.size,), self.dtype)

    def view(self, dtype: Any) -> MetaArray:
        """Of a 1-D array without gaps."""
        kind = np.dtype(dtype)
        return MetaArray((self.nbytes // kind.itemsize,), kind)

    def strided(self, shape: Shape, dtype: np.dtype, offset: int, steps: tuple[int, ...]) -> MetaArray:
        is_contiguous = byte_strides(shape, contiguous_strides(shape), dtype.itemsize)
        return MetaArray(shape, dtype, None if tuple(steps) == is_contiguous else tuple(steps))

    def as_read(self, dtype: np.dtype, final: Any = None) -> MetaArray:
        return self if dtype == self.dtype else MetaArray(self.shape, dtype, self.strides)


def no_data() -> NoDataError:
    return NoDataError("Cannot copy out of meta tensor; no data!")


def empty(shape: Shape, dtype: Any, target_device: Any) -> MetaArray:
    return MetaArray(shape, np.dtype(dtype))


def exposed(array: MetaArray) -> MetaArray:
    return array


def fill(array: MetaArray, value: Any) -> None:
    """Nothing: there are no elements to set."""


def copied(array: MetaArray) -> MetaArray:
    return MetaArray(array.shape, array.dtype)


contiguous = copied


def to_host(array: MetaArray) -> np.ndarray:
    raise no_data()


def from_host(array: Any, target_device: Any) -> MetaArray:
    return MetaArray(array.shape, array.dtype)


def copy(to: Any, source: Any) -> None:
    if not isinstance(to, MetaArray):
        raise no_data()
