"""Solvers of simulated devices: LAPACK over the memory that addresses and leading dimensions describe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import AcceleratorError
from ...kernels.cuda_libraries.protocol import OneByOne
from .device_memory import Region
from .driver import SimulatedDriver
from .library_memory import Operand, column_major, row

INT32 = np.dtype(np.int32)
Values = tuple[Any, ...]


def matrix(address: int, dtype: np.dtype, rows: int, columns: int, ld: int) -> Operand:
    if ld < max(rows, 1):
        raise AcceleratorError(f"cuSOLVER error: CUSOLVER_STATUS_INVALID_VALUE: ld is {ld} of {rows} rows")
    return column_major(address, dtype, rows, columns, ld, 1, 0)._replace(shape=(rows, columns), steps=(1, ld))


def lapack(name: str, dtype: np.dtype) -> Callable[..., Any]:
    from scipy.linalg import get_blas_funcs, get_lapack_funcs

    find = get_blas_funcs if name == "trsm" else get_lapack_funcs
    return find((name,), (np.empty(0, dtype),))[0]


class SimulatedSolvers(OneByOne):
    """Solvers that compute when the stream of a simulated driver gets there. See `protocol.Solvers`."""

    driver: SimulatedDriver

    def _run(
        self,
        name: str,
        args: Sequence[Operand],
        results: Sequence[Operand],
        compute: Callable[..., Values],
        stream: int,
    ) -> None:
        def run(regions: list[Region]) -> None:
            values = [one.read(region, name) for one, region in zip(args, regions, strict=False)]
            for one, region, value in zip(results, regions[len(args) :], compute(*values), strict=True):
                one.write(region, value)

        uses = [(one.address, one.nbytes, False) for one in args] + [(one.address, one.nbytes, True) for one in results]
        self.driver.call(name, uses, run, stream)

    def potrf(self, dtype: np.dtype, n: int, a: int, lda: int, info: int, stream: int) -> None:
        own = matrix(a, dtype, n, n, lda)

        def compute(x: Any) -> Values:
            return lapack("potrf", dtype)(x, lower=1, clean=0)

        self._run("potrf", [own], [own, row(info, INT32, 1)], compute, stream)

    def getrf(self, dtype: np.dtype, m: int, n: int, a: int, lda: int, pivots: int, info: int, stream: int) -> None:
        own = matrix(a, dtype, m, n, lda)

        def compute(x: Any) -> Values:
            packed, exchanged, failed = lapack("getrf", dtype)(x)
            return packed, exchanged + 1, failed

        self._run("getrf", [own], [own, row(pivots, INT32, min(m, n)), row(info, INT32, 1)], compute, stream)

    def getrs(
        self, dtype: np.dtype, n: int, k: int, a: int, lda: int, pivots: int, b: int, ldb: int, info: int, stream: int
    ) -> None:
        right = matrix(b, dtype, n, k, ldb)

        def compute(x: Any, exchanged: Any, y: Any) -> Values:
            return lapack("getrs", dtype)(x, exchanged - 1, y)

        args = [matrix(a, dtype, n, n, lda), row(pivots, INT32, n), right]
        self._run("getrs", args, [right, row(info, INT32, 1)], compute, stream)

    def geqrf(self, dtype: np.dtype, m: int, n: int, a: int, lda: int, tau: int, info: int, stream: int) -> None:
        own = matrix(a, dtype, m, n, lda)

        def compute(x: Any) -> Values:
            packed, factors, _, failed = lapack("geqrf", dtype)(x)
            return packed, factors, failed

        self._run("geqrf", [own], [own, row(tau, dtype, min(m, n)), row(info, INT32, 1)], compute, stream)

    def orgqr(
        self, dtype: np.dtype, m: int, n: int, k: int, a: int, lda: int, tau: int, info: int, stream: int
    ) -> None:
        own = matrix(a, dtype, m, n, lda)

        def compute(x: Any, factors: Any) -> Values:
            result, _, failed = lapack("ungqr" if dtype.kind == "c" else "orgqr", dtype)(x, factors)
            return result, failed

        self._run("orgqr", [own, row(tau, dtype, k)], [own, row(info, INT32, 1)], compute, stream)

    def gesvd(
        self, dtype: np.dtype, vectors: str, m: int, n: int, a: int, lda: int,
        s: int, u: int, ldu: int, vh: int, ldvh: int, info: int, stream: int,
    ) -> None:  # fmt: skip
        if m < n:
            raise AcceleratorError(f"cuSOLVER error: CUSOLVER_STATUS_INVALID_VALUE: gesvd of {m} rows, {n} columns")
        real = np.zeros(0, dtype).real.dtype
        results = [row(s, real, n), row(info, INT32, 1), matrix(a, dtype, m, n, lda)]
        if vectors != "N":
            results += [matrix(u, dtype, m, m if vectors == "A" else n, ldu), matrix(vh, dtype, n, n, ldvh)]

        def compute(x: Any) -> Values:
            used = np.full(x.shape, np.nan, dtype)
            try:
                left, values, right = np.linalg.svd(x.T if m == n else x, vectors == "A")
            except np.linalg.LinAlgError:
                return (np.nan, 1, used, np.nan, np.nan)[: len(results)]
            if m == n:  # square matrices come by rows: so signs, which are free, are the CPU's
                left, right = right.T, left.T
            return (values, int(np.isnan(values).any()), used, left, right)[: len(results)]

        self._run("gesvd", [matrix(a, dtype, m, n, lda)], results, compute, stream)

    def syevd(self, dtype: np.dtype, vectors: bool, n: int, a: int, lda: int, w: int, info: int, stream: int) -> None:
        own, real = matrix(a, dtype, n, n, lda), np.zeros(0, dtype).real.dtype

        def compute(x: Any) -> Values:
            try:
                values, result = np.linalg.eigh(x, "L")
            except np.linalg.LinAlgError:
                return np.nan, np.nan, 1
            return result if vectors else np.full(x.shape, np.nan, dtype), values, 0

        self._run("syevd", [own], [own, row(w, real, n), row(info, INT32, 1)], compute, stream)

    def geev(
        self, dtype: np.dtype, vectors: bool, n: int, a: int, lda: int, w: int, v: int, ldv: int, info: int, stream: int
    ) -> None:
        own = matrix(a, dtype, n, n, lda)
        results = [own, row(w, dtype, n), row(info, INT32, 1), *([matrix(v, dtype, n, n, ldv)] if vectors else [])]

        def compute(x: Any) -> Values:
            used = np.full(x.shape, np.nan, dtype)
            try:  # in whatever order; that of the CPU, which takes real matrices as what they are
                values, result = np.linalg.eig(x if x.imag.any() else x.real)
            except np.linalg.LinAlgError:
                return (used, np.nan, 1, np.nan)[: len(results)]
            return (used, values, 0, result)[: len(results)]

        self._run("geev", [own], results, compute, stream)

    def trsm(
        self, dtype: np.dtype, lower: bool, unit: bool, m: int, n: int, a: int, lda: int, b: int, ldb: int, stream: int
    ) -> None:
        right = matrix(b, dtype, m, n, ldb)

        def compute(x: Any, y: Any) -> Values:
            return (lapack("trsm", dtype)(1, x, y, side=1, lower=lower, diag=unit),)

        self._run("trsm", [matrix(a, dtype, n, n, lda), right], [right], compute, stream)
