"""Products of real devices: by cuBLASLt, whose choices are kept, and where that has no algorithm, by cuBLAS; the
switches of `math_modes` say how exactly."""

import threading
import weakref
from typing import Any, cast

import numpy as np

from ...device.cuda.array import DeviceArray
from ...device.cuda.dry_run import beyond_launches, here, is_rehearsed
from ...device.cuda.math_modes import math_modes
from ...device.device import device as device_of
from ...errors import AcceleratorError
from ..cuda_launch import arrays
from ..cuda_launch.launch import ARGUMENTS, Called, arguments, performed
from .handles import CachedHandles, address_of, stream_handle
from .protocol import Gemm, Number

# Of cudaDataType_t, cublasComputeType_t and cublasMath_t.
DATA_TYPES = {"float32": 0, "float64": 1, "float16": 2, "complex64": 4, "complex128": 5, "bfloat16": 14}
COMPUTE_TYPES = {"float32": 68, "float64": 70, "complex64": 68, "complex128": 70}
IN_TF32 = 77
DEFAULT_MATH, FULL_SUMS = 0, 16


def compute_type(gemm: Gemm) -> int:
    if gemm.stored.name in ("float32", "complex64") and math_modes.matmul_tf32:
        return IN_TF32
    return COMPUTE_TYPES[gemm.computed.name]


def full_sums(name: str) -> bool:
    """Whether sums of products of a dtype must be kept in float32 until they are whole."""
    return not {"float16": math_modes.half_sums, "bfloat16": math_modes.bfloat16_sums}.get(name, True)


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
    """Descriptors of a product and its matrices, which are given back with this, and an algorithm, if there is one;
    `computed` is of cublasComputeType_t."""

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

    def again(self) -> "Choice":
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
    memory_of_value = np.array([value], dtype)
    setter(target, attribute, memory_of_value.ctypes.data, memory_of_value.nbytes)


def alignment(*addresses: int) -> int:
    return min([MAX_ALIGNED, *(address & -address for address in addresses)])


NOT_TRANSPOSED, TRANSPOSED = 0, 1  # of cublasOperation_t
DEFAULT_ALGORITHM = -1
CHOICES = 512  # of a thread
MATRICES, WORKSPACE_ADDRESS = (3, 5, 8, 10), 13  # places of addresses among the arguments of cublasLtMatmul
# Behind the arguments of a call: alpha and beta, of two words each, or the address of the bias.
ALPHA, BETA, BIAS_ADDRESS = ARGUMENTS, ARGUMENTS + 2, ARGUMENTS


class _Here(threading.local):
    """Of a thread: a description holds the address of the bias while it is used, and a handle of cuBLAS its mode."""

    def __init__(self) -> None:
        self.choices: CachedHandles[Choice] = CachedHandles(CHOICES)
        self.full: dict[int, bool] = {}  # which of cuBLAS keep sums of 16-bit floats in float32


class RealProducts:
    driver: Any

    def __init__(self) -> None:
        self.products_here = _Here()

    def created(self, library: str, stream: int) -> tuple[Any, int]:
        raise NotImplementedError

    def handle(self, library: str, stream: int) -> tuple[Any, int]:
        raise NotImplementedError

    def gemm(self, gemm: Gemm, a: int, b: int, c: int, stream: int) -> None:
        if not self._multiplied(gemm, (a, b, c), None, stream):
            self._by_cublas(gemm, a, b, c, stream)

    def gemm_with_bias(self, gemm: Gemm, a: int, b: int, bias: int, c: int, stream: int) -> bool:
        return gemm.stored.kind != "c" and gemm.batch == 1 and self._multiplied(gemm, (a, b, c), bias, stream)

    def _multiplied(self, gemm: Gemm, addresses: tuple[int, int, int], bias: int | None, stream: int) -> bool:
        _, handle = self.created("cublasLt", stream)
        aligned, device = alignment(*addresses), self.driver.enter(stream)
        choice = self._choice(gemm, bias is not None, aligned, handle, device)
        if choice.algorithm is None:
            return False
        if bias is not None:
            perform("cublasLtMatmulDescSetAttribute", bias_call(choice, bias))
        lent = workspace(choice.workspace, device)
        slot_values = product_slots(handle, choice, addresses, lent.address if lent else 0, stream)
        perform("cublasLtMatmul", product_call(slot_values, gemm, choice, aligned))
        return True

    def _choice(self, gemm: Gemm, bias: bool, aligned: int, handle: int, device: int) -> Choice:
        """What was chosen for a product. One with a bias that will be done again by native code, in whatever thread,
        has a description of its own, as that holds the address of the bias."""
        computed, full = compute_type(gemm), full_sums(gemm.stored.name)

        def make() -> Choice:
            made = Choice(self.created("cublasLt", device)[0], gemm, bias, computed)
            made.ask(handle, aligned, full)
            return made

        key = gemm._replace(alpha=1, beta=0), bias, aligned, computed, full, device
        choice = self.products_here.choices.get(key, make)
        return choice.again() if bias and is_rehearsed() and choice.algorithm is not None else choice

    def _by_cublas(self, gemm: Gemm, a: int, b: int, c: int, stream: int) -> None:
        beyond_launches()
        cublas, handle = self.handle("cublas", stream)
        self._set_sums(cublas, handle, full_sums(gemm.stored.name))
        numbers = np.array([gemm.alpha, gemm.beta], gemm.computed)
        alpha = numbers.ctypes.data
        kind, result = DATA_TYPES[gemm.stored.name], DATA_TYPES[gemm.result.name]
        operations = [TRANSPOSED if flag else NOT_TRANSPOSED for flag in (gemm.transpose_a, gemm.transpose_b)]
        cublas.gemm_strided_batched_ex_64(
            handle, *operations, gemm.m, gemm.n, gemm.k, alpha, a, kind, gemm.lda, gemm.stride_a, b, kind, gemm.ldb,
            gemm.stride_b, alpha + gemm.computed.itemsize, c, result, gemm.ldc, gemm.stride_c, gemm.batch,
            compute_type(gemm), DEFAULT_ALGORITHM,
        )  # fmt: skip

    def _set_sums(self, cublas: Any, handle: int, full: bool) -> None:
        if self.products_here.full.get(handle, False) != full:
            cublas.set_math_mode(handle, FULL_SUMS if full else DEFAULT_MATH)
            self.products_here.full[handle] = full


def workspace(size: int, device: int) -> DeviceArray | None:
    """Memory for a product to work in, until the next one: those of a rehearsal share it. None for no bytes."""
    if not size:
        return None
    dry_run = here.now
    if dry_run is not None and dry_run.workspace is not None and dry_run.workspace.size >= size:
        return cast(DeviceArray, dry_run.workspace)
    result = arrays.empty((size,), np.dtype(np.uint8), device_of("cuda", device))
    if dry_run is not None:
        dry_run.workspace = result
    return result


def perform(name: str, made: Called) -> None:
    status = performed(made)
    if status:
        raise AcceleratorError(f"CUDA error: cuBLAS status {status} when calling {name}")


def bias_call(choice: Choice, bias: int) -> Called:
    slot_values = [*arguments(choice.description, BIAS_POINTER, 0, 8), bias]
    function = address_of("cublasLt", "cublasLtMatmulDescSetAttribute")
    return Called(function, slot_values, [BIAS_ADDRESS], 1, [(2, BIAS_ADDRESS)], choice)


def product_slots(
    handle: int, choice: Choice, addresses: tuple[int, int, int], workspace: int, stream: int
) -> list[int]:
    assert choice.algorithm is not None
    a, b, c = addresses
    return arguments(
        handle, choice.description, 0, a, choice.left, b, choice.right, 0, c, choice.result, c, choice.result,
        choice.algorithm.ctypes.data, workspace, choice.workspace, stream_handle(stream),
    )  # fmt: skip


def product_call(slot_values: list[int], gemm: Gemm, choice: Choice, aligned: int) -> Called:
    slot_values = [*slot_values, *bits(gemm.alpha, gemm.computed), *bits(gemm.beta, gemm.computed)]
    lent = [WORKSPACE_ADDRESS] if choice.workspace else []
    function = address_of("cublasLt", "cublasLtMatmul")
    return Called(function, slot_values, [*MATRICES, *lent], aligned, [(2, ALPHA), (7, BETA)], choice)


def bits(number: Number, kind: np.dtype) -> list[int]:
    filled = np.array(number, kind).tobytes().ljust(16, b"\0")
    return [int(word) for word in np.frombuffer(filled, np.int64)]
