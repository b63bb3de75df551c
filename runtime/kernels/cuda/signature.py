"""What a kernel is called with, what it is made for, and the digest of its texts, the same with every Python and on
every machine."""

import ast
import hashlib
import inspect
import textwrap
import types
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...compiler.passes import primitive_code, primitives
from ...compiler.passes.scalar_library import ScalarCompiler, ScalarLibrary, names_in, rebuilt
from .. import scalar
from ..scalar import complex as scalar_complex
from . import language

ARRAY_SLOTS = 7


class Array(NamedTuple):
    """In a signature: a one-dimensional array without gaps, of elements that are stored in this dtype."""

    dtype: np.dtype


# What a kernel is called with: arrays, numbers of a dtype that are passed by value, and tuples of parts.
Part = Any  # Array | np.dtype | tuple[Part, ...]
Signature = tuple[Part, ...]


class Target(Protocol):
    """Where the functions of a kernel run, or what else is made of them."""

    # The function that a launch runs: `function`, with these names among its globals besides the vocabulary.
    def kernel(self, function: Any, **names: Any) -> Any: ...
    # A function that kernels call, likewise; the same one for the same arguments.
    def device(self, function: Any, **names: Any) -> Any: ...
    # What the scalar functions that a function calls are on this target, by the names they have there.
    def scalars(self, function: Any, is_complex: bool) -> dict[str, Any]: ...


# (target, signature) -> the kernel's function.
Make = Callable[[Target, Signature], Any]


def parts(signature: Signature) -> Iterator[Any]:
    for part in signature:
        if isinstance(part, tuple) and not isinstance(part, Array):
            yield from parts(part)
        else:
            yield part


def slot_count(part: Any) -> int:
    if isinstance(part, Array):
        return ARRAY_SLOTS
    return 2 if part.kind == "c" else 1


class KernelSource:
    """A function of a kernel: its source, and what its globals stand for."""

    __slots__ = ("digest",)

    def __init__(self, function: Any) -> None:
        results = {name: function.__globals__.get(name) for name in sorted(all_names(function.__code__))}
        parts = [source(function.__code__), *(f"{name} = {meaning(value)}" for name, value in results.items())]
        self.digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()


@cache
def all_names(code: types.CodeType) -> frozenset[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return names_in(code).union(*map(all_names, inner))


@cache
def source(code: types.CodeType) -> str:
    """The text of a function without its name and docstring, which no machine code depends on."""
    text = textwrap.dedent(inspect.getsource(code))
    lines = text.splitlines()
    function = ast.parse(text).body[0]
    if not isinstance(function, ast.FunctionDef):  # a lambda, in the statement that it stands in
        return text
    if ast.get_docstring(function) is not None:
        del lines[function.body[0].lineno - 1 : function.body[0].end_lineno]
    return "\n".join(lines).replace(f"def {function.name}(", "def (", 1)


def meaning(value: Any) -> str:
    if isinstance(value, KernelSource):
        return value.digest
    if isinstance(value, types.FunctionType):
        return KernelSource(value).digest
    return value.__name__ if isinstance(value, type | types.ModuleType) else repr(value)


class KernelSources:
    def __init__(self) -> None:
        arguments = {
            name: KernelSource(make) for name, make in vars(primitive_code).items() if name in primitives.PRIMITIVES
        }
        compiler = ScalarCompiler(KernelSource, KernelSource, arguments)
        self.libraries = (ScalarLibrary(scalar, compiler), ScalarLibrary(scalar_complex, compiler))
        made = {name: KernelSource(make) for name, make in language.MAKERS.items()}
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
    return inspect.getsource(primitive_code.Target)


def described(part: Any) -> str:
    if isinstance(part, Array):
        return f"{part.dtype.name}[]"
    return part.name if isinstance(part, np.dtype) else f"({', '.join(map(described, part))})"


def digest(make: Make, signature: Signature) -> str:
    text: KernelSource = make(KERNEL_SOURCES, signature)
    return hashlib.sha256(f"{text.digest} {described(signature)} {compiler()}".encode()).hexdigest()
