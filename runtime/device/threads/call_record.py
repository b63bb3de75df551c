"""A call of a compiled kernel as words, so that a thread can make it without the interpreter."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...compiler.language.structs import CALL_INTEGERS, CALL_NUMBERS
from ...compiler.passes.loading import load_compiler

ARRAY_SLOTS = 7  # of a flat one
INTEGERS = (int, bool, np.int64, np.int32, np.bool_)
FLOATS = (float, np.float64)
_addresses: dict[Any, int] = {}


def sliced_arrays(arguments: Sequence[Any], size: int) -> list[int]:
    """Where those arrays begin among the integers of the arguments, numbers and arrays, that have this size."""
    result, position = [], 0
    for argument in arguments:
        if type(argument) is np.ndarray:
            if argument.size == size:
                result.append(position)
            position += ARRAY_SLOTS
        else:
            position += type(argument) in INTEGERS
    return result


def slots_of(arguments: tuple[Any, ...]) -> tuple[list[int], list[float]] | None:
    """The arguments as integers and floats; None where a call cannot have them. An array: (owner, parent, elements,
    bytes of one, address, shape, strides)."""
    integers: list[int] = []
    numbers: list[float] = []
    for argument in arguments:
        if not _put(argument, integers, numbers):
            return None
    # Two more for the range, which every part writes behind them.
    fits = len(integers) + 2 <= CALL_INTEGERS and len(numbers) <= CALL_NUMBERS
    return (integers, numbers) if fits else None


def memory_of(array: np.ndarray) -> int:
    """Where an array's elements begin: a tenth of the time that `__array_interface__` takes."""
    return ctypes.c_ssize_t.from_address(id(array) + object.__basicsize__).value


def _put(argument: Any, integers: list[int], numbers: list[float]) -> bool:
    kind = type(argument)
    if kind is np.ndarray:
        start = memory_of(argument)
        integers += (0, 0, argument.size, argument.itemsize, start, *argument.shape, *argument.strides)
    elif kind in INTEGERS:
        integers.append(int(argument))
    elif argument is None:
        integers.append(0)  # an address that nobody reads
    elif kind in FLOATS:
        numbers.append(float(argument))
    elif kind is np.float32:  # in the lower half of a register
        numbers.append(float(np.array([argument, 0], np.float32).view(np.float64)[0]))
    else:
        return kind is tuple and all(_put(item, integers, numbers) for item in argument)
    return True


def address_of(kernel: Any, arguments: tuple[Any, ...]) -> int:
    key = (kernel, *map(_kind, arguments))
    if key not in _addresses:
        load_compiler()
        from numba import typeof

        _addresses[key] = kernel_address(kernel, [typeof(argument) for argument in arguments])
    return _addresses[key]


def kernel_address(kernel: Any, arguments: Sequence[Any], suffix: str = "") -> int:
    """The machine code of a kernel for such arguments, compiled if need be; `suffix`: of another entry."""
    result = compiled_for(kernel, arguments)
    return int(result.library.get_pointer_to_function(f"{result.fndesc.llvm_func_name}{suffix}"))


def compiled_for(kernel: Any, arguments: Sequence[Any]) -> Any:
    types = tuple(arguments)
    dispatcher = kernel.compile() if hasattr(kernel, "function") else kernel
    dispatcher.compile(types)
    return dispatcher.overloads[types]


def _kind(argument: Any) -> Any:
    if type(argument) is np.ndarray:
        return argument.dtype, argument.ndim, argument.flags.num
    return (tuple, *map(_kind, argument)) if type(argument) is tuple else type(argument)
