"""How exactly products of real devices are computed: what the switches of `math_modes` mean to cuBLAS."""

from __future__ import annotations

from ...modes.math_modes import math_modes
from .protocol import Gemm

# Of cudaDataType_t, cublasComputeType_t and cublasMath_t.
DATA_TYPES = {"float32": 0, "float64": 1, "float16": 2, "complex64": 4, "complex128": 5, "bfloat16": 14}
COMPUTE_TYPES = {"float32": 68, "float64": 70, "complex64": 68, "complex128": 70}
IN_TF32 = 77
DEFAULT_MATH, FULL_SUMS = 0, 16


def compute_type(gemm: Gemm) -> int:
    """In what products are computed: numbers of 32 bits in TF32 where that is allowed."""
    if gemm.stored.name in ("float32", "complex64") and math_modes.matmul_tf32:
        return IN_TF32
    return COMPUTE_TYPES[gemm.computed.name]


def full_sums(name: str) -> bool:
    """Whether sums of products of a dtype must be kept in float32 until they are whole."""
    return not {"float16": math_modes.half_sums, "bfloat16": math_modes.bfloat16_sums}.get(name, True)
