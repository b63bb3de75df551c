"""The objects of devices that native code reads, and the thread that launched last."""

from __future__ import annotations

from ...cuda.allocator import Block as PythonBlock
from ...cuda.allocator import SizeClass as PythonShelf
from ...cuda.array import DeviceArray as PythonDeviceArray
from ...kernels.llvm.native_code.structs import Struct, fields
from ..interned import interned, located
from ..layout import List, Object, Tuple, Type, measured


@measured(PythonShelf)
class SizeClass(Object):
    """The free blocks of one class: see runtime/cuda/allocator.py."""

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
    """One figure of an allocator: see runtime/cuda/statistics.py."""

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
