"""Kernels with a thread for each result, which finds by its number where its operands lie."""

import types
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...compiler.passes.scalar_library import names_in
from .kernel import Array, Kernel, Signature, Target
from .storage import getter, in_registers, putter

WIDE = {"f": np.float64, "c": np.complex128}  # of sums
Name = Callable[[Target, Signature], Any]  # what a text's name stands for


def generated_kernel(name: str, function: Any, **names: Name) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        known = {name: value(target, signature) for name, value in names.items()}
        return target.kernel(function, **with_helpers(target, function, known, False))

    return Kernel(name, make)


def reads(part: int, dtype: Any = None) -> Name:
    return lambda target, signature: getter(
        target, signature[part].dtype, np.dtype(dtype) if dtype else in_registers(signature[part].dtype)
    )


def writes(part: int) -> Name:
    return lambda target, signature: putter(target, signature[part].dtype)


@cache
def indexed_kernel(function: Any, computed: np.dtype, needs_int64: bool) -> Kernel:
    """A kernel whose text names `T`, the type computed in, `W`, that of sums, `index`, that of places, and for each
    array `get_x` or `put_x`. Arrays of integers are read in their own dtype where numbers are floats."""

    def make(target: Target, signature: Signature) -> Any:
        code = function.__code__
        names: dict[str, Any] = {
            "T": computed.type,
            "W": WIDE.get(computed.kind, np.int64),
            "index": np.int64 if needs_int64 else np.int32,
        }
        for name, part in zip(code.co_varnames[: code.co_argcount], signature, strict=True):
            if isinstance(part, Array):
                names[f"get_{name}"] = getter(target, part.dtype, read_in(part.dtype, computed))
                names[f"put_{name}"] = putter(target, part.dtype)
        return target.kernel(function, **with_helpers(target, function, names, computed.kind == "c"))

    return Kernel(function.__name__, make)


def with_helpers(target: Target, function: Any, names: dict[str, Any], is_complex: bool) -> dict[str, Any]:
    used = names_in(function.__code__)
    result = target.scalars(function, is_complex)
    result |= {name: value for name, value in names.items() if name in used}
    for name in sorted(used):
        helper = function.__globals__.get(name)
        if isinstance(helper, types.FunctionType) and helper.__module__ == function.__module__:
            result[name] = target.device(helper, **with_helpers(target, helper, names, is_complex))
    return result


def read_in(stored: np.dtype, computed: np.dtype) -> np.dtype:
    """The dtype in which an element is read: integers beside floats or narrower ones are places, and stay such."""
    integer = stored.kind in "iub"
    narrows = computed.kind not in "iub" or computed.itemsize < stored.itemsize
    return in_registers(stored) if integer and narrows else computed
