"""Kernels and their device functions as the simulator runs them: the same code with other globals."""

import ctypes
import types
from collections.abc import Iterator
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import ml_dtypes
import numpy as np

from ...compiler.passes import primitives
from ...compiler.passes.scalar_library import ScalarCompiler, ScalarLibrary, rebuilt
from ...extension_points import fill
from ...kernels import scalar
from ...kernels.cuda.language import cuda
from ...kernels.cuda.numbers import INTEGERS, TYPES, boolean
from ...kernels.scalar import complex as scalar_complex

UNCHANGED = (*INTEGERS, boolean)


def names_in(code: types.CodeType) -> set[str]:
    return {name for each in codes(code) for name in each.co_names}


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def called(function: types.FunctionType) -> Iterator[Any]:
    yield from (function.__globals__[name] for name in names_in(function.__code__) & function.__globals__.keys())
    yield from (cell.cell_contents for cell in function.__closure__ or ())


def all_names(function: types.FunctionType) -> set[str]:
    names: set[str] = set()
    seen, waiting = {function}, [function]
    while waiting:
        current = waiting.pop()
        names |= names_in(current.__code__)
        new = {f for f in called(current) if isinstance(f, types.FunctionType)} - seen
        seen |= new
        waiting += new
    return names


class Rebuilder:
    """Makes copies of kernels whose `cuda` is the one given; each function is copied once."""

    def __init__(self, cuda: Any) -> None:
        self.cuda = cuda
        self.copies: WeakKeyDictionary[types.FunctionType, types.FunctionType] = WeakKeyDictionary()

    def rebuilt(self, function: types.FunctionType) -> types.FunctionType:
        if function in self.copies:
            return self.copies[function]
        own, code = function.__globals__, function.__code__
        namespace: dict[str, Any] = {"__builtins__": own["__builtins__"], "__name__": function.__module__}
        cells = tuple(types.CellType() for _ in function.__closure__ or ())
        copy = types.FunctionType(code, namespace, function.__name__, function.__defaults__, cells)
        copy.__kwdefaults__ = function.__kwdefaults__
        self.copies[function] = copy  # before its globals are: functions may call each other in circles
        namespace |= {name: self.meant(name, own[name]) for name in names_in(code) & own.keys()}
        for name, cell, before in zip(code.co_freevars, cells, function.__closure__ or (), strict=True):
            cell.cell_contents = self.meant(name, before.cell_contents)
        return copy

    def meant(self, name: str, value: Any) -> Any:
        if name == "cuda":
            return self.cuda
        if type(value).__module__.startswith("numba."):  # a type, or a device function that is compiled already
            function = getattr(value, "py_func", None)
            return self.rebuilt(function) if function else TYPES.get(str(value), value)
        return self.rebuilt(value) if isinstance(value, types.FunctionType) and value not in UNCHANGED else value


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
