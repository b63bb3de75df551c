"""Kernels as Python: what the simulator of threads runs."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from ...compiler.passes import primitives
from ...compiler.passes.scalar_library import ScalarCompiler, ScalarLibrary, rebuilt
from ...extension_points import fill
from ...kernels import scalar
from ...kernels.cuda.language import cuda
from ...kernels.cuda.numbers import TYPES
from ...kernels.scalar import complex as scalar_complex


def float32_bits(x: Any) -> Any:
    return primitives.bits(np.float32(x))  # a register, which is a float of Python's after some operations


def bfloat16_bits(x: Any) -> Any:
    return np.float32(x).astype(ml_dtypes.bfloat16).view(np.uint16)


def float16_bits(x: Any) -> Any:
    return np.float32(x).astype(np.float16).view(np.uint16)


def float16_number(bits: Any) -> Any:
    return np.float32(np.uint16(bits).view(np.float16))


def integer(x: Any) -> Any:
    return np.float64(x).astype(np.int64)  # Python's int refuses nan


@cache
def library_fma() -> Any:
    for name in (None, "libm.so.6", "ucrtbase"):
        try:
            result = ctypes.CDLL(name).fma
        except (AttributeError, OSError, TypeError):
            continue
        result.argtypes, result.restype = (ctypes.c_double,) * 3, ctypes.c_double
        return result
    return None


def fma(x: Any, y: Any, z: Any) -> Any:
    """x y + z, rounded once; C's library is some 30 times faster than fractions."""
    result = None if primitives.is_single(x) else library_fma()
    return primitives.fma(x, y, z) if result is None else type(x)(result(x, y, z))


def complex_of(real: Any, imag: Any) -> Any:
    number = complex(real, imag)
    return np.complex64(number) if primitives.is_single(real) and primitives.is_single(imag) else number


def typed(function: Any) -> Any:
    return rebuilt(function, {"complex": complex_of})


def array_at(address: Any, size: Any, kind: Any) -> Any:
    return cuda.array_at(address, size, kind)


class Interpreted:
    """The target whose functions are the texts themselves; `cuda` is put in by the simulator."""

    names: dict[str, Any] = {
        **TYPES,
        "float32_bits": float32_bits,
        "from_bits": primitives.from_bits,
        "array_at": array_at,
        "bfloat16_bits": bfloat16_bits,
        "float16_bits": float16_bits,
        "float16_number": float16_number,
        "integer": integer,
    }

    def __init__(self) -> None:
        value = vars(primitives) | {"fma": fma, "polynomial": rebuilt(primitives.polynomial, {"fma": fma})}
        compiler = ScalarCompiler(typed, typed, value)
        self.libraries = (ScalarLibrary(scalar, compiler), ScalarLibrary(scalar_complex, compiler))

    def kernel(self, function: Any, **names: Any) -> Any:
        return rebuilt(function, self.names | names)

    device = kernel

    def scalars(self, function: Any, is_complex: bool) -> dict[str, Any]:
        return self.libraries[is_complex].used_by(function)


INTERPRETED = Interpreted()
fill("kernel_interpreter", INTERPRETED)
