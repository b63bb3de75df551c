"""Batches of small matrices on real devices: one call of cuBLAS or cuSOLVER for all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...tensor.devices import device as device_of
from .addresses import addresses_of
from .batches import Matrices, OneByOne
from .real_solvers import LOWER, NOT_TRANSPOSED, PREFIX, RIGHT, UPPER

SMALL = 128  # rows up to which a call for all matrices is faster than one for each


class RealBatches(OneByOne):
    """Solvers of batches that call NVIDIA's, for more than one matrix of few rows."""

    driver: Any

    def handle(self, library: str, stream: int) -> tuple[Any, int]:
        raise NotImplementedError

    def _matrix_pointers(self, a: Matrices, count: int, stream: int) -> Any:
        return addresses_of(a.address, a.step, count, device_of("cuda", self.driver.enter(stream)))

    def potrf_all(self, dtype: np.dtype, n: int, a: Matrices, info: int, count: int, stream: int) -> None:
        if count == 1 or n > SMALL:
            return super().potrf_all(dtype, n, a, info, count, stream)
        pointers = self._matrix_pointers(a, count, stream)
        cusolver, handle = self.handle("cusolverDn", stream)
        routine = getattr(cusolver, f"{PREFIX[dtype.char]}potrf_batched")
        return routine(handle, LOWER, n, pointers.address, a.ld, info, count)

    def getrf_all(self, dtype: np.dtype, n: int, a: Matrices, pivots: int, info: int, count: int, stream: int) -> None:
        if count == 1 or n > SMALL:
            return super().getrf_all(dtype, n, a, pivots, info, count, stream)
        pointers = self._matrix_pointers(a, count, stream)
        cublas, handle = self.handle("cublas", stream)
        routine = getattr(cublas, f"{PREFIX[dtype.char]}getrf_batched")
        return routine(handle, n, pointers.address, a.ld, pivots, info, count)

    def getrs_all(
        self, dtype: np.dtype, n: int, k: int, a: Matrices, pivots: int, b: Matrices, info: int, count: int, stream: int
    ) -> None:
        if count == 1 or n > SMALL:
            return super().getrs_all(dtype, n, k, a, pivots, b, info, count, stream)
        pointers, right = self._matrix_pointers(a, count, stream), self._matrix_pointers(b, count, stream)
        cublas, handle = self.handle("cublas", stream)
        routine = getattr(cublas, f"{PREFIX[dtype.char]}getrs_batched")
        wrong = np.zeros(1, np.int32)  # which argument is; those of the device are not looked at
        return routine(
            handle, NOT_TRANSPOSED, n, k, pointers.address, a.ld, pivots, right.address, b.ld, wrong.ctypes.data, count
        )

    def trsm_all(
        self, dtype: np.dtype, lower: bool, unit: bool, m: int, n: int, a: Matrices, b: Matrices, count: int,
        stream: int,
    ) -> None:  # fmt: skip
        if count == 1 or n > SMALL:
            return super().trsm_all(dtype, lower, unit, m, n, a, b, count, stream)
        pointers, right = self._matrix_pointers(a, count, stream), self._matrix_pointers(b, count, stream)
        cublas, handle = self.handle("cublas", stream)
        one = np.ones(1, dtype)
        shape = RIGHT, LOWER if lower else UPPER, NOT_TRANSPOSED, int(unit), m, n
        routine = getattr(cublas, f"{PREFIX[dtype.char]}trsm_batched")
        return routine(handle, *shape, one.ctypes.data, pointers.address, a.ld, right.address, b.ld, count)
