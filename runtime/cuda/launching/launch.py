"""Launches: a kernel's function for the dtypes of its arguments, and the words that these are passed as."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ...kernels.cuda.kernel import Array, Kernel, Signature
from ..array import DeviceArray
from ..current import current_stream
from ..driver import chosen, driver
from .rehearsals import noted

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
    words: list[int]
    given: tuple[Any, ...]  # arrays and numbers, in order
    places: list[int]  # of each of them: of an array the word with its address, of a number its first word


def launch(kernel: Kernel, blocks: Any, threads: Any, *arguments: Any, shared: int = 0) -> None:
    """Run a kernel on the current stream of the device where its arrays lie.

    Args:
        kernel: what runs.
        blocks: how many, or a tuple of three.
        threads: of a block, likewise.
        *arguments: DeviceArrays, of which the kernel sees the memory from the address on as one row of elements;
            numbers, Python's as float64, int64, bool or complex128, NumPy's in their own dtype; tuples of these.
        shared: bytes of shared memory besides the kernel's own.
    """
    signature, device = signature_of(arguments), device_of(arguments)
    function = function_of(kernel, signature, device)
    given = tuple(flat(arguments))
    words, places = words_of(given)
    perform(Launched(function, extents(blocks), extents(threads), shared, words, given, places), device)


def perform(made: Launched, device: int) -> None:
    driver().launch(made.function, made.grid, made.block, made.words, made.shared, current_stream(device))
    noted(made)


def function_of(kernel: Kernel, signature: Signature, device: int) -> int:
    """The handle of a kernel on a device; loaded when it is first asked for."""
    found, key = handles(), (kernel, signature, device)
    if key not in found:
        found[key] = driver().load(kernel, signature, device)
    return found[key]


def handles() -> dict[Any, int]:
    """What the driver in use has loaded, by whatever it was asked for by."""
    return _functions.setdefault(chosen(), {})


def extents(given: Any) -> Extent:
    return given if isinstance(given, tuple) else (given, 1, 1)


def signature_of(arguments: tuple[Any, ...]) -> Signature:
    return tuple([part_of(argument) for argument in arguments])


def part_of(argument: Any) -> Any:
    if isinstance(argument, DeviceArray):
        return Array(argument.stored)
    if isinstance(argument, tuple):
        return signature_of(argument)
    return dtype_of(argument)


def dtype_of(number: Any) -> np.dtype:
    found = PYTHON_NUMBERS.get(type(number))
    return number.dtype if found is None else found


def device_of(arguments: tuple[Any, ...]) -> int:
    return next(argument for argument in flat(arguments) if isinstance(argument, DeviceArray)).device.index or 0


def flat(arguments: tuple[Any, ...]) -> Iterator[Any]:
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from flat(argument)
        else:
            yield argument


def words_of(given: tuple[Any, ...]) -> tuple[list[int], list[int]]:
    """The words of arrays and numbers, in order, and the places of `Launched`."""
    words: list[int] = []
    places: list[int] = []
    for value in given:
        if isinstance(value, DeviceArray):
            places.append(len(words) + ADDRESS)
            words += array_words(value.address, reach(value), value.itemsize)
        else:
            places.append(len(words))
            words += number_words(value)
    return words, places


def array_words(address: int, size: int, itemsize: int) -> tuple[int, ...]:
    """An array as numba passes one: no owner, size, item size, address, and its only extent and step."""
    return 0, 0, size, itemsize, address, size, itemsize


def reach(array: DeviceArray) -> int:
    """The elements from the first one to the last one in memory."""
    if array.strides is None or not array.size:
        return array.size
    return sum((n - 1) * step for n, step in zip(array.shape, array.strides, strict=True)) // array.itemsize + 1


def number_words(number: Any) -> tuple[int, ...]:
    """A number in the low bytes of a word; a complex one is two."""
    if number.__class__ is float:
        return WORD.unpack(DOUBLE.pack(number))
    kind = dtype_of(number)
    if kind.kind in "iub":
        return (int(number),)
    if kind.kind == "c":
        part = np.dtype(f"f{kind.itemsize // 2}").type
        return (*number_words(part(number.real)), *number_words(part(number.imag)))
    return (int.from_bytes(kind.type(number).tobytes(), "little"),)
