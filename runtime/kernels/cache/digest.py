"""What compiled code depends on, as a digest: the code of a function and of all that it calls, not where it stands.

Bytecode, constants and names count; docstrings, files, line numbers and times do not. What numba is told by other
means than a function's code (intrinsics, overloads, pipelines) counts by the text of its module.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

KERNELS = Path(__file__).parents[1]
OWN = __package__.partition(".runtime.")[0]
PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), np.dtype, np.generic)

Meant = Callable[[str, Any], Any]


def digest(*parts: Any) -> bytes:
    """The digest of things that have the same repr wherever and whenever they are made."""
    return hashlib.sha256(repr(parts).encode()).digest()


def of_function(function: Any, meant: Meant | None = None) -> bytes:
    """The digest of a function and of what its globals mean; `meant` is asked what each of them is replaced by."""
    if meant is not None:
        return _of_function(function, meant)
    if function not in _known:
        _known[function] = b"itself"  # where it calls itself
        try:
            _known[function] = _of_function(function, lambda name, value: value)
        except BaseException:
            del _known[function]
            raise
    return _known[function]


_known: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()


def of_options(options: Mapping[str, Any]) -> str:
    """Options of the compiler: classes by their names, sets in the order of their items, which differs each time."""
    named = {name: getattr(value, "__qualname__", value) for name, value in options.items()}
    return repr(
        [(name, sorted(one) if isinstance(one, set | frozenset) else one) for name, one in sorted(named.items())]
    )


def _of_function(function: Any, meant: Meant) -> bytes:
    cells = [_value(cell.cell_contents, ()) for cell in function.__closure__ or ()]
    defaults = _value(function.__defaults__, ()), _value(tuple((function.__kwdefaults__ or {}).items()), ())
    names = _names(function.__code__)
    found = {name: meant(name, function.__globals__.get(name)) for name in sorted(names)}
    globals_ = [(name, _value(value, names)) for name, value in found.items()]  # None for builtins and attributes
    name = function.__module__, function.__name__
    return digest(name, _code(function.__code__, function.__doc__), defaults, cells, globals_)


def _code(code: CodeType, doc: str | None) -> tuple[Any, ...]:
    constants = [None if value == doc and i == 0 else _value(value, ()) for i, value in enumerate(code.co_consts)]
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return (code.co_code, code.co_exceptiontable, constants, counts, names)


def _names(code: CodeType) -> frozenset[str]:
    """All names that a function's code has, and those of the functions in it."""
    inner = [_names(value) for value in code.co_consts if isinstance(value, CodeType)]
    return frozenset(code.co_names).union(*inner)


def _value(value: Any, names: Any) -> Any:
    """A thing that a function names: what compiled code depends on of it."""
    value = getattr(value, "kernel", value) if hasattr(value, "py_func") else value  # as it was before it was compiled
    if isinstance(value, PLAIN):
        return type(value).__name__, repr(value)
    if isinstance(value, tuple | list):
        return [_value(item, names) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(repr(_value(item, names)) for item in value)
    if isinstance(value, CodeType):
        return _code(value, None)
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, ModuleType):
        return value.__name__, _members(value, names)
    return _callable(value)


def _members(module: ModuleType, names: Any) -> list[Any]:
    """What a function may name of a module of this package: module.name."""
    if module.__name__.partition(".")[0] != OWN.partition(".")[0]:
        return []
    return [(name, _value(vars(module)[name], ())) for name in sorted(names) if name in vars(module)]


def _callable(value: Any) -> Any:
    if hasattr(value, "function") and hasattr(value, "options"):  # a kernel of ours
        return of_function(value.function), of_options(value.options)
    if hasattr(value, "py_func"):  # one of numba's
        return of_function(value.py_func), of_options(value.targetoptions)
    if isinstance(value, BuiltinFunctionType | np.ufunc):
        return getattr(value, "__module__", ""), value.__name__
    if isinstance(value, FunctionType):
        return of_function(value), *_around(value)
    name = getattr(value, "__module__", ""), getattr(value, "__qualname__", type(value).__qualname__)
    return name, "" if " at 0x" in repr(value) else repr(value), _around(value)


def _around(value: Any) -> tuple[Any, ...]:
    """What a function's own code does not say of how it is compiled: texts of modules, traits of the processor."""
    from ..compile import machine

    module = getattr(value, "__module__", None) or type(value).__module__
    own = module.removeprefix(f"{__package__.rpartition('.')[0]}.") if module.startswith(OWN) else ""
    if own.startswith("llvm.halves.tiles"):
        return folder_text("llvm"), machine.vector_registers(), machine.pair_products()
    if own.startswith("llvm.carryless"):
        return folder_text("llvm"), machine.carryless_bytes()
    if own.startswith("llvm"):
        return folder_text("llvm"), machine.vector_registers(), machine.fuses()
    if own.startswith(("scalar.primitives", "scalar.intrinsics")):
        return module_text(module), module_text(f"{KERNELS_NAME}.scalar.intrinsics"), machine.fuses()
    if own.startswith("scalar"):
        return ()  # its code says all
    return (module_text(module),)


KERNELS_NAME = __package__.rpartition(".")[0]


@functools.cache
def module_text(name: str) -> bytes:
    """The digest of a module's text, if it has been written in Python."""
    path = getattr(sys.modules.get(name), "__file__", None)
    found = (
        Path(path) if path else KERNELS.joinpath(*name.removeprefix(f"{KERNELS_NAME}.").split(".")).with_suffix(".py")
    )
    return digest(found.read_bytes()) if found.suffix == ".py" and found.is_file() else b""


@functools.cache
def folder_text(*names: str) -> bytes:
    """The digest of the modules of folders beside this one."""
    return digest([texts_of(KERNELS / name) for name in names])


def texts_of(folder: Path) -> bytes:
    """The digest of a folder's modules: the same wherever it lies."""
    return digest([(path.relative_to(folder).parts, path.read_bytes()) for path in sorted(folder.rglob("*.py"))])
