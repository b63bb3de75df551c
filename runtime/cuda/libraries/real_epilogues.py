"""Products of real devices to which cuBLASLt adds a bias before it writes them; its choices are kept by shape."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np

from ...tensor.devices import device as device_of
from .. import memory
from .kept import Kept
from .protocol import Gemm
from .real_precision import DATA_TYPES, compute_type, full_sums
from .real_streams import stream_handle

# Of cublasLtMatmulDescAttributes_t, cublasLtEpilogue_t and cublasLtMatmulPreferenceAttributes_t.
TRANSPOSE_A, TRANSPOSE_B, EPILOGUE, BIAS_POINTER = 3, 4, 7, 8
BIAS = 4
MOST_WORKSPACE, REDUCTION_SCHEMES = 1, 3
ALIGNMENTS = 5, 6, 7, 8  # of A, B, C and D
IN_COMPUTE_TYPE = 2  # of cublasLtReductionScheme_t
NOT_SUPPORTED = 15  # of cublasStatus_t
WORKSPACE = 1 << 25  # bytes that an algorithm may ask for
MOST_ALIGNED = 256
PLANS = 512  # of a thread
# cublasLtMatmulHeuristicResult_t, which begins with the algorithm.
RESULT = np.dtype(
    [("algo", "V64"), ("workspace_size", "u8"), ("state", "i4"), ("waves_count", "f4"), ("reserved", "V16")]
)


class Choice(NamedTuple):
    """What a product is described by, and the algorithm that was chosen for it; None where there is none."""

    description: int
    layouts: tuple[int, int, int]  # of A, B and C
    algorithm: np.ndarray | None
    workspace: int


class _Here(threading.local):
    """Choices of a thread: a description holds the address of the bias while it is used."""

    def __init__(self) -> None:
        self.choices: Kept[tuple[Any, Choice]] = Kept(PLANS, forget)


def forget(kept: tuple[Any, Choice]) -> None:
    """Give back what a choice holds."""
    cublas, choice = kept
    cublas.matmul_desc_destroy(choice.description)
    for layout in choice.layouts:
        cublas.matrix_layout_destroy(layout)


class RealEpilogues:
    """Products that cuBLASLt does more with. See `protocol.Libraries`."""

    driver: Any

    def __init__(self) -> None:
        self.chosen_here = _Here()

    def created(self, library: str, stream: int) -> tuple[Any, int]:
        raise NotImplementedError

    def gemm_with_bias(self, gemm: Gemm, a: int, b: int, bias: int, c: int, stream: int) -> bool:
        if gemm.stored.kind == "c" or gemm.batch != 1:
            return False
        cublas, handle = self.created("cublasLt", stream)
        device = self.driver.enter(stream)
        computed, full = compute_type(gemm), full_sums(gemm.stored.name)
        aligned = tuple(alignment(address) for address in (a, b, c, c))
        key = gemm._replace(alpha=1, beta=0), aligned, computed, full, device
        _, choice = self.chosen_here.choices.get(
            key, lambda: (cublas, chosen(cublas, handle, gemm, aligned, computed, full))
        )
        if choice.algorithm is None:
            return False
        scratch = memory.empty((max(choice.workspace, 1),), np.dtype(np.uint8), device_of("cuda", device))
        put(cublas.matmul_desc_set_attribute, choice.description, BIAS_POINTER, bias, np.int64)
        numbers = np.array([gemm.alpha, gemm.beta], gemm.computed)
        alpha = numbers.ctypes.data
        left, right, result = choice.layouts
        cublas.matmul(
            handle, choice.description, alpha, a, left, b, right, alpha + gemm.computed.itemsize, c, result, c, result,
            choice.algorithm.ctypes.data, scratch.address, choice.workspace, stream_handle(stream),
        )  # fmt: skip
        return True


def chosen(cublas: Any, handle: int, gemm: Gemm, aligned: tuple[int, ...], computed: int, full: bool) -> Choice:
    """The algorithm that cuBLASLt's heuristic puts first."""
    kind = DATA_TYPES[gemm.stored.name]
    description = cublas.matmul_desc_create(computed, DATA_TYPES[gemm.computed.name])
    for attribute, value, dtype in (
        (TRANSPOSE_A, gemm.transpose_a, np.int32), (TRANSPOSE_B, gemm.transpose_b, np.int32),
        (EPILOGUE, BIAS, np.uint32),
    ):  # fmt: skip
        put(cublas.matmul_desc_set_attribute, description, attribute, value, dtype)
    rows_a, columns_a = (gemm.k, gemm.m) if gemm.transpose_a else (gemm.m, gemm.k)
    rows_b, columns_b = (gemm.n, gemm.k) if gemm.transpose_b else (gemm.k, gemm.n)
    layouts = (
        cublas.matrix_layout_create(kind, rows_a, columns_a, gemm.lda),
        cublas.matrix_layout_create(kind, rows_b, columns_b, gemm.ldb),
        cublas.matrix_layout_create(DATA_TYPES[gemm.result.name], gemm.m, gemm.n, gemm.ldc),
    )
    preference = preferred(cublas, aligned, full)
    found, count = np.zeros(1, RESULT), np.zeros(1, np.int32)
    given = handle, description, layouts[0], layouts[1], layouts[2], layouts[2], preference
    try:
        cublas.matmul_algo_get_heuristic(*given, 1, found.ctypes.data, count.ctypes.data)
    except cublas.cuBLASLtError as error:
        if error.status != NOT_SUPPORTED:
            raise
    cublas.matmul_preference_destroy(preference)
    if not count[0] or found["state"][0]:
        return Choice(description, layouts, None, 0)
    return Choice(description, layouts, found, int(found["workspace_size"][0]))


def preferred(cublas: Any, aligned: tuple[int, ...], full: bool) -> int:
    """What the heuristic may choose from."""
    preference: int = cublas.matmul_preference_create()
    setter = cublas.matmul_preference_set_attribute
    put(setter, preference, MOST_WORKSPACE, WORKSPACE, np.uint64)
    if full:
        put(setter, preference, REDUCTION_SCHEMES, IN_COMPUTE_TYPE, np.uint32)
    for attribute, value in zip(ALIGNMENTS, aligned, strict=True):
        put(setter, preference, attribute, value, np.uint32)
    return preference


def put(setter: Any, target: int, attribute: int, value: int, dtype: Any) -> None:
    """Set an attribute: functions of cuBLASLt take the address of its value."""
    memory_of_value = np.array([value], dtype)
    setter(target, attribute, memory_of_value.ctypes.data, memory_of_value.nbytes)


def alignment(address: int) -> int:
    """The greatest power of two that divides an address, up to that of new memory."""
    return min(address & -address, MOST_ALIGNED)
