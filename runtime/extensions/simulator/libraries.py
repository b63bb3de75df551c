"""Libraries of simulated devices: NumPy over the memory that addresses, leading dimensions and strides describe."""

from __future__ import annotations

import ctypes
from math import prod

import numpy as np

from ...errors import AcceleratorError
from ...extension_points import fill
from ...kernels.cuda_launch.launch import FUNCTION, Called, arguments, performed
from ...kernels.cuda_libraries.protocol import Fft, Gemm
from .device_memory import Region
from .driver import SimulatedDriver
from .library_memory import Operand, column_major, row
from .solvers import SimulatedSolvers

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
