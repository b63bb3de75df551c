"""Whether results of a device are those of the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

import specgrad as sg
from specgrad.runtime.tensor.tensor import number_array

# Vectors that are fixed up to a sign or a phase: the libraries of a device may choose another one.
UP_TO_PHASE = ("linalg_svd", "svd", "linalg_eig", "linalg_eigh", "hermitian_eigen", "general_eigen")
ROUNDING = {sg.float16: 2e-2, sg.bfloat16: 5e-2, sg.float32: 1e-5, sg.complex64: 1e-5, sg.complex32: 2e-2}
REFUSED = (RuntimeError, NotImplementedError, ValueError, IndexError, TypeError)  # what a call may raise on purpose


def same(found: Any, expected: Any, tolerance: float, sizes: bool = False) -> bool:
    """Whether a result of the device is that of the CPU, or has the same sizes; what is no tensor is equal."""
    if not isinstance(expected, sg.Tensor):
        return found is None if expected is None else bool(found == expected)
    one, other = wide(number_array(found)), wide(number_array(expected))
    tolerance = max(tolerance, ROUNDING.get(expected.dtype, 0.0))
    if sizes:
        one, other = abs(one), abs(other)
    if found.dtype is not expected.dtype or one.shape != other.shape:
        return False
    return np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)


def shown(value: Any) -> Any:
    """What a conjugate or negative that is a view shows; other values as they are."""
    is_turned = isinstance(value, sg.Tensor) and (value.is_conj() or value.is_neg())
    return value.resolve_conj().resolve_neg() if is_turned else value


def wide(array: np.ndarray) -> np.ndarray:
    """In a dtype that NumPy compares; integers stay."""
    return array.astype(np.float64) if array.dtype.kind in "fV" else array
