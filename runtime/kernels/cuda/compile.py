"""Generated element-wise kernels on CUDA: the same scalar functions compiled as device functions.

Only imported on demand: needs numba-cuda. Kernels import simulated names of CUDA, here they get the compiler's.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
from numba import cuda, types, uint32
from numba.cuda.extending import intrinsic
from numba.cuda.typing import signature
from numba.np import numpy_support

from .. import scalar
from ..compile.scalar_library import ScalarCompiler, ScalarLibrary, rebuilt
from ..scalar import complex as scalar_complex
from ..scalar.intrinsics import Target, primitives

PYTHON_NUMBERS = {float: types.float64, int: types.int64, bool: types.boolean, complex: types.complex128}
NAMES = {"cuda": cuda, "uint32": uint32}  # of the device, as kernels call them


@functools.cache
def cuda_library(is_complex: bool) -> ScalarLibrary:
    """The scalar functions as device functions."""
    return ScalarLibrary(scalar_complex if is_complex else scalar, scalar_compiler())


@functools.cache
def scalar_compiler() -> ScalarCompiler:
    """The compiler of scalar functions as device functions."""
    given = primitives(Target(intrinsic, types, signature))
    return ScalarCompiler(cuda.jit(device=True), cuda.jit(device=True, inline="always"), given)


def kernel_function(package: str, op: str, name: str, is_complex: bool = False) -> Any:
    """The Python function of a generated kernel, with compiled scalar functions among its globals."""
    function = rebuilt(getattr(importlib.import_module(f"{package}.kernels.cuda.{op}"), name), NAMES)
    return rebuilt(function, cuda_library(is_complex).used_by(function))


def to_ptx(package: str, op: str, name: str, arguments: tuple[Any, ...], cc: tuple[int, int] = (8, 0)) -> str:
    """The PTX of a kernel for arguments of these NumPy dtypes (1-D arrays) and Python number types; needs no GPU."""
    signature = types.void(*(_argument_type(a) for a in arguments))
    is_complex = any(not isinstance(a, type) and np.dtype(a).kind == "c" for a in arguments)
    with without_device(cc):
        text, _ = cuda.compile_ptx(kernel_function(package, op, name, is_complex), signature, cc=cc)
    return text


@contextmanager
def without_device(cc: tuple[int, int]) -> Iterator[None]:
    """Let numba compile device functions for `cc` where no GPU is there to be asked."""
    if cuda.is_available():
        yield
        return
    from numba.cuda import dispatcher

    before = dispatcher.get_current_device  # numba asks it for a capability even where only text is wanted
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=cc)
    try:
        yield
    finally:
        dispatcher.get_current_device = before


def to_cubin(ptx: str, cc: tuple[int, int] = (8, 0)) -> bytes:
    """The machine code of a PTX text for a GPU of compute capability `cc`; needs no GPU."""
    from cuda.bindings import nvjitlink

    handle = nvjitlink.create(1, [f"-arch=sm_{cc[0]}{cc[1]}"])
    try:
        text = ptx.encode()
        nvjitlink.add_data(handle, nvjitlink.InputType.PTX, text, len(text), "kernel.ptx")
        nvjitlink.complete(handle)
        code = bytearray(nvjitlink.get_linked_cubin_size(handle))
        nvjitlink.get_linked_cubin(handle, code)
        return bytes(code)
    finally:
        nvjitlink.destroy(handle)


def _argument_type(argument: Any) -> Any:
    """The numba type of one argument: a NumPy dtype stands for a 1-D contiguous array of it."""
    if isinstance(argument, type) and argument in PYTHON_NUMBERS:  # a NumPy dtype may equal a type, but is none
        return PYTHON_NUMBERS[argument]
    return numpy_support.from_dtype(np.dtype(argument))[::1]
