"""Arrays of simulated memory as libraries read and write them: by steps, and no element that nobody has written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .device_memory import Region, fault


class Operand(NamedTuple):
    """Elements at an address, `steps` elements apart along each dim."""

    address: int
    dtype: np.dtype
    shape: tuple[int, ...]
    steps: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        if 0 in self.shape:
            return 0
        last = sum((n - 1) * step for n, step in zip(self.shape, self.steps, strict=True))
        return (last + 1) * self.dtype.itemsize

    def read(self, region: Region, what: str) -> np.ndarray:
        """The elements. RuntimeError: one of them that nobody has written."""
        if not self._over(region.written, 1, np.dtype(np.bool_)).all():
            raise fault(what, f"reads memory at {self.address:#x} that nobody has written")
        return self._over(region.bytes.view(np.uint8), self.dtype.itemsize, self.dtype).copy()

    def write(self, region: Region, values: Any) -> None:
        self._over(region.bytes, self.dtype.itemsize, self.dtype)[...] = values
        for byte in range(self.dtype.itemsize):
            self._over(region.written[byte:], 1, np.dtype(np.bool_))[...] = True

    def _over(self, memory: np.ndarray, size: int, dtype: np.dtype) -> np.ndarray:
        if 0 in self.shape:
            return np.empty(self.shape, dtype)
        first = memory[:size].view(dtype)
        return as_strided(first, self.shape, [step * self.dtype.itemsize for step in self.steps])


def column_major(address: int, dtype: np.dtype, rows: int, columns: int, ld: int, batch: int, stride: int) -> Operand:
    return Operand(address, dtype, (batch, rows, columns), (stride, 1, ld))


def row(address: int, dtype: np.dtype, size: int) -> Operand:
    return Operand(address, dtype, (size,), (1,))


Operands = Sequence[Operand]
