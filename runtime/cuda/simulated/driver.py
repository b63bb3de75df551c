"""The driver of simulated devices."""

from __future__ import annotations

import ctypes
import itertools
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import AcceleratorError
from ..protocol import Properties
from .arguments import ArrayWords, decoded
from .arrays import GlobalArray
from .memory import Memory, fault, is_of_device
from .threads import SimulatedCuda

Triple = tuple[int, int, int]


class SimulatedDriver:
    """A `Driver` of devices that are memory of this process.

    Args:
        devices: how many there are.
        memory: the bytes of each.
    """

    def __init__(self, devices: int = 1, memory: int = 1 << 30) -> None:
        self.memory = Memory([memory] * devices)
        self._handles = itertools.count(1 << 32)
        self._functions: dict[int, tuple[Any, tuple[Any, ...]]] = {}
        self._times: dict[int, float] = {}
        self._pinned: dict[int, np.ndarray] = {}

    def device_count(self) -> int:
        return len(self.memory.totals)

    def properties(self, device: int) -> Properties:
        return Properties("Simulated CUDA device", 9, 0, self.memory.totals[device], 132, uuid=f"simulated-{device}")

    def memory_info(self, device: int) -> tuple[int, int]:
        total = self.memory.totals[device]
        return max(total - self.memory.used[device], 0), total

    def can_access_peer(self, device: int, peer: int) -> bool:
        return device != peer

    def allocate(self, device: int, size: int, stream: int) -> int:
        return self.memory.allocate(device, size)

    def free(self, device: int, address: int, stream: int) -> None:
        self.memory.free(address)

    def copy(self, to: int, source: int, size: int, kind: str, stream: int) -> None:
        self._check_sides(to, source, kind)
        if size == 0:
            return
        if kind == "d2d":
            there, here = self.memory.region(to, size, "copy d2d"), self.memory.region(source, size, "copy d2d")
            there.bytes[:], there.written[:] = here.bytes, here.written
        elif kind == "h2d":
            region = self.memory.region(to, size, "copy h2d")
            ctypes.memmove(region.bytes.ctypes.data, source, size)
            region.written[:] = True
        else:
            ctypes.memmove(to, self.memory.region(source, size, "copy d2h").bytes.ctypes.data, size)

    def _check_sides(self, to: int, source: int, kind: str) -> None:
        if kind not in ("h2d", "d2h", "d2d"):
            raise ValueError(f"copy(): expected one of h2d, d2h, d2d, got {kind!r}")
        for address, on_device, side in ((to, kind[-1] == "d", "target"), (source, kind[0] == "d", "source")):
            if is_of_device(address) != on_device:
                wanted, came = ("a device", "the host") if on_device else ("the host", "a device")
                raise fault(f"copy {kind}", f"expected a {side} on {wanted}, but {address:#x} is an address of {came}")

    def fill(self, address: int, byte: int, size: int, stream: int) -> None:
        region = self.memory.region(address, size, "fill")
        region.bytes[:], region.written[:] = byte, True

    def load(self, kernel: Any, signature: tuple[Any, ...], device: int) -> int:
        handle = next(self._handles)
        self._functions[handle] = kernel, signature
        return handle

    def launch(
        self, function: int, grid: Triple, block: Triple, words: Sequence[int], shared: int, stream: int
    ) -> None:
        if function not in self._functions:
            raise AcceleratorError(f"CUDA error: invalid resource handle: launch of an unknown function {function:#x}")
        kernel, signature = self._functions[function]
        given = [self._seen(argument) for argument in decoded(words, signature)]
        SimulatedCuda().launch(kernel.simulated(signature), grid, block, given)

    def _seen(self, argument: Any) -> Any:
        """An argument of a kernel with the arrays in it over simulated memory."""
        if type(argument) is tuple:
            return tuple([self._seen(part) for part in argument])
        if not isinstance(argument, ArrayWords):
            return argument
        region = self.memory.region(argument.address, argument.nbytes, "launch")
        held = argument.dtype if argument.dtype.kind != "V" else np.dtype(np.uint16)  # the bits of bfloat16 numbers
        return GlobalArray(region.bytes.view(held), region.written)

    def create_stream(self, device: int, priority: int = 0, blocking: bool = False) -> int:
        return next(self._handles)

    def destroy_stream(self, stream: int) -> None:
        pass

    def stream_priorities(self, device: int) -> tuple[int, int]:
        return 0, -5

    def synchronize_stream(self, stream: int) -> None:
        pass

    def stream_done(self, stream: int) -> bool:
        return True

    def create_event(self, device: int, timing: bool = False) -> int:
        return next(self._handles)

    def destroy_event(self, event: int) -> None:
        self._times.pop(event, None)

    def record(self, event: int, stream: int) -> None:
        self._times[event] = time.perf_counter()

    def wait(self, stream: int, event: int) -> None:
        pass

    def synchronize_event(self, event: int) -> None:
        pass

    def event_done(self, event: int) -> bool:
        return True

    def elapsed(self, start: int, end: int) -> float:
        return (self._times[end] - self._times[start]) * 1e3

    def pin(self, size: int) -> int:
        memory = np.empty(max(size, 1), np.uint8)
        self._pinned[memory.ctypes.data] = memory
        return memory.ctypes.data

    def unpin(self, address: int) -> None:
        del self._pinned[address]

    def synchronize(self, device: int) -> None:
        pass
