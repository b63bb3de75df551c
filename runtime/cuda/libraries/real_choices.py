"""What cuBLASLt is told of a product, and the algorithm that it chooses."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from .protocol import Gemm
from .real_precision import DATA_TYPES

# Of cublasLtMatmulDescAttributes_t, cublasLtMatrixLayoutAttribute_t, cublasLtEpilogue_t and
# cublasLtMatmulPreferenceAttributes_t.
TRANSPOSE_A, TRANSPOSE_B, EPILOGUE, BIAS_POINTER = 3, 4, 7, 8
BATCH_COUNT, BATCH_OFFSET = 5, 6
BIAS = 4
MAX_WORKSPACE_PREF, REDUCTION_SCHEMES = 1, 3
ALIGNMENTS = 5, 6, 7, 8  # of A, B, C and D
IN_COMPUTE_TYPE = 2  # of cublasLtReductionScheme_t
NOT_SUPPORTED = 15  # of cublasStatus_t
WORKSPACE = 1 << 25  # bytes that an algorithm may ask for
MAX_ALIGNED = 16  # bytes: no access is wider
# cublasLtMatmulHeuristicResult_t, which begins with the algorithm.
RESULT = np.dtype(
    [("algo", "V64"), ("workspace_size", "u8"), ("state", "i4"), ("waves_count", "f4"), ("reserved", "V16")]
)


class Choice:
    """Descriptors of a product and its matrices, which are given back with this, and an algorithm, if there is one.

    Args:
        cublas: the bindings of cuBLASLt.
        gemm: the product.
        bias: whether a bias is added.
        computed: of cublasComputeType_t.
    """

    def __init__(self, cublas: Any, gemm: Gemm, bias: bool, computed: int) -> None:
        kind = DATA_TYPES[gemm.stored.name]
        rows_a, columns_a = (gemm.k, gemm.m) if gemm.transpose_a else (gemm.m, gemm.k)
        rows_b, columns_b = (gemm.n, gemm.k) if gemm.transpose_b else (gemm.k, gemm.n)
        self.cublas = cublas
        self.made_of = gemm, bias, computed
        self.description: int = described(cublas, gemm, bias, computed)
        self.left = layout(cublas, kind, rows_a, columns_a, gemm.lda, gemm.batch, gemm.stride_a)
        self.right = layout(cublas, kind, rows_b, columns_b, gemm.ldb, gemm.batch, gemm.stride_b)
        self.result = layout(cublas, DATA_TYPES[gemm.result.name], gemm.m, gemm.n, gemm.ldc, gemm.batch, gemm.stride_c)
        self.algorithm: np.ndarray | None = None
        self.workspace = 0
        held = self.description, (self.left, self.right, self.result)
        weakref.finalize(self, give_back, cublas, *held).atexit = False

    def again(self) -> Choice:
        made = Choice(self.cublas, *self.made_of)
        made.algorithm, made.workspace = self.algorithm, self.workspace
        return made

    def ask(self, handle: int, aligned: int, full: bool) -> None:
        """Let cuBLASLt's heuristic choose, for addresses of an alignment; `full` keeps sums in the computed type."""
        preference = preferred(self.cublas, aligned, full)
        result, count = np.zeros(1, RESULT), np.zeros(1, np.int32)
        args = handle, self.description, self.left, self.right, self.result, self.result, preference
        try:
            self.cublas.matmul_algo_get_heuristic(*args, 1, result.ctypes.data, count.ctypes.data)
        except self.cublas.cuBLASLtError as error:
            if error.status != NOT_SUPPORTED:
                raise
        finally:
            self.cublas.matmul_preference_destroy(preference)
        if count[0] and not result["state"][0]:
            self.algorithm, self.workspace = result, int(result["workspace_size"][0])


def give_back(cublas: Any, description: int, layouts: tuple[int, ...]) -> None:
    cublas.matmul_desc_destroy(description)
    for each in layouts:
        cublas.matrix_layout_destroy(each)


def described(cublas: Any, gemm: Gemm, bias: bool, computed: int) -> int:
    description: int = cublas.matmul_desc_create(computed, DATA_TYPES[gemm.computed.name])
    put(cublas.matmul_desc_set_attribute, description, TRANSPOSE_A, gemm.transpose_a, np.int32)
    put(cublas.matmul_desc_set_attribute, description, TRANSPOSE_B, gemm.transpose_b, np.int32)
    if bias:
        put(cublas.matmul_desc_set_attribute, description, EPILOGUE, BIAS, np.uint32)
    return description


def layout(cublas: Any, kind: int, rows: int, columns: int, ld: int, batch: int, stride: int) -> int:
    made: int = cublas.matrix_layout_create(kind, rows, columns, ld)
    if batch > 1:
        put(cublas.matrix_layout_set_attribute, made, BATCH_COUNT, batch, np.int32)
        put(cublas.matrix_layout_set_attribute, made, BATCH_OFFSET, stride, np.int64)
    return made


def preferred(cublas: Any, aligned: int, full: bool) -> int:
    preference: int = cublas.matmul_preference_create()
    setter = cublas.matmul_preference_set_attribute
    put(setter, preference, MAX_WORKSPACE_PREF, WORKSPACE, np.uint64)
    if full:
        put(setter, preference, REDUCTION_SCHEMES, IN_COMPUTE_TYPE, np.uint32)
    for attribute in ALIGNMENTS:
        put(setter, preference, attribute, aligned, np.uint32)
    return preference


def put(setter: Any, target: int, attribute: int, value: int, dtype: Any) -> None:
    """Set an attribute: functions of cuBLASLt take the address of its value."""
    memory_of_value = np.array([value], dtype)
    setter(target, attribute, memory_of_value.ctypes.data, memory_of_value.nbytes)


def alignment(*addresses: int) -> int:
    """The greatest power of two that divides all addresses, up to what matters."""
    return min([MAX_ALIGNED, *(address & -address for address in addresses)])
