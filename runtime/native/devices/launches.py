"""Launches that have been found before: their words, of which addresses and numbers are those of each call.

A launch is looked up by the layouts of a call's tensors. It was made by Python (dispatch/device_elementwise.py) when
such a call came first, and holds for one driver and one stream.
"""

from __future__ import annotations

from ...kernels.llvm.kernel_calls import call_launch
from ...kernels.llvm.memory import bits, single_bits
from ...kernels.llvm.structs import Items, Struct, room
from ...kernels.llvm.typed import NULL, New, address_of, cast, native
from .. import c_functions as c
from ..interned import float_type, int_type, none, outdated_type
from ..layout import Array, Float, Object, Tensor, Tuple
from ..references import Owned, item, own
from ..tensors import is_tensor_anywhere
from .layout import DeviceArray, Shelf, launcher
from .memory import new_array, taken

MOST_OPERANDS = 12
MOST_RESULTS = 4
MOST_WORDS = 160
UNREAD, ADDRESS, SINGLE, DOUBLE, INTEGER = range(5)  # what a call changes of an operand's words


class Launch(Struct):
    """A launch for operands of certain layouts."""

    driver: int
    stream: int
    function: int
    blocks: int
    threads: int
    count: int  # of words
    broadcasts: int  # whether an operand has another shape than the result
    kinds: Items[int] = room(MOST_OPERANDS)  # of each operand: UNREAD, ...
    places: Items[int] = room(MOST_OPERANDS)  # the word that a call changes
    itemsize: Items[int] = room(MOST_OPERANDS)
    reach: Items[int] = room(MOST_OPERANDS)  # elements from the first one to the last
    stored: Items[Object] = room(MOST_OPERANDS)  # NumPy's dtype of the memory
    results: Items[int] = room(MOST_RESULTS)  # the words with their addresses
    words: Items[int] = room(MOST_WORDS)


class Words(Struct):
    """The words of one call, and the addresses of these."""

    words: Items[int] = room(MOST_WORDS)
    parameters: Items[int] = room(MOST_WORDS)


# What is found: the words of the launch; shape and dtype of a result; shape, size and dtype of its array; the bytes and
# the shelf that its block is of; the stream.
LAUNCH, SHAPE, DTYPE, FLAT_SHAPE, FLAT_SIZE, FLAT_DTYPE, BYTES, SHELF, STREAM = range(9)


@native
def is_here(thing: Object) -> bool:
    """Whether an object is a tensor on the device on which this thread launched last."""
    if not is_tensor_anywhere(thing) or cast(Tensor, thing).device is not launcher.device:
        return False
    return launcher.thread == c.thread_number(c.thread_state()) and cast(Tensor, thing).fn.type is not outdated_type


@native
def launch_of(found: Tuple) -> Launch:
    """The launch that was found."""
    return cast(Launch, cast(Array, item(found, LAUNCH)).memory)


@native
def holds(launch: Launch) -> bool:
    """Whether a launch is for the driver and the stream of this thread."""
    return launch.driver == launcher.driver and launch.stream == launcher.stream


@native
def start(launch: Launch, words: Words) -> None:
    """Begin with the words that are the same each time."""
    for i in range(launch.count):
        words.words[i] = launch.words[i]
        words.parameters[i] = address_of(words.words) + 8 * i


@native
def put_tensor(launch: Launch, i: int, tensor: Tensor, words: Words, owned: Owned) -> bool:
    """Put the address of a tensor's first element in its place, and own its array; False where it is not as found."""
    flat, first = cast(DeviceArray, tensor.flat), 0
    if tensor.flat is none:
        flat, first = cast(DeviceArray, tensor.storage), c.as_int(tensor.offset)
    if flat.stored is not launch.stored[i] or c.as_int(flat.size) - first < launch.reach[i]:
        return False
    own(owned, flat)
    words.words[launch.places[i]] = c.as_int(flat.address) + first * launch.itemsize[i]
    return True


@native
def put_double(launch: Launch, i: int, value: float, words: Words) -> bool:
    """Put a number in its place, in the dtype in which the kernel has it."""
    words.words[launch.places[i]] = single_bits(value) if launch.kinds[i] == SINGLE else bits(value)
    return launch.kinds[i] == SINGLE or launch.kinds[i] == DOUBLE


@native
def put_number(launch: Launch, i: int, number: Object, words: Words) -> bool:
    """Put a Python number in its place; False for others, and for ints that are too large."""
    if number.type is float_type:
        return put_double(launch, i, cast(Float, number).value, words)
    if number.type is not int_type:
        return False
    if launch.kinds[i] == INTEGER:
        value = c.as_int(number)
        words.words[launch.places[i]] = value
        fits = value != -1 or c.error_set() is NULL
    else:
        double = c.as_double(number)
        fits = (double != -1.0 or c.error_set() is NULL) and put_double(launch, i, double, words)
    c.clear_error()
    return fits


@native
def new_result(found: Tuple) -> New[DeviceArray]:
    """Memory for a result, as an array; NULL where an error is set. The caller holds what was found."""
    shelf = cast(Shelf, item(found, SHELF))
    block = taken(shelf, item(found, BYTES), item(found, STREAM))
    device = launcher.device
    return new_array(
        block, cast(Tuple, item(found, FLAT_SHAPE)), item(found, FLAT_SIZE), item(found, FLAT_DTYPE), device
    )


@native
def run(launch: Launch, words: Words) -> bool:
    """Launch; False where the driver refuses, which Python will say. All arrays are owned."""
    if launcher.thread != c.thread_number(c.thread_state()) or not holds(launch):  # another thread came in between
        return False
    blocks, threads, handle = launch.blocks, launch.threads, launcher.handle
    return call_launch(launcher.entry, launch.function, blocks, threads, handle, words.parameters) == 0
