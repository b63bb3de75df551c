"""Contiguous arrays copied in another dtype, with the bits of NumPy's casts and without their warnings."""

from typing import Any

import ml_dtypes
import numpy as np

from ...compiler.jit import jit
from ...device.threads.parallel_for import by_slices, is_long
from ...device.threads.workers import in_parts
from ..llvm.float16_rows import as_half, as_single
from .allocate_and_fill import empty
from .strided_copy import move

CAST_ELEMENTS_THRESHOLD = 4096  # elements, for which a kernel is worth its loading
Array = np.ndarray


@jit
def bfloat16_to_single(x: Array, out: Array) -> None:
    for i in range(out.size):
        out[i] = as_single(x[i], "bfloat16")


@jit
def float16_to_single(x: Array, out: Array) -> None:
    for i in range(out.size):
        out[i] = as_single(x[i], "float16")


@jit
def single_to_bfloat16(x: Array, out: Array) -> None:
    for i in range(out.size):
        out[i] = as_half(x[i], "bfloat16")


@jit
def single_to_float16(x: Array, out: Array) -> None:
    for i in range(out.size):
        out[i] = as_half(x[i], "float16")


SINGLE, BFLOAT16, FLOAT16 = np.dtype(np.float32), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16)
KERNELS = {
    (BFLOAT16, SINGLE): "bfloat16_to_single",
    (FLOAT16, SINGLE): "float16_to_single",
    (SINGLE, BFLOAT16): "single_to_bfloat16",
    (SINGLE, FLOAT16): "single_to_float16",
}


def copied(to: Array, source: Array) -> bool:
    name = KERNELS.get((source.dtype, to.dtype))
    if name is None or to.size < CAST_ELEMENTS_THRESHOLD or to.shape != source.shape:
        return False
    if not to.flags.c_contiguous or not source.flags.c_contiguous:
        return False
    by_slices(globals()[name], (as_stored(source), as_stored(to)), to.size)
    return True


def as_stored(array: Array) -> Array:
    flat = array.reshape(-1)
    return flat if flat.dtype == SINGLE else flat.view(np.uint16)


WITHOUT_INFINITY = np.dtype(ml_dtypes.float8_e4m3fn)  # what is too large becomes the largest number, as in PyTorch
LARGEST = 448.0


def copy_cast(to: np.ndarray, source: np.ndarray) -> None:
    """Copy with any change of dtype; nan and values out of an integer's range are the hardware's business, no news."""
    if source.dtype is to.dtype:
        move(to, source)
        return
    if source.dtype.names:
        source = interleaved(source)
    if source.dtype.kind == "c" and to.dtype.kind != "c" and not to.dtype.names:
        source = source.real
    if copied(to, source):
        return
    if not to.ndim or not is_long(to.size):
        _convert(to, source)
        return
    source = np.broadcast_to(source, to.shape)
    dim = max(range(to.ndim), key=lambda d: abs(to.strides[d]) * (to.shape[d] > 1))
    before = (slice(None),) * dim
    in_parts(to.shape[dim], 1, lambda i, j: _convert(to[*before, i:j], source[*before, i:j]))


def _convert(to: np.ndarray, source: np.ndarray) -> None:
    with np.errstate(invalid="ignore", over="ignore"):
        if to.dtype == WITHOUT_INFINITY:
            source = np.clip(source, -LARGEST, LARGEST)
        if to.dtype.names:
            to["real"], to["imag"] = source.real, source.imag
        else:
            np.copyto(to, source, casting="unsafe")


def interleaved(pairs: np.ndarray) -> np.ndarray:
    result = empty(pairs.shape, np.dtype(np.complex64))
    result.real, result.imag = pairs["real"], pairs["imag"]
    return result


def cast(array: np.ndarray, to: Any) -> np.ndarray:
    result = empty(array.shape, np.dtype(to))
    copy_cast(result, array)
    return result


@jit(in_rows=True)
def converted(x: Array, out: Array) -> None:
    for i in range(out.size):
        out[i] = x[i]


@jit(in_rows=True)
def shortened(x: Array, out: Array) -> None:
    """out = x for integers of 8 and 16 bits: the last bits of an int32, also of what does not fit."""
    for i in range(out.size):
        out[i] = np.int32(x[i])


@jit(in_rows=True)
def truth(x: Array, out: Array) -> None:
    for i in range(out.size):
        out[i] = x[i] != 0
