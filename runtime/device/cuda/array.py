"""Arrays on a CUDA device: metadata with an address. A `DeviceArray` never turns into a NumPy array by itself:
functions for the CPU fail with an error that says so."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ...shapes import Shape, byte_strides, contiguous_strides


class DeviceArray:
    """Elements that lie on a CUDA device. `strides` are in bytes, None where the elements lie in row order without
    gaps. Kernels compute in `dtype`; memory holds `stored`. The two differ after a lazy cast (`as_read`), which kernels
    do in registers; what is no kernel makes it first (`memory.materialized`). `final` is the dtype in which memory
    holds what an op computes of these elements (`memory.result`): of 16-bit floats, which kernels read as float32,
    their own. `block` keeps the memory alive."""

    __slots__ = ("__weakref__", "address", "block", "device", "dtype", "final", "shape", "size", "stored", "strides")
    __array_ufunc__ = None
    on_device = True

    address: int
    block: Any
    device: Any
    dtype: np.dtype
    final: np.dtype
    shape: Shape
    size: int
    stored: np.dtype
    strides: tuple[int, ...] | None

    def __init__(
        self, address: int, shape: Shape, dtype: np.dtype, block: Any, device: Any,
        strides: tuple[int, ...] | None = None, stored: np.dtype | None = None, final: np.dtype | None = None,
    ) -> None:  # fmt: skip
        self.address = address
        self.shape = shape
        self.size = prod(shape)
        self.dtype = dtype
        self.stored = dtype if stored is None else stored
        self.final = dtype if final is None else final
        self.block = block
        self.device = device
        self.strides = strides

    def __array__(self, *arguments: Any, **keywords: Any) -> Any:
        raise TypeError(
            f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
            "memory first."
        )

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def itemsize(self) -> int:
        return self.stored.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.stored.itemsize

    @property
    def byte_strides(self) -> tuple[int, ...]:
        if self.strides is not None:
            return self.strides
        return byte_strides(self.shape, contiguous_strides(self.shape), self.stored.itemsize)

    @property
    def is_contiguous(self) -> bool:
        return self.strides is None

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("a DeviceArray has no elements on the host: copy it first")

    def __repr__(self) -> str:
        return f"DeviceArray({self.address:#x}, shape={self.shape}, dtype={self.dtype}, device={self.device})"

    def __getitem__(self, part: slice) -> DeviceArray:
        first, end, step = part.indices(self.size)
        if self.ndim != 1 or self.strides is not None or step != 1:
            raise TypeError(f"expected a range of a 1-D DeviceArray, but got {part} of shape {self.shape}")
        count = max(end - first, 0)
        return self.with_strides((count,), None, first * self.stored.itemsize)

    def reshape(self, *sizes: Any) -> DeviceArray:
        shape = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes
        if self.strides is not None:
            raise TypeError(f"reshape(): expected elements in row order, but got steps of {self.strides} bytes")
        known = prod(n for n in shape if n >= 0)
        full_shape = tuple(n if n >= 0 else (self.size // known if known else 0) for n in shape)
        if prod(full_shape) != self.size:
            raise ValueError(f"cannot reshape a DeviceArray of size {self.size} into shape {shape}")
        return self.with_strides(full_shape, None)

    def ravel(self) -> DeviceArray:
        return self if self.ndim == 1 and self.strides is None else self.reshape((self.size,))

    def view(self, dtype: Any) -> DeviceArray:
        kind = np.dtype(dtype)
        self._require_stored("view")
        if self.ndim != 1 or self.strides is not None:
            raise TypeError(f"expected a 1-D DeviceArray without gaps, but got shape {self.shape}")
        return DeviceArray(self.address, (self.nbytes // kind.itemsize,), kind, self.block, self.device)

    def strided(self, shape: Shape, dtype: np.dtype, offset: int, steps: tuple[int, ...]) -> DeviceArray:
        self._require_stored("strided")
        contiguous_steps = byte_strides(shape, contiguous_strides(shape), dtype.itemsize)
        same = all(n == 1 or a == b for n, a, b in zip(shape, steps, contiguous_steps, strict=True))
        remaining_steps = None if same or not prod(shape) else tuple(steps)
        return DeviceArray(self.address + offset, tuple(shape), dtype, self.block, self.device, remaining_steps)

    def viewed(self, shape: Shape, offset: int, steps: tuple[int, ...]) -> DeviceArray:
        contiguous_steps = byte_strides(shape, contiguous_strides(shape), self.stored.itemsize)
        same = all(n == 1 or a == b for n, a, b in zip(shape, steps, contiguous_steps, strict=True))
        return self.with_strides(shape, None if same or not prod(shape) else tuple(steps), offset)

    def as_read(self, dtype: np.dtype, final: np.dtype | None = None) -> DeviceArray:
        """The same memory, converted to `dtype` in registers when a kernel reads it; see `final`."""
        final = dtype if final is None else final
        if dtype == self.dtype and final == self.final:
            return self
        return DeviceArray(self.address, self.shape, dtype, self.block, self.device, self.strides, self.stored, final)

    def as_stored(self) -> DeviceArray:
        return self.as_read(self.stored)

    def with_strides(self, shape: Shape, strides: tuple[int, ...] | None, offset: int = 0) -> DeviceArray:
        """The memory from `offset` bytes after the first element on in any layout; see `strides`."""
        address, shape = self.address + offset, tuple(shape)
        return DeviceArray(address, shape, self.dtype, self.block, self.device, strides, self.stored, self.final)

    def _require_stored(self, name: str) -> None:
        if self.stored != self.dtype:
            raise TypeError(f"{name}(): expected memory in the dtype that is read, {self.dtype}, not {self.stored}")
