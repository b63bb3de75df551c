"""The objects of devices that native code reads, and the thread that launched last."""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, atomic_xchg, native
from ...compiler.language.structs import Items, Struct, fields
from ...device.cuda.allocator import Block as PythonBlock
from ...device.cuda.allocator import SizeClass as PythonShelf
from ...device.cuda.array import DeviceArray as PythonDeviceArray
from ..objects import c_api as c
from ..objects.interned import interned, located
from ..objects.layout import Array, List, Object, Tuple, Type, measured
from ..objects.references import retain
from ..objects.tensors import not_handled


@measured(PythonShelf)
class SizeClass(Object):
    cache: Object
    free: List
    quick: Object
    size: Object
    counters: Object


@measured(PythonBlock)
class Block(Object):
    address: Object
    size_class: SizeClass
    size: Object
    streams: Object


@measured(PythonDeviceArray)
class DeviceArray(Object):
    address: Object
    block: Object
    device: Object
    dtype: Object
    final: Object
    shape: Tuple
    size: Object
    stored: Object
    strides: Object


class Figures(Struct):
    now: int
    peak: int
    allocated: int
    forgotten: int


class Launcher(Struct):
    """The thread that launched last, on which device and stream: only there does native code launch."""

    thread: int  # 0: none
    device: Object
    stream: int
    handle: int  # the driver's, of that stream
    driver: int  # a number for each
    entry: int  # the address of a function like cuLaunchKernel


counters = Launcher.pack()
launcher = located(Launcher, counters.ctypes.data, counters)
block_type = interned(Type, PythonBlock)
device_array_type = interned(Type, PythonDeviceArray)
name_take = interned(Object, "take")
name_give = interned(Object, "give")


def distances() -> list[list[int]]:
    return [[field.distance for field in fields(kind).values()] for kind in (SizeClass, Block, DeviceArray)]


@native
def enter(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """enter(device, stream, handle, driver, entry): launches of this thread are for these, as `Launcher` has them."""
    before = atomic_xchg(launcher, "device", retain(arguments[0]))
    launcher.stream = c.as_int(arguments[1])
    launcher.handle = c.as_int(arguments[2])
    launcher.driver = c.as_int(arguments[3])
    launcher.entry = c.as_int(arguments[4])
    launcher.thread = c.thread_number(c.thread_state())
    if before is not NULL:
        c.release(before)
    return not_handled()


@native
def leave(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """leave(): no thread launches; the next launch is Python's."""
    launcher.thread = 0
    return not_handled()
