"""What compiled code depends on, as a digest: bytecode, constants and names of a function and of all that it calls; not
docstrings, files, line numbers or times. What numba is told by other means (intrinsics, overloads, pipelines) counts by
the text of its module; what is carried for all versions of Python is found by the text of the functions."""

import functools
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

RUNTIME = Path(__file__).parents[2]
OWN = __package__.partition(".runtime.")[0]
PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), np.dtype, np.generic)

BEGAN = time.time()  # near the process's beginning: kernels are imported after this module

Meant = Callable[[str, Any], Any]


def digest(*parts: Any) -> bytes:
    """The digest of things that have the same repr wherever and whenever they are made."""
    return hashlib.sha256(repr(parts).encode()).digest()


def of_options(options: Mapping[str, Any]) -> str:
    """Options of the compiler: classes by their names, sets in the order of their items, which differs each time."""
    named = {name: getattr(value, "__qualname__", value) for name, value in options.items()}
    return repr(
        [(name, sorted(one) if isinstance(one, set | frozenset) else one) for name, one in sorted(named.items())]
    )


class Functions:
    """Digests of functions, of whose own code `described` says what counts."""

    def __init__(self, described: Callable[[Any], Any]) -> None:
        self.described = described
        self.known: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()

    def digest(self, function: Any, meant: Meant | None = None) -> bytes:
        """The digest of a function and of what its globals mean; `meant` is asked what each of them is replaced by."""
        if meant is not None:
            return self._digest(function, meant)
        if function not in self.known:
            self.known[function] = b"itself"  # where it calls itself
            try:
                self.known[function] = self._digest(function, lambda name, value: value)
            except BaseException:
                del self.known[function]
                raise
        return self.known[function]

    def _digest(self, function: Any, meant: Meant) -> bytes:
        cells = [self._value(cell.cell_contents, ()) for cell in function.__closure__ or ()]
        defaults = [self._value(one, ()) for one in (function.__defaults__, _pairs(function.__kwdefaults__))]
        names = _names(function.__code__)
        results = {name: meant(name, function.__globals__.get(name)) for name in sorted(names)}
        globals_ = [(name, self._value(value, names)) for name, value in results.items()]  # None: builtins, attributes
        name = function.__module__, function.__name__
        return digest(name, self.described(function), defaults, cells, globals_)

    def _value(self, value: Any, names: Any) -> Any:
        value = getattr(value, "kernel", value) if hasattr(value, "py_func") else value  # before it was compiled
        if isinstance(value, PLAIN):
            return type(value).__name__, repr(value)
        if isinstance(value, tuple | list):
            return [self._value(item, names) for item in value]
        if isinstance(value, set | frozenset):
            return sorted(repr(self._value(item, names)) for item in value)
        if isinstance(value, np.ndarray):
            return str(value.dtype), value.shape, value.tobytes()
        if isinstance(value, ModuleType):
            return value.__name__, self._members(value, names)
        return self._callable(value)

    def _members(self, module: ModuleType, names: Any) -> list[Any]:
        if module.__name__.partition(".")[0] != OWN.partition(".")[0]:
            return []
        return [(name, self._value(vars(module)[name], ())) for name in sorted(names) if name in vars(module)]

    def _callable(self, value: Any) -> Any:
        if hasattr(value, "function") and hasattr(value, "options"):  # a kernel of ours
            return self.digest(value.function), of_options(value.options)
        if hasattr(value, "py_func"):  # one of numba's
            return self.digest(value.py_func), of_options(value.targetoptions)
        if isinstance(value, BuiltinFunctionType | np.ufunc):
            return getattr(value, "__module__", ""), value.__name__
        if isinstance(value, FunctionType):
            return self.digest(value), *_around(value)
        name = getattr(value, "__module__", ""), getattr(value, "__qualname__", type(value).__qualname__)
        return name, "" if " at 0x" in repr(value) else repr(value), _around(value)


def _pairs(defaults: Mapping[str, Any] | None) -> tuple[Any, ...]:
    return tuple((defaults or {}).items())


def _bytecode(function: Any) -> Any:
    return _code(function.__code__, function.__doc__)


def _code(code: CodeType, doc: str | None) -> tuple[Any, ...]:
    constants = [None if value == doc and i == 0 else _constant(value) for i, value in enumerate(code.co_consts)]
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return (code.co_code, code.co_exceptiontable, constants, counts, names)


def _constant(value: Any) -> Any:
    if isinstance(value, CodeType):
        return _code(value, None)
    if isinstance(value, tuple):
        return [_constant(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(repr(_constant(item)) for item in value)
    return type(value).__name__, repr(value)


def _names(code: CodeType) -> frozenset[str]:
    inner = [_names(value) for value in code.co_consts if isinstance(value, CodeType)]
    return frozenset(code.co_names).union(*inner)


def _source(function: Any) -> Any:
    """The lines of a function: the same for every version of Python. Its bytecode, if they are not there."""
    code = function.__code__
    lines = _lines(code.co_filename)
    last = max(_last_lines(code), default=0)
    return "".join(lines[code.co_firstlineno - 1 : last]) if 0 < last <= len(lines) else _bytecode(function)


def _last_lines(code: CodeType) -> Iterator[int]:
    yield from (position[1] for position in code.co_positions() if position[1] is not None)
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _last_lines(value)


@functools.cache
def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return file.readlines() if os.fstat(file.fileno()).st_ctime < BEGAN else []
    except (OSError, ValueError):
        return []


BYTECODE, SOURCE = Functions(_bytecode), Functions(_source)
of_function = BYTECODE.digest


def _around(value: Any) -> tuple[Any, ...]:
    """What a function's own code does not say of how it is compiled: texts of modules, traits of the processor."""
    from ..passes import target

    module = getattr(value, "__module__", None) or type(value).__module__
    own = module.removeprefix(f"{RUNTIME_NAME}.") if module.startswith(OWN) else ""
    if own.startswith("kernels.llvm.bfloat16_tiles"):
        return folder_source(*INTRINSICS), target.vector_registers(), target.pair_products()
    if own.startswith(("kernels.llvm", "compiler.language", "compiler.jit")):
        return folder_source(*INTRINSICS), module_source(module), target.vector_registers(), target.fuses()
    if own.startswith("compiler.passes.primitive"):
        code = f"{RUNTIME_NAME}.compiler.passes.primitive_code"
        return module_source(module), module_source(code), target.fuses()
    if own.startswith("kernels.scalar"):
        return ()  # its code says all
    return () if module.partition(".")[0] in sys.stdlib_module_names else (module_source(module),)


RUNTIME_NAME = f"{OWN}.runtime"
INTRINSICS = ("kernels/llvm", "compiler/language")  # folders whose texts change what intrinsics compile to


@functools.cache
def module_source(name: str) -> bytes:
    path = getattr(sys.modules.get(name), "__file__", None)
    result = (
        Path(path) if path else RUNTIME.joinpath(*name.removeprefix(f"{RUNTIME_NAME}.").split(".")).with_suffix(".py")
    )
    return digest(result.read_bytes()) if result.suffix == ".py" and result.is_file() else b""


@functools.cache
def folder_source(*names: str) -> bytes:
    return digest([sources_of(RUNTIME / name) for name in names])


def sources_of(folder: Path) -> bytes:
    return digest([(path.relative_to(folder).parts, path.read_bytes()) for path in sorted(folder.rglob("*.py"))])
