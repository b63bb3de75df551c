"""Solvers of real devices, through `nvmath.bindings`: cuSOLVER, cuBLAS for triangular systems, and one call of either
for a batch of small matrices."""

from functools import partial
from typing import Any

import numpy as np

from ...device.device import device as device_of
from ..cuda_launch import arrays
from .operands import addresses_of
from .protocol import Batches, Matrices

# Of cublasFillMode_t, cublasOperation_t, cublasDiagType_t, cublasSideMode_t, cusolverEigMode_t.
LOWER, UPPER = 0, 1
NOT_TRANSPOSED = 0
RIGHT = 1
VALUES, VECTORS = 0, 1
PREFIX = {"f": "s", "d": "d", "F": "c", "D": "z"}
DATA_TYPES = {"F": 4, "D": 5}  # of cudaDataType_t


class RealSolvers:
    """Solvers that call NVIDIA's. See `protocol.Solvers`."""

    driver: Any

    def handle(self, library: str, stream: int) -> tuple[Any, int]:
        raise NotImplementedError

    def _routine(self, name: str, dtype: np.dtype, stream: int) -> tuple[Any, Any, int]:
        bindings, handle = self.handle("cusolverDn", stream)
        own = f"{PREFIX[dtype.char]}{name}"
        return getattr(bindings, own), getattr(bindings, f"{own}_buffer_size", None), handle

    def _scratch(self, count: int, dtype: np.dtype, stream: int) -> Any:
        """Memory that is free again when the stream gets to what is given to it next."""
        return arrays.empty((max(count, 1),), dtype, device_of("cuda", self.driver.enter(stream)))

    def potrf(self, dtype: np.dtype, n: int, a: int, lda: int, info: int, stream: int) -> None:
        routine, size, handle = self._routine("potrf", dtype, stream)
        count = size(handle, LOWER, n, a, lda)
        scratch = self._scratch(count, dtype, stream)
        routine(handle, LOWER, n, a, lda, scratch.address, count, info)

    def getrf(self, dtype: np.dtype, m: int, n: int, a: int, lda: int, pivots: int, info: int, stream: int) -> None:
        routine, size, handle = self._routine("getrf", dtype, stream)
        scratch = self._scratch(size(handle, m, n, a, lda), dtype, stream)
        routine(handle, m, n, a, lda, scratch.address, pivots, info)

    def getrs(
        self, dtype: np.dtype, n: int, k: int, a: int, lda: int, pivots: int, b: int, ldb: int, info: int, stream: int,
    ) -> None:  # fmt: skip
        routine, _, handle = self._routine("getrs", dtype, stream)
        routine(handle, NOT_TRANSPOSED, n, k, a, lda, pivots, b, ldb, info)

    def geqrf(self, dtype: np.dtype, m: int, n: int, a: int, lda: int, tau: int, info: int, stream: int) -> None:
        routine, size, handle = self._routine("geqrf", dtype, stream)
        count = size(handle, m, n, a, lda)
        scratch = self._scratch(count, dtype, stream)
        routine(handle, m, n, a, lda, tau, scratch.address, count, info)

    def orgqr(
        self, dtype: np.dtype, m: int, n: int, k: int, a: int, lda: int, tau: int, info: int, stream: int
    ) -> None:
        routine, size, handle = self._routine("ungqr" if dtype.kind == "c" else "orgqr", dtype, stream)
        count = size(handle, m, n, k, a, lda, tau)
        scratch = self._scratch(count, dtype, stream)
        routine(handle, m, n, k, a, lda, tau, scratch.address, count, info)

    def gesvd(
        self, dtype: np.dtype, vectors: str, m: int, n: int, a: int, lda: int,
        s: int, u: int, ldu: int, vh: int, ldvh: int, info: int, stream: int,
    ) -> None:  # fmt: skip
        routine, size, handle = self._routine("gesvd", dtype, stream)
        count = size(handle, m, n)
        scratch = self._scratch(count, dtype, stream)
        real = self._scratch(n, np.zeros(0, dtype).real.dtype, stream)
        job = ord(vectors)
        routine(
            handle, job, job, m, n, a, lda, s, u, ldu, vh, ldvh, scratch.address, count, real.address, info
        )  # fmt: skip

    def syevd(self, dtype: np.dtype, vectors: bool, n: int, a: int, lda: int, w: int, info: int, stream: int) -> None:
        routine, size, handle = self._routine("heevd" if dtype.kind == "c" else "syevd", dtype, stream)
        job = VECTORS if vectors else VALUES
        count = size(handle, job, LOWER, n, a, lda, w)
        scratch = self._scratch(count, dtype, stream)
        routine(handle, job, LOWER, n, a, lda, w, scratch.address, count, info)

    def geev(
        self, dtype: np.dtype, vectors: bool, n: int, a: int, lda: int, w: int, v: int, ldv: int, info: int, stream: int
    ) -> None:
        cusolver, handle = self.handle("cusolverDn", stream)
        kind, job = DATA_TYPES[dtype.char], VECTORS if vectors else VALUES
        parameters = cusolver.create_params()
        args = handle, parameters, VALUES, job, n, kind, a, lda, kind, w, kind, 0, n, kind, v, ldv, kind
        there, here = cusolver.xgeev_buffer_size(*args)
        scratch, own = self._scratch(there, np.dtype(np.uint8), stream), np.empty(max(here, 1), np.uint8)
        cusolver.xgeev(*args, scratch.address, there, own.ctypes.data, here, info)
        self.driver.synchronize_stream(stream)  # the library reads `own` for as long as it works
        cusolver.destroy_params(parameters)

    def trsm(
        self, dtype: np.dtype, lower: bool, unit: bool, m: int, n: int, a: int, lda: int, b: int, ldb: int, stream: int
    ) -> None:
        cublas, handle = self.handle("cublas", stream)
        one = np.ones(1, dtype)
        shape = RIGHT, LOWER if lower else UPPER, NOT_TRANSPOSED, int(unit), m, n
        getattr(cublas, f"{PREFIX[dtype.char]}trsm_64")(handle, *shape, one.ctypes.data, a, lda, b, ldb)


SMALL = 128  # rows up to which a call for all matrices is faster than one for each


class RealBatches(Batches):
    """Solvers of batches that call NVIDIA's, for more than one matrix of few rows."""

    driver: Any

    def handle(self, library: str, stream: int) -> tuple[Any, int]:
        raise NotImplementedError

    def _matrix_pointers(self, a: Matrices, count: int, stream: int) -> Any:
        return addresses_of(a.address, a.step, count, device_of("cuda", self.driver.enter(stream)))

    def _batched(self, library: str, name: str, dtype: np.dtype, n: int, count: int, stream: int) -> Any:
        """The call for all matrices; None where one for each is as fast."""
        if count == 1 or n > SMALL:
            return None
        bindings, handle = self.handle(library, stream)
        return partial(getattr(bindings, f"{PREFIX[dtype.char]}{name}_batched"), handle)

    def potrf_all(self, dtype: np.dtype, n: int, a: Matrices, info: int, count: int, stream: int) -> None:
        call = self._batched("cusolverDn", "potrf", dtype, n, count, stream)
        if call is None:
            return super().potrf_all(dtype, n, a, info, count, stream)
        pointers = self._matrix_pointers(a, count, stream)
        return call(LOWER, n, pointers.address, a.ld, info, count)

    def getrf_all(self, dtype: np.dtype, n: int, a: Matrices, pivots: int, info: int, count: int, stream: int) -> None:
        call = self._batched("cublas", "getrf", dtype, n, count, stream)
        if call is None:
            return super().getrf_all(dtype, n, a, pivots, info, count, stream)
        pointers = self._matrix_pointers(a, count, stream)
        return call(n, pointers.address, a.ld, pivots, info, count)

    def getrs_all(
        self, dtype: np.dtype, n: int, k: int, a: Matrices, pivots: int, b: Matrices, info: int, count: int, stream: int
    ) -> None:
        call = self._batched("cublas", "getrs", dtype, n, count, stream)
        if call is None:
            return super().getrs_all(dtype, n, k, a, pivots, b, info, count, stream)
        pointers, right = self._matrix_pointers(a, count, stream), self._matrix_pointers(b, count, stream)
        wrong = np.zeros(1, np.int32)  # which argument is; those of the device are not looked at
        return call(NOT_TRANSPOSED, n, k, pointers.address, a.ld, pivots, right.address, b.ld, wrong.ctypes.data, count)

    def trsm_all(
        self, dtype: np.dtype, lower: bool, unit: bool, m: int, n: int, a: Matrices, b: Matrices, count: int,
        stream: int,
    ) -> None:  # fmt: skip
        call = self._batched("cublas", "trsm", dtype, n, count, stream)
        if call is None:
            return super().trsm_all(dtype, lower, unit, m, n, a, b, count, stream)
        pointers, right = self._matrix_pointers(a, count, stream), self._matrix_pointers(b, count, stream)
        one = np.ones(1, dtype)
        shape = RIGHT, LOWER if lower else UPPER, NOT_TRANSPOSED, int(unit), m, n
        return call(*shape, one.ctypes.data, pointers.address, a.ld, right.address, b.ld, count)
