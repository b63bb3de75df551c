"""Unsigned integers that order as numbers do: equal for equal ones, 0 and -0 among them, and nan is above all."""

from typing import Any

import numpy as np

from ...compiler.passes.primitives import bits
from .language import get, uint32, uint64
from .signature import Array, Target
from .storage import BFLOAT16, FLOAT16, getter, in_registers

UINT32, UINT64 = np.dtype(np.uint32), np.dtype(np.uint64)
ROUNDED = {FLOAT16: 13, BFLOAT16: 16}  # bits of a float32 in which numbers of a shorter dtype do not differ

# Texts name these; a kernel has its own in their place.
key_of: Any = None
BIAS: Any = None


def single_key(x: Any) -> Any:
    """Bits with the sign turned where it is not set, all of them turned where it is."""
    pattern = uint32(bits(x))
    if x != x:
        return uint32(0xFFFFFFFF)
    if pattern >= uint32(0x80000000) and x != 0:
        return uint32(pattern ^ uint32(0xFFFFFFFF))
    return uint32(pattern | uint32(0x80000000))


def double_key(x: Any) -> Any:
    pattern = uint64(bits(x))
    if x != x:
        return uint64(0xFFFFFFFFFFFFFFFF)
    if pattern >= uint64(0x8000000000000000) and x != 0:
        return uint64(pattern ^ uint64(0xFFFFFFFFFFFFFFFF))
    return uint64(pattern | uint64(0x8000000000000000))


def integer_key(x: Any) -> Any:
    return uint32(uint32(x) + uint32(BIAS))


def long_key(x: Any) -> Any:
    return uint64(uint64(x) + uint64(BIAS))


KEYS = {("f", False): single_key, ("f", True): double_key, ("i", False): integer_key, ("i", True): long_key}


def key_at(x: Any, at: Any) -> Any:
    return key_of(get(x, at))


def reader(target: Target, x: Array) -> Any:
    computed = in_registers(x.dtype)
    kind = "f" if computed.kind == "f" else "i"
    text = KEYS[kind, key_dtype(x.dtype) == UINT64]
    bias = 1 << 8 * computed.itemsize - 1 if computed.kind == "i" else 0
    made = target.device(text, **target.scalars(text, False)) if kind == "f" else target.device(text, BIAS=bias)
    return target.device(key_at, key_of=made, get=getter(target, x.dtype, computed))


def key_dtype(stored: np.dtype) -> np.dtype:
    return UINT64 if stored.itemsize == 8 else UINT32


def key_bits(stored: np.dtype) -> tuple[int, int]:
    """The bits, from the first one on and before the last one, in which keys of elements differ."""
    if stored.kind == "b":
        return 0, 1
    return ROUNDED.get(stored, 0), 32 if stored in ROUNDED else 8 * stored.itemsize
