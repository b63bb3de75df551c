"""The digest of a kernel: of the texts of its functions, so it is the same with every Python and on every machine."""

from __future__ import annotations

import hashlib
import inspect
import types
from functools import cache
from typing import Any

import numpy as np

from .. import scalar
from ..compile.scalar_library import ScalarCompiler, ScalarLibrary, names_in, rebuilt
from ..scalar import complex as scalar_complex
from ..scalar import intrinsics, primitives
from . import instructions
from .signature import Array, Make, Signature


class KernelSource:
    """A function of a kernel: its source, and what its globals stand for."""

    __slots__ = ("digest",)

    def __init__(self, function: Any) -> None:
        results = {name: function.__globals__.get(name) for name in sorted(all_names(function.__code__))}
        parts = [source(function.__code__), *(f"{name} = {meaning(value)}" for name, value in results.items())]
        self.digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()


@cache
def all_names(code: types.CodeType) -> frozenset[str]:
    """The globals of a function and of those that it makes."""
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return names_in(code).union(*map(all_names, inner))


@cache
def source(code: types.CodeType) -> str:
    """The text of a function."""
    return inspect.getsource(code)


def meaning(value: Any) -> str:
    """What a global of a function stands for, as text."""
    if isinstance(value, KernelSource):
        return value.digest
    if isinstance(value, types.FunctionType):
        return KernelSource(value).digest
    return value.__name__ if isinstance(value, type | types.ModuleType) else repr(value)


class KernelSources:
    """The target that makes digests."""

    def __init__(self) -> None:
        arguments = {
            name: KernelSource(make) for name, make in vars(intrinsics).items() if name in primitives.PRIMITIVES
        }
        compiler = ScalarCompiler(KernelSource, KernelSource, arguments)
        self.libraries = (ScalarLibrary(scalar, compiler), ScalarLibrary(scalar_complex, compiler))
        made = {name: KernelSource(make) for name, make in instructions.MAKERS.items()}
        self.names: dict[str, Any] = {"from_bits": arguments["from_bits"], "float32_bits": arguments["bits"], **made}
        self.made: dict[Any, KernelSource] = {}

    def kernel(self, function: Any, **names: Any) -> KernelSource:
        return KernelSource(rebuilt(function, self.names | names))

    def device(self, function: Any, **names: Any) -> KernelSource:
        key = (function, *sorted(names.items(), key=lambda item: item[0]))
        if key not in self.made:
            self.made[key] = self.kernel(function, **names)
        return self.made[key]

    def scalars(self, function: Any, is_complex: bool) -> dict[str, Any]:
        return self.libraries[is_complex].used_by(function)


KERNEL_SOURCES = KernelSources()


@cache
def compiler() -> str:
    """What all primitives are made with."""
    return inspect.getsource(intrinsics.Target)


def described(part: Any) -> str:
    """A part of a signature as text."""
    if isinstance(part, Array):
        return f"{part.dtype.name}[]"
    return part.name if isinstance(part, np.dtype) else f"({', '.join(map(described, part))})"


def digest(make: Make, signature: Signature) -> str:
    """Hash of a kernel's text and of its signature."""
    text: KernelSource = make(KERNEL_SOURCES, signature)
    return hashlib.sha256(f"{text.digest} {described(signature)} {compiler()}".encode()).hexdigest()
