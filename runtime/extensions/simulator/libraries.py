"""Libraries of simulated devices: NumPy over the memory that addresses, leading dimensions and strides describe."""

import ctypes
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...errors import AcceleratorError
from ...extension_points import fill
from ...kernels.cuda_launch.launch import FUNCTION, Called, arguments, performed
from ...kernels.cuda_libraries.protocol import Batches, Fft, Gemm
from .device_memory import Region, fault
from .driver import SimulatedDriver


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


class SimulatedSolvers(Batches):
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
        results = [own, row(info, INT32, 1)]
        self._run("potrf", [own], results, lambda x: lapack("potrf", dtype)(x, lower=1, clean=0), stream)

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
        args, results = [matrix(a, dtype, n, n, lda), row(pivots, INT32, n), right], [right, row(info, INT32, 1)]
        self._run("getrs", args, results, lambda x, rows, y: lapack("getrs", dtype)(x, rows - 1, y), stream)

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


FAILED = 1  # a status


class SimulatedLibraries(SimulatedSolvers):
    """Libraries that compute when the stream of a simulated driver gets there."""

    def __init__(self, driver: SimulatedDriver) -> None:
        self.driver = driver
        self._products: dict[tuple[Gemm, bool], int] = {}  # their numbers
        self._entry = FUNCTION(self._called)
        self._error: Exception | None = None

    def gemm(self, gemm: Gemm, a: int, b: int, c: int, stream: int) -> None:
        self._perform(gemm, False, a, b, 0, c, stream)

    def gemm_with_bias(self, gemm: Gemm, a: int, b: int, bias: int, c: int, stream: int) -> bool:
        if gemm.stored.kind == "c" or gemm.batch != 1:
            return False
        self._perform(gemm, True, a, b, bias, c, stream)
        return True

    def _perform(self, gemm: Gemm, biased: bool, *addresses: int) -> None:
        """Call a product by an address, as those of real libraries are, with a number for what it is."""
        number = self._products.setdefault((gemm, biased), len(self._products))
        positions = [index for index, address in enumerate(addresses[:4], 1) if address]
        function = ctypes.cast(self._entry, ctypes.c_void_p).value or 0
        if performed(Called(function, arguments(number, *addresses), positions, 1, [], self)):
            assert self._error is not None, "it says why"
            raise self._error

    def _called(self, number: int, a: int, b: int, bias: int, c: int, stream: int, *unread: int) -> int:
        gemm, biased = list(self._products)[number]
        try:
            extra = row(bias, gemm.result, gemm.m) if biased else None
            self._multiply(gemm, a, b, extra, c, stream)
        except Exception as error:
            self._error = error
            return FAILED
        return 0

    def _multiply(self, gemm: Gemm, a: int, b: int, bias: Operand | None, c: int, stream: int) -> None:
        left, right, result = gemm_operands(gemm, a, b, c)
        extra = row(c, gemm.result, 0) if bias is None else bias

        def run(regions: list[Region]) -> None:
            x, y = (
                operand.read(region, "gemm").astype(gemm.computed)
                for operand, region in zip((left, right), regions[:2], strict=True)
            )
            x, y = (x.swapaxes(1, 2) if gemm.transpose_a else x), (y.swapaxes(1, 2) if gemm.transpose_b else y)
            total = np.matmul(x, y) * gemm.computed.type(gemm.alpha)
            if gemm.beta:
                total += gemm.computed.type(gemm.beta) * result.read(regions[2], "gemm").astype(gemm.computed)
            if bias is not None:
                total += bias.read(regions[3], "gemm").astype(gemm.computed)[:, None]
            result.write(regions[2], total.astype(gemm.result))

        uses = [(operand.address, operand.nbytes, operand is result) for operand in (left, right, result, extra)]
        self.driver.call("gemm", uses, run, stream)

    def fft(self, fft: Fft, source: int, to: int, stream: int) -> None:
        own, half = (fft.complex, fft.half) if fft.kind != "c2c" else (fft.complex, fft.sizes)
        value = in_row_order(source, *((fft.real, fft.sizes) if fft.kind == "r2c" else (own, half)), fft.batch)
        result = in_row_order(to, *((fft.real, fft.sizes) if fft.kind == "c2r" else (own, half)), fft.batch)

        def run(regions: list[Region]) -> None:
            values = transformed(fft, value.read(regions[0], "fft"))
            if fft.kind == "c2r":
                regions[0].bytes.fill(0xFF)
            result.write(regions[1], values)

        uses = (value.address, value.nbytes, fft.kind == "c2r"), (result.address, result.nbytes, True)
        self.driver.call("fft", uses, run, stream)


def in_row_order(address: int, dtype: np.dtype, sizes: tuple[int, ...], batch: int) -> Operand:
    return row(address, dtype, batch * prod(sizes))._replace(shape=(batch, *sizes), steps=steps_of((batch, *sizes)))


def steps_of(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(prod(shape[d + 1 :]) for d in range(len(shape)))


def transformed(fft: Fft, values: np.ndarray) -> np.ndarray:
    from scipy import fft as scipy_fft

    axes = tuple(range(1, values.ndim))
    if fft.kind == "r2c":
        result = scipy_fft.rfftn(values, axes=axes)
    elif fft.kind == "c2r":
        result = scipy_fft.irfftn(values, s=fft.sizes, axes=axes, norm="forward")
    elif fft.forward:
        result = scipy_fft.fftn(values, axes=axes)
    else:
        result = scipy_fft.ifftn(values, axes=axes, norm="forward")
    return np.asarray(result)


def gemm_operands(gemm: Gemm, a: int, b: int, c: int) -> tuple[Operand, Operand, Operand]:
    """The matrices of a product. RuntimeError: a leading dimension is less than the length of a column, or matrices of
    the result overlap.
    """
    rows_a, columns_a = (gemm.k, gemm.m) if gemm.transpose_a else (gemm.m, gemm.k)
    rows_b, columns_b = (gemm.n, gemm.k) if gemm.transpose_b else (gemm.k, gemm.n)
    lengths = ((rows_a, gemm.lda, "lda"), (rows_b, gemm.ldb, "ldb"), (gemm.m, gemm.ldc, "ldc"))
    for rows, ld, name in lengths:
        if ld < max(rows, 1):
            raise AcceleratorError(f"cuBLAS error: CUBLAS_STATUS_INVALID_VALUE: {name} is {ld} of {rows} rows")
    if gemm.batch > 1 and gemm.stride_c < gemm.m + (gemm.n - 1) * gemm.ldc and gemm.ldc < gemm.m + gemm.stride_c:
        raise AcceleratorError("cuBLAS error: CUBLAS_STATUS_INVALID_VALUE: matrices of the result overlap")
    return (
        column_major(a, gemm.stored, rows_a, columns_a, gemm.lda, gemm.batch, gemm.stride_a),
        column_major(b, gemm.stored, rows_b, columns_b, gemm.ldb, gemm.batch, gemm.stride_b),
        column_major(c, gemm.result, gemm.m, gemm.n, gemm.ldc, gemm.batch, gemm.stride_c),
    )


fill("cuda_libraries", SimulatedLibraries)
