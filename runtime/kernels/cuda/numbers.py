"""The number types that kernels name, as they are in the simulator. A compiled sum of 32-bit integers has 64 bits, so
integers of up to 32 bits are Python's, cut when a kernel says so; others are NumPy's."""

from typing import Any

import numpy as np

WORD = 0xFFFFFFFF
LONG = 0xFFFFFFFFFFFFFFFF


def uint8(x: Any) -> int:
    return int(x) & 0xFF


def uint16(x: Any) -> int:
    return int(x) & 0xFFFF


def uint32(x: Any) -> int:
    return int(x) & WORD


def uint64(x: Any) -> np.uint64:
    return np.uint64(int(x) & LONG)


def int8(x: Any) -> int:
    return (int(x) + 0x80 & 0xFF) - 0x80


def int16(x: Any) -> int:
    return (int(x) + 0x8000 & 0xFFFF) - 0x8000


def int32(x: Any) -> int:
    return (int(x) + 0x80000000 & WORD) - 0x80000000


def int64(x: Any) -> np.int64:
    return np.int64((int(x) + (1 << 63) & LONG) - (1 << 63))


def boolean(x: Any) -> bool:
    return bool(x)


float16, float32, float64 = np.float16, np.float32, np.float64
complex64, complex128 = np.complex64, np.complex128

INTEGERS = (uint8, uint16, uint32, uint64, int8, int16, int32, int64)
FLOATS = (float16, float32, float64, complex64, complex128)
TYPES: dict[str, Any] = {kind.__name__: kind for kind in (*INTEGERS, *FLOATS)}
TYPES |= {"boolean": boolean, "bool": boolean}  # of numba's two names for it, one is what its type prints


def dtype_of(kind: Any) -> np.dtype[Any]:
    if kind is boolean:
        return np.dtype(bool)
    name = kind.__name__ if kind in INTEGERS else kind if isinstance(kind, type | np.dtype) else str(kind)
    return np.dtype(name)
