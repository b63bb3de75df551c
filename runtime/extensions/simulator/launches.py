"""A launch that waits in a stream: its arguments as arrays over simulated memory, and who wrote what when it ran."""

import ctypes
import weakref
from typing import Any, Protocol

import numpy as np

from ...device.cuda.driver_protocol import Driver
from ...errors import AcceleratorError
from ...kernels.cuda.storage import BITS
from .device_memory import Block, Memory
from .global_memory import GlobalArray
from .limits import BLOCK_LIMITS, GRID_LIMITS, MAX_THREADS, ArraySlots
from .rebuild_kernels import all_names
from .stream_order import Races, Work
from .threads import SimulatedCuda

THREADS = SimulatedCuda()  # one, as it remembers the functions that it has made of kernels


class Launch:
    """One launch of a kernel.

    Args:
        memory: where the arrays lie; checked when the launch is given, as the program may free them before it runs.
        races: notes what was read and written.
        arguments: numbers, ArraySlots and tuples of these.
        name: what the kernel is called.

    Raises:
        RuntimeError: an array lies outside of the memory that is in use.
    """

    def __init__(self, memory: Memory, races: Races, arguments: list[Any], name: str) -> None:
        self.memory, self.races, self.arguments, self.name = memory, races, arguments, name
        self.blocks: dict[ArraySlots, Block] = {}
        self._find(memory, arguments)

    def _find(self, memory: Memory, arguments: Any) -> None:
        for number, argument in enumerate(arguments):
            if isinstance(argument, ArraySlots):
                if argument.size:
                    what = f"argument {number} of {self.name}"
                    self.blocks[argument] = memory.block(argument.address, argument.nbytes, what)
            elif isinstance(argument, tuple):
                self._find(memory, argument)

    def run(self, kernel: Any, signature: Any, grid: Any, block: Any, shared: int, work: Work) -> None:
        arrays = {slots: _over(result, slots) for slots, result in self.blocks.items()}
        args = [_as_array(argument, arrays) for argument in self.arguments]
        function = kernel.simulated(signature)
        written = set(map(id, THREADS.launch(function, grid, block, args, shared, self.memory)))
        for slots, result in self.blocks.items():
            start = slots.address - result.address
            self.races.note(result, start, start + slots.nbytes, id(arrays[slots]) in written, work)
        if THREADS.reached is not None:
            THREADS.reached.done(self.races, work)
            THREADS.reached = None


def follows_addresses(kernel: Any, signature: Any) -> bool:
    return "array_at" in all_names(kernel.simulated(signature))


def _over(block: Block, slots: ArraySlots) -> GlobalArray:
    """An array over memory; of bfloat16 and complex32 numbers kernels get the bits."""
    start = slots.address - block.address
    offset = slice(start, start + slots.nbytes)
    kind = BITS.get(slots.dtype, slots.dtype)
    return GlobalArray(block.bytes[offset].view(kind), block.written[offset])


def _as_array(argument: Any, arrays: dict[ArraySlots, GlobalArray]) -> Any:
    """What the kernel is given: the same array where two arguments are the same memory."""
    if isinstance(argument, ArraySlots):
        return arrays[argument] if argument.size else GlobalArray(np.empty(0, argument.dtype))
    return tuple(_as_array(inner, arrays) for inner in argument) if isinstance(argument, tuple) else argument


def check_limits(grid: Any, block: Any, shared: int, max_shared_bytes: int) -> None:
    sides = ((grid, GRID_LIMITS, "blocks"), (block, BLOCK_LIMITS, "threads of a block"))
    for value, limits, what in sides:
        if not all(1 <= n <= limit for n, limit in zip(value, limits, strict=True)):
            raise _refused(f"{tuple(value)} {what}: expected at least 1 and at most {limits}")
    if block[0] * block[1] * block[2] > MAX_THREADS:
        raise _refused(f"{tuple(block)} threads of a block: expected at most {MAX_THREADS} in all")
    if not 0 <= shared <= max_shared_bytes:
        raise _refused(f"{shared} bytes of shared memory: expected at most {max_shared_bytes}")


def _refused(message: str) -> AcceleratorError:
    return AcceleratorError(f"CUDA error: invalid configuration argument: {message}")


LAUNCH = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, *[ctypes.c_uint] * 7, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)
FAILED = 1  # a status: CUDA_ERROR_INVALID_VALUE


class LaunchingDriver(Driver, Protocol):
    """A driver that knows how many words of arguments its functions take."""

    def slots_of(self, function: int) -> int: ...


class LaunchEntry:
    """A function like cuLaunchKernel. An error that is raised in it waits for the next launch of Python's, which native
    code asks for when a launch has failed."""

    def __init__(self, driver: LaunchingDriver) -> None:
        self._driver = weakref.ref(driver)
        self._errors: list[Exception] = []
        self._callback = LAUNCH(self._launch)
        self.address = ctypes.cast(self._callback, ctypes.c_void_p).value or 0

    def _launch(
        self,
        function: int,
        grid_x: int,
        grid_y: int,
        grid_z: int,
        block_x: int,
        block_y: int,
        block_z: int,
        shared: int,
        stream: int | None,
        parameters: int,
        extra: int | None,
    ) -> int:
        driver = self._driver()
        assert driver is not None, "a driver that is called is there"
        try:
            count = driver.slots_of(function)
            addresses = (ctypes.c_void_p * count).from_address(parameters)
            slots = [ctypes.c_int64.from_address(address or 0).value for address in addresses]
            driver.launch(function, (grid_x, grid_y, grid_z), (block_x, block_y, block_z), slots, shared, stream or 0)
        except Exception as error:
            self._errors.append(error)
            return FAILED
        return 0

    def raise_if_failed(self) -> None:
        if self._errors:
            raise self._errors.pop()
