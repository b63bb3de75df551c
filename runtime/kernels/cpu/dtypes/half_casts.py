"""Contiguous arrays of 16-bit floats made float32, and such arrays rounded to them; compiled on first use."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from ....pool.parallel_for import by_slices
from ...jit import jit
from ...llvm.halves.elements import as_half, as_single

CAST_ELEMENTS_THRESHOLD = 4096  # elements, for which a kernel is worth its loading
Array = np.ndarray


@jit
def bfloat16_to_single(x: Array, out: Array) -> None:
    """out = x."""
    for i in range(out.size):
        out[i] = as_single(x[i], "bfloat16")


@jit
def float16_to_single(x: Array, out: Array) -> None:
    """out = x."""
    for i in range(out.size):
        out[i] = as_single(x[i], "float16")


@jit
def single_to_bfloat16(x: Array, out: Array) -> None:
    """out = x, rounded."""
    for i in range(out.size):
        out[i] = as_half(x[i], "bfloat16")


@jit
def single_to_float16(x: Array, out: Array) -> None:
    """out = x, rounded."""
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
    """to = source, where a kernel here does that; whether one did."""
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
