"""Stands for `nvmath.bindings`: functions of the same names and parameters, which a simulated device carries out.

Arguments are held against what nvmath-python says of each function (`nvmath_record.txt`): their number, and whether
they fit their C type. What they mean is read off its enumerations; memory is that of the simulated device.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import operator
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import ml_dtypes
import numpy as np
import pytest

from specgrad.runtime.device.cuda.dry_run import unrehearsed
from specgrad.runtime.extensions.simulator.device_memory import is_of_device
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from specgrad.runtime.extensions.simulator.libraries import SimulatedLibraries
from specgrad.runtime.kernels.cuda_launch.launch import FUNCTION
from tests.kernels.cuda_libraries.nvmath_record import VOCABULARY_SIZE, enumeration, signatures

SIGNATURES = signatures()
BY_LETTER = dict(zip(VOCABULARY_SIZE, map(np.dtype, "fdFD"), strict=True))
CudaDataType = enumeration(".CudaDataType")
FORMATS = {
    CudaDataType["CUDA_R_32F"]: np.dtype("f4"),
    CudaDataType["CUDA_R_64F"]: np.dtype("f8"),
    CudaDataType["CUDA_R_16F"]: np.dtype("f2"),
    CudaDataType["CUDA_R_16BF"]: np.dtype(ml_dtypes.bfloat16),
    CudaDataType["CUDA_C_32F"]: np.dtype("c8"),
    CudaDataType["CUDA_C_64F"]: np.dtype("c16"),
}
LIMITS = {
    "signed char": (-(1 << 7), 1 << 7),
    "int": (-(1 << 31), 1 << 31),
    "int64_t": (-(1 << 63), 1 << 63),
    "long long": (-(1 << 63), 1 << 63),
    "uint64_t": (0, 1 << 64),
    "size_t": (0, 1 << 64),
    "intptr_t": (0, 1 << 63),
}
DIRTY = 0xA5  # what a library leaves in memory that it was lent


class World:
    """What all libraries share: the device, handles and what is called.

    Args:
        driver: the device; `enter` says which of several is the current one.
    """

    def __init__(self, driver: SimulatedDriver) -> None:
        self.driver, self.simulated = driver, SimulatedLibraries(driver)
        self.current: int | None = None
        self.handles: dict[int, dict[str, Any]] = {}
        self.numbers = itertools.count(4096, 16)
        self.calls: list[str] = []
        self.modules: dict[str, Any] = {}
        self.streams: list[int] = []  # to which products were given
        self.entries: dict[str, Any] = {}  # functions of C

    def enter(self, stream: int) -> int:
        """As the real driver does: make the device of a stream the current one."""
        self.current = self.driver.queues.stream(stream).device
        return self.current

    def new(self, kind: str, **content: Any) -> int:
        """A handle that belongs to the current device."""
        assert self.current is not None, "no context is current"
        number = next(self.numbers)
        self.handles[number] = {"kind": kind, "device": self.current, "stream": self.current, **content}
        return number

    def found(self, number: int, kind: str) -> dict[str, Any]:
        """What a handle stands for; it may be used while its device is the current one."""
        content = self.handles[number]
        assert (content["kind"], content["device"]) == (kind, self.current)
        return content

    def end(self, number: int, kind: str) -> None:
        self.found(number, kind)
        del self.handles[number]

    def drop(self, number: int, kind: str) -> None:
        """The end of what belongs to no device."""
        assert self.handles.pop(number)["kind"] == kind

    def numbers_at(self, address: int, count: int, stream: int) -> list[int]:
        """Addresses in memory of the device, once the stream has got there."""
        found = np.zeros(count, np.int64)
        self.driver.copy(found.ctypes.data, address, found.nbytes, "d2h", stream)
        return [int(number) for number in found]

    def lend(self, address: int, size: int, stream: int) -> None:
        """Memory that a library may use as it likes until it is done."""

        def run(regions: Any) -> None:
            regions[0].bytes.fill(DIRTY)
            regions[0].written.fill(True)

        self.driver.call("workspace", [(address, size, True)], run, stream)


class FakeLibrary:
    """One module of `nvmath.bindings`. Methods with `dtype` as the first argument stand for those of all letters."""

    name = ""

    def __init__(self, world: World) -> None:
        self.world = world

    def __getattr__(self, name: str) -> Any:
        if (self.name, name) not in SIGNATURES:
            raise AttributeError(name)
        return functools.partial(self.called, name)

    def called(self, name: str, *arguments: Any) -> Any:
        parameters = SIGNATURES[self.name, name]
        assert len(arguments) == len(parameters), f"{self.name}.{name}() takes {len(parameters)} arguments"
        for argument, (kind, parameter) in zip(arguments, parameters, strict=True):
            if kind:
                low, high = LIMITS[kind]
                assert low <= operator.index(argument) < high, f"{name}(): {parameter} is {argument}, no {kind}"
        self.world.calls.append(name)
        own = f"do_{name}"
        if hasattr(type(self), own):
            return getattr(self, own)(*arguments)
        method = getattr(self, f"do_{name[1:]}")
        return method(BY_LETTER[name[0]], *arguments)

    def entry(self, function: str) -> int:
        """The address of a function of C, by its name, which nvmath has in small letters and without the library's."""
        name = re.sub("(?=[A-Z])", "_", function.removeprefix(self.name)).lower().lstrip("_")
        count = len(SIGNATURES[self.name, name])

        def called(*slot_values: int) -> int:
            try:
                with unrehearsed():  # of what the simulated device is asked for, a call notes nothing
                    self.called(name, *slot_values[:count])
            except Exception:
                traceback.print_exc()  # whoever calls has only the status
                return 1
            return 0

        self.world.entries[function] = callback = FUNCTION(called)
        return ctypes.cast(callback, ctypes.c_void_p).value or 0

    def do_create(self) -> int:
        return self.world.new(self.name)

    def do_set_stream(self, handle: int, stream_id: int) -> None:
        found = self.world.found(handle, self.name)
        found["stream"] = stream_id or found["device"]

    def stream(self, handle: int) -> int:
        return int(self.world.found(handle, self.name)["stream"])


def of_host(address: int, dtype: Any, count: int = 1) -> np.ndarray:
    """Numbers in memory of the host."""
    assert not is_of_device(address), f"{address:#x} is no address of the host"
    kind = np.dtype(dtype)
    return np.frombuffer(ctypes.string_at(address, count * kind.itemsize), kind)


@contextmanager
def installed(driver: Any, *libraries: type[FakeLibrary]) -> Iterator[World]:
    """Modules `nvmath.bindings.NAME`, and libraries of real devices in place of the simulated ones."""
    from specgrad.runtime.device.cuda import current
    from specgrad.runtime.kernels.cuda_libraries import cublaslt
    from specgrad.runtime.kernels.cuda_libraries import libraries as chosen
    from specgrad.runtime.kernels.cuda_libraries.nvmath import RealLibraries
    from specgrad.runtime.native.cuda import cached_launches as found

    world = World(driver)
    with pytest.MonkeyPatch.context() as patch:
        for library in libraries:
            world.modules[library.name] = library(world)
            patch.setitem(sys.modules, f"nvmath.bindings.{library.name}", world.modules[library.name])
        patch.setitem(sys.modules, "nvmath.bindings", object())
        entry = functools.cache(lambda library, function: world.modules[library].entry(function))
        patch.setattr(cublaslt, "address_of", entry)
        patch.setattr(driver, "enter", world.enter, raising=False)
        patch.setattr(found, "_numbers", WeakKeyDictionary())  # what was found of the simulated libraries is not theirs
        patch.setitem(chosen._known, driver, RealLibraries(driver))
        current.Changes.notify()
        yield world
    current.Changes.notify()
