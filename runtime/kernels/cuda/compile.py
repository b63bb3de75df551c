"""Kernels as machine code: numba-cuda makes PTX of their functions, nvJitLink a cubin of that; neither needs a GPU. The
only module that imports numba.cuda, and only where code has to be compiled."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numba import cuda
from numba.cuda import types
from numba.cuda.extending import intrinsic
from numba.cuda.np import numpy_support
from numba.cuda.typing import signature as numba_signature

from ...compiler.passes.primitive_code import Target as Instructions
from ...compiler.passes.primitive_code import primitives
from ...compiler.passes.scalar_library import ScalarCompiler, ScalarLibrary, building, rebuilt
from .. import scalar
from ..scalar import complex as scalar_complex
from . import language
from .signature import Array, Make, Signature
from .storage import BITS

PTX_FOR = (8, 0)  # the least capability: PTX for it becomes machine code for any later GPU
NUMBERS = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
NUMBERS += ["float16", "float32", "float64", "complex64", "complex128"]
ASSEMBLER_PATTERNS = {  # by the assembler, of each function
    "registers": r"Used (\d+) registers",
    "stack": r"(\d+) bytes stack frame",
    "spilled": r"(\d+) bytes spill stores",
}
UNUSED = re.compile(r"^\.common \.global .*NumbaEnv\w+;\n", re.MULTILINE)  # under names that count compilations
ENTRY = "kernel"  # the name of every kernel in its cubin


class Compiled:
    def __init__(self) -> None:
        target = Instructions(intrinsic, types, numba_signature)
        self.primitives = primitives(target)
        compiler = ScalarCompiler(cuda.jit(device=True), cuda.jit(device=True, inline="always"), self.primitives)
        self.libraries = (ScalarLibrary(scalar, compiler), ScalarLibrary(scalar_complex, compiler))
        numbers = {name: getattr(np, name) for name in NUMBERS}
        own = {
            "cuda": cuda,
            "float32_bits": self.primitives["bits"],
            "from_bits": self.primitives["from_bits"],
            "integer": np.int64,
        }
        own |= {name: intrinsic(make(target)) for name, make in language.MAKERS.items()}
        self.names: dict[str, Any] = numbers | own
        self.made: dict[Any, Any] = {}

    def kernel(self, function: Any, **names: Any) -> Any:
        return rebuilt(function, self.names | names)

    def device(self, function: Any, **names: Any) -> Any:
        key = (function, *sorted(names.items(), key=lambda item: item[0]))
        with building:
            if key not in self.made:
                self.made[key] = cuda.jit(device=True)(self.kernel(function, **names))
            return self.made[key]

    def scalars(self, function: Any, is_complex: bool) -> dict[str, Any]:
        return self.libraries[is_complex].used_by(function)


@cache
def compiled() -> Compiled:
    return Compiled()


def numba_type(part: Any) -> Any:
    if isinstance(part, Array):
        return numpy_support.from_dtype(BITS.get(part.dtype, part.dtype))[::1]
    if isinstance(part, np.dtype):
        return numpy_support.from_dtype(part)
    return types.Tuple(tuple(map(numba_type, part)))


def ptx(make: Make, signature: Signature, cc: tuple[int, int] = PTX_FOR) -> str:
    typed = types.void(*map(numba_type, signature))
    with building, without_device(cc):
        text, _ = cuda.compile_ptx(make(compiled(), signature), typed, cc=cc)
    name = re.search(r"\.visible \.entry (\w+)\(", text)
    assert name is not None
    return UNUSED.sub("", text.replace(name.group(1), ENTRY))


@contextmanager
def without_device(cc: tuple[int, int]) -> Iterator[None]:
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


class Cubin(NamedTuple):
    """Machine code, and what a thread of it takes: `spilled` bytes go through memory for want of registers."""

    code: bytes
    registers: int
    stack: int
    spilled: int


def to_cubin(ptx: str, cc: tuple[int, int] = PTX_FOR) -> Cubin:
    """The machine code of a PTX text for `cc`, and what the assembler says, of which its own cache says nothing."""
    code, log = assembled(ptx, cc, "-verbose", "-no-cache")
    results = {what: [int(n) for n in re.findall(form, log)] for what, form in ASSEMBLER_PATTERNS.items()}
    return Cubin(code, max(results["registers"]), max(results["stack"]), max(results["spilled"]))


def assembled(ptx: str, cc: tuple[int, int], *options: str) -> tuple[bytes, str]:
    from cuda.bindings import nvjitlink

    args = [f"-arch=sm_{cc[0]}{cc[1]}", *options]
    handle = nvjitlink.create(len(args), args)
    try:
        text = ptx.encode()
        nvjitlink.add_data(handle, nvjitlink.InputType.PTX, text, len(text), "kernel.ptx")
        nvjitlink.complete(handle)
        code = bytearray(nvjitlink.get_linked_cubin_size(handle))
        nvjitlink.get_linked_cubin(handle, code)
        log = bytearray(nvjitlink.get_info_log_size(handle))
        nvjitlink.get_info_log(handle, log)
    finally:
        nvjitlink.destroy(handle)
    return bytes(code), log.decode()


def compile_cubin(make: Make, signature: Signature, cc: tuple[int, int]) -> bytes:
    return assembled(ptx(make, signature), cc)[0]
