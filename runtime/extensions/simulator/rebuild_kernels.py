"""Kernels and their device functions as the simulator runs them: the same code with other globals."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

from ...kernels.cuda.numbers import INTEGERS, TYPES, boolean

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
