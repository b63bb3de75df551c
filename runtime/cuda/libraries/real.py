"""Libraries of real devices, through `nvmath.bindings`: cuBLAS."""

from __future__ import annotations

import importlib
import threading
from typing import Any

import numpy as np

from ..protocol import DEFAULT_STREAMS
from .protocol import Gemm

# Of cudaDataType_t, cublasComputeType_t and cublasOperation_t.
DATA_TYPES = {"float32": 0, "float64": 1, "float16": 2, "complex64": 4, "complex128": 5, "bfloat16": 14}
COMPUTE_TYPES = {"float32": 68, "float64": 70, "complex64": 68, "complex128": 70}
NOT_TRANSPOSED, TRANSPOSED = 0, 1
DEFAULT_ALGORITHM = -1


class _Here(threading.local):
    """The handles of a thread, by library and device: a handle is used by one thread at a time."""

    def __init__(self) -> None:
        self.handles: dict[tuple[str, int], int] = {}


class RealLibraries:
    """Libraries that call NVIDIA's.

    Args:
        driver: the driver in use, which makes the context of a stream's device the current one.
    """

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self.here = _Here()

    def handle(self, library: str, stream: int) -> tuple[Any, int]:
        """The bindings of a library, and its handle on the device of a stream, which works on that stream."""
        device = self.driver.enter(stream)
        bindings = importlib.import_module(f"nvmath.bindings.{library}")
        if (library, device) not in self.here.handles:
            self.here.handles[library, device] = bindings.create()
        found = self.here.handles[library, device]
        bindings.set_stream(found, stream_handle(stream))
        return bindings, found

    def gemm(self, gemm: Gemm, a: int, b: int, c: int, stream: int) -> None:
        cublas, handle = self.handle("cublas", stream)
        numbers = np.array([gemm.alpha, gemm.beta], gemm.computed)
        alpha = numbers.ctypes.data
        kind, result = DATA_TYPES[gemm.stored.name], DATA_TYPES[gemm.result.name]
        operations = [TRANSPOSED if flag else NOT_TRANSPOSED for flag in (gemm.transpose_a, gemm.transpose_b)]
        cublas.gemm_strided_batched_ex_64(
            handle,
            *operations,
            gemm.m,
            gemm.n,
            gemm.k,
            alpha,
            a,
            kind,
            gemm.lda,
            gemm.stride_a,
            b,
            kind,
            gemm.ldb,
            gemm.stride_b,
            alpha + gemm.computed.itemsize,
            c,
            result,
            gemm.ldc,
            gemm.stride_c,
            gemm.batch,
            COMPUTE_TYPES[gemm.computed.name],
            DEFAULT_ALGORITHM,
        )


def stream_handle(stream: int) -> int:
    """CUDA's handle of a stream: 0 is the default stream of the current context."""
    return 0 if stream < DEFAULT_STREAMS else stream
