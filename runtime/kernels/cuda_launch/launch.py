"""Launches: a kernel's function for its arguments' dtypes, and the words that these are passed as; and calls by
address."""

import ctypes
import struct
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ...compiler.language.call_abi import MAX_ARGUMENTS as ARGUMENTS
from ...device.cuda.array import DeviceArray
from ...device.cuda.current import current_stream
from ...device.cuda.driver import chosen, driver
from ...device.cuda.dry_run import noted
from ..cuda.kernel import Array, Kernel, Signature

ADDRESS = 4  # the word of an array in which its address stands
Extent = tuple[int, int, int]
WORD, DOUBLE = struct.Struct("<q"), struct.Struct("<d")
PYTHON_NUMBERS = {
    float: np.dtype(np.float64),
    int: np.dtype(np.int64),
    bool: np.dtype(np.bool_),
    complex: np.dtype(np.complex128),
}
_functions: WeakKeyDictionary[Any, dict[Any, int]] = WeakKeyDictionary()  # handles, by driver


class Launched(NamedTuple):
    """A launch as the driver was given it, and which arrays and numbers its words stand for."""

    function: int
    grid: Extent
    block: Extent
    shared: int
    slot_values: list[int]
    kernel_args: tuple[Any, ...]  # arrays and numbers, in order
    positions: list[int]  # of each of them: of an array the word with its address, of a number its first word


def launch(kernel: Kernel, blocks: Any, threads: Any, *arguments: Any, shared: int = 0) -> None:
    """Run a kernel on the current stream of its arrays' device. Blocks and threads are a number, or a tuple of three;
    an array is seen as one row of elements; numbers are Python's as float64, int64, bool or complex128, NumPy's in
    their own dtype; tuples of these. `shared`: further bytes of shared memory."""
    signature, device = signature_of(arguments), device_of(arguments)
    function = function_of(kernel, signature, device)
    args = tuple(flat(arguments))
    slot_values, positions = packed_args_of(args)
    perform(Launched(function, extents(blocks), extents(threads), shared, slot_values, args, positions), device)


def perform(made: Launched, device: int) -> None:
    driver().launch(made.function, made.grid, made.block, made.slot_values, made.shared, current_stream(device))
    noted(made)


def function_of(kernel: Kernel, signature: Signature, device: int) -> int:
    result, key = handles(), (kernel, signature, device)
    if key not in result:
        result[key] = driver().load(kernel, signature, device)
    return result[key]


def handles() -> dict[Any, int]:
    return _functions.setdefault(chosen(), {})


def extents(value: Any) -> Extent:
    return value if isinstance(value, tuple) else (value, 1, 1)


def signature_of(arguments: tuple[Any, ...]) -> Signature:
    return tuple([part_of(argument) for argument in arguments])


def part_of(argument: Any) -> Any:
    if isinstance(argument, DeviceArray):
        return Array(argument.stored)
    if isinstance(argument, tuple):
        return signature_of(argument)
    return dtype_of(argument)


def dtype_of(number: Any) -> np.dtype:
    cached = PYTHON_NUMBERS.get(type(number))
    return number.dtype if cached is None else cached


def device_of(arguments: tuple[Any, ...]) -> int:
    return next(argument for argument in flat(arguments) if isinstance(argument, DeviceArray)).device.index or 0


def flat(arguments: tuple[Any, ...]) -> Iterator[Any]:
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from flat(argument)
        else:
            yield argument


def packed_args_of(args: tuple[Any, ...]) -> tuple[list[int], list[int]]:
    slot_values: list[int] = []
    positions: list[int] = []
    for value in args:
        if isinstance(value, DeviceArray):
            positions.append(len(slot_values) + ADDRESS)
            slot_values += array_slots(value.address, read_extent(value), value.itemsize)
        else:
            positions.append(len(slot_values))
            slot_values += number_slots(value)
    return slot_values, positions


def array_slots(address: int, size: int, itemsize: int) -> tuple[int, ...]:
    """An array as numba passes one: no owner, size, item size, address, and its only extent and step."""
    return 0, 0, size, itemsize, address, size, itemsize


def read_extent(array: DeviceArray) -> int:
    if array.strides is None or not array.size:
        return array.size
    return sum((n - 1) * step for n, step in zip(array.shape, array.strides, strict=True)) // array.itemsize + 1


def number_slots(number: Any) -> tuple[int, ...]:
    """A number in the low bytes of a word; a complex one is two."""
    if number.__class__ is float:
        return WORD.unpack(DOUBLE.pack(number))
    kind = dtype_of(number)
    if kind.kind in "iub":
        return (int(number),)
    if kind.kind == "c":
        part = np.dtype(f"f{kind.itemsize // 2}").type
        return (*number_slots(part(number.real)), *number_slots(part(number.imag)))
    return (int.from_bytes(kind.type(number).tobytes(), "little"),)


FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_int64] * ARGUMENTS)


class Called(NamedTuple):
    """A call of a function in C of integers and addresses that returns a status. Numbers whose addresses are arguments
    stand behind the arguments."""

    function: int
    slot_values: list[int]
    memory: list[int]  # places of the words that are addresses on the device
    aligned: int  # of which each of these is a multiple
    inside: list[tuple[int, int]]  # places of words that are addresses of other words, and the places of those
    retained: Any  # lives as long as this


def performed(made: Called) -> int:
    slot_values = np.array(made.slot_values, np.int64)
    for slot, of in made.inside:
        slot_values[slot] = slot_values.ctypes.data + 8 * of
    status = function_at(made.function)(*slot_values[:ARGUMENTS].tolist())
    if not status:
        noted(made)
    return status


@cache
def function_at(address: int) -> Any:
    return FUNCTION(address)


def arguments(*args: int) -> list[int]:
    return [*args, *[0] * (ARGUMENTS - len(args))]
