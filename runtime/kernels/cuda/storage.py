"""Elements in memory and in registers: floats of 16 and 8 bits are computed with as float32, pairs of float16 as
complex64; what is read becomes `T`. `getter` and `putter` choose a function for the dtype in memory."""

from typing import Any

import ml_dtypes
import numpy as np

from .float8 import load_e4m3, load_e5m2, put_e4m3, put_e5m2
from .language import (
    T,
    bfloat16_bits,
    complex64,
    float16,
    float16_bits,
    float16_number,
    float32,
    from_bits,
    int32,
    integer,
    uint32,
)
from .signature import Target

FLOAT16 = np.dtype(np.float16)
FLOAT32 = np.dtype(np.float32)
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
E4M3, E5M2 = np.dtype(ml_dtypes.float8_e4m3fn), np.dtype(ml_dtypes.float8_e5m2)
COMPLEX32 = np.dtype([("real", np.float16), ("imag", np.float16)])
COMPLEX64 = np.dtype(np.complex64)
# What kernels get of dtypes that no compiler knows.
BITS: dict[np.dtype, np.dtype] = {
    BFLOAT16: np.dtype(np.uint16),
    COMPLEX32: np.dtype(np.uint32),
    E4M3: np.dtype(np.uint8),
    E5M2: np.dtype(np.uint8),
}


def in_registers(stored: np.dtype) -> np.dtype:
    if stored == COMPLEX32:
        return COMPLEX64
    return FLOAT32 if stored in (FLOAT16, BFLOAT16, E4M3, E5M2) else stored


def load(x: Any, i: Any) -> Any:
    return x[i]


def load_float16(x: Any, i: Any) -> Any:
    return float32(x[i])


def load_bfloat16(x: Any, i: Any) -> Any:
    return from_bits(float32(0), int32(int32(x[i]) << int32(16)))


def load_complex32(x: Any, i: Any) -> Any:
    pair = x[i]
    return complex64(complex(float16_number(pair & uint32(65535)), float16_number(pair >> uint32(16))))


LOADS = {
    FLOAT16: load_float16,
    BFLOAT16: load_bfloat16,
    COMPLEX32: load_complex32,
    E4M3: load_e4m3,
    E5M2: load_e5m2,
}


def get(x: Any, i: Any) -> Any:
    return T(load(x, i))


def get_real(x: Any, i: Any) -> Any:
    return T(load(x, i).real)


def get_integer(x: Any, i: Any) -> Any:
    """A small integer holds the last bits of a number; what no int64 holds is the hardware's business."""
    return T(integer(load(x, i)))


def get_integer_real(x: Any, i: Any) -> Any:
    return T(integer(load(x, i).real))


def get_truth(x: Any, i: Any) -> Any:
    return load(x, i) != 0


def get_truth_real(x: Any, i: Any) -> Any:
    return load(x, i).real != 0


def getter(target: Target, stored: np.dtype, target_dtype: np.dtype) -> Any:
    own = in_registers(stored)
    read = target.device(LOADS.get(stored, load))
    if own == target_dtype:
        return read
    return target.device(conversion(own, target_dtype), load=read, T=target_dtype.type)


def conversion(own: np.dtype, target_dtype: np.dtype) -> Any:
    drops = own.kind == "c" and target_dtype.kind != "c"  # the imaginary part, as on the CPU
    if target_dtype.kind == "b":
        return get_truth_real if drops else get_truth
    if target_dtype.kind in "iu" and own.kind in "fc":
        return get_integer_real if drops else get_integer
    return get_real if drops else get


def put(x: Any, i: Any, value: Any) -> None:
    x[i] = value


def put_float16(x: Any, i: Any, value: Any) -> None:
    x[i] = float16(value)


def put_bfloat16(x: Any, i: Any, value: Any) -> None:
    x[i] = bfloat16_bits(float32(value))


def put_complex32(x: Any, i: Any, value: Any) -> None:
    real, imag = float16_bits(float32(value.real)), float16_bits(float32(value.imag))
    x[i] = uint32(real) | uint32(imag) << uint32(16)


PUTS = {
    FLOAT16: put_float16,
    BFLOAT16: put_bfloat16,
    COMPLEX32: put_complex32,
    E4M3: put_e4m3,
    E5M2: put_e5m2,
}


def putter(target: Target, stored: np.dtype) -> Any:
    return target.device(PUTS.get(stored, put))
