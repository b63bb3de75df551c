"""Products of real devices: by cuBLASLt, whose choices are kept, and where that has no algorithm, by cuBLAS."""

from __future__ import annotations

import threading
from typing import Any, cast

import numpy as np

from ...errors import AcceleratorError
from ...tensor.devices import device as device_of
from .. import memory
from ..array import DeviceArray
from ..launching.calls import ARGUMENTS, Called, arguments, performed
from ..launching.rehearsals import beyond_launches, here, is_rehearsed
from .kept import CachedHandles
from .protocol import Gemm, Number
from .real_choices import BIAS_POINTER, Choice, alignment
from .real_precision import DATA_TYPES, DEFAULT_MATH, FULL_SUMS, compute_type, full_sums
from .real_streams import stream_handle
from .symbols import address_of

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
        """Multiply by cuBLASLt, if that has an algorithm."""
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
        """Let a handle of cuBLAS keep sums in float32 or not."""
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
    result = memory.empty((size,), np.dtype(np.uint8), device_of("cuda", device))
    if dry_run is not None:
        dry_run.workspace = result
    return result


def perform(name: str, made: Called) -> None:
    """Call a function of cuBLASLt; a RuntimeError where it fails."""
    status = performed(made)
    if status:
        raise AcceleratorError(f"CUDA error: cuBLAS status {status} when calling {name}")


def bias_call(choice: Choice, bias: int) -> Called:
    """cublasLtMatmulDescSetAttribute: where the bias lies."""
    slot_values = [*arguments(choice.description, BIAS_POINTER, 0, 8), bias]
    function = address_of("cublasLt", "cublasLtMatmulDescSetAttribute")
    return Called(function, slot_values, [BIAS_ADDRESS], 1, [(2, BIAS_ADDRESS)], choice)


def product_slots(
    handle: int, choice: Choice, addresses: tuple[int, int, int], workspace: int, stream: int
) -> list[int]:
    """Those of cublasLtMatmul: handle, description, alpha, A, B, beta, C, D, algorithm, workspace and stream."""
    assert choice.algorithm is not None
    a, b, c = addresses
    return arguments(
        handle, choice.description, 0, a, choice.left, b, choice.right, 0, c, choice.result, c, choice.result,
        choice.algorithm.ctypes.data, workspace, choice.workspace, stream_handle(stream),
    )  # fmt: skip


def product_call(slot_values: list[int], gemm: Gemm, choice: Choice, aligned: int) -> Called:
    """cublasLtMatmul, with alpha and beta behind its arguments."""
    slot_values = [*slot_values, *bits(gemm.alpha, gemm.computed), *bits(gemm.beta, gemm.computed)]
    lent = [WORKSPACE_ADDRESS] if choice.workspace else []
    function = address_of("cublasLt", "cublasLtMatmul")
    return Called(function, slot_values, [*MATRICES, *lent], aligned, [(2, ALPHA), (7, BETA)], choice)


def bits(number: Number, kind: np.dtype) -> list[int]:
    filled = np.array(number, kind).tobytes().ljust(16, b"\0")
    return [int(word) for word in np.frombuffer(filled, np.int64)]
