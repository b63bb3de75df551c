"""Programs that call a driver, whichever it is: bytes that go from place to place, and launches of one kernel."""

from typing import Any

import numpy as np

from specgrad.runtime.device.cuda.driver_protocol import Driver
from specgrad.runtime.kernels.cuda.language import cuda

SIZE = 4096  # bytes of each block
ELEMENTS = 100  # of each array


class Bytes:
    """Calls of a driver on arrays of bytes that are all one number."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.a, self.b = (self.driver.allocate(0, SIZE, 0) for _ in range(2))
        self.driver.synchronize(0)

    def stream(self, blocking: bool = False) -> int:
        return self.driver.create_stream(0, 0, blocking)

    def event(self, stream: int, timing: bool = False) -> int:
        event = self.driver.create_event(0, timing)
        self.driver.record(event, stream)
        return event

    def fill(self, address: int, byte: int, stream: int) -> None:
        self.driver.fill(address, byte, SIZE, stream)

    def move(self, to: int, source: int, stream: int) -> None:
        self.driver.copy(to, source, SIZE, "d2d", stream)

    def read(self, address: int, stream: int) -> int:
        host = np.zeros(SIZE, np.uint8)
        self.driver.copy(host.ctypes.data, address, SIZE, "d2h", stream)
        assert (host == host[0]).all()
        return int(host[0])


class Array:
    """An array in a signature."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)


class Kernel:
    """A kernel that is the same for all signatures."""

    def __init__(self, function: Any) -> None:
        self.name, self.function = function.__name__, function

    def simulated(self, signature: Any) -> Any:
        return self.function


def scale(x: Any, factor: Any, result: Any) -> None:
    i = cuda.grid(1)
    if i < result.size:
        result[i] = x[i] * factor


def array_slots(address: int, size: int, itemsize: int) -> list[int]:
    return [0, 0, size, itemsize, address, size, itemsize]


def number_slots(value: Any) -> list[int]:
    raw = np.atleast_1d(value).view(np.uint8).tobytes()
    parts = [raw] if value.dtype.kind != "c" else [raw[: len(raw) // 2], raw[len(raw) // 2 :]]
    return [int.from_bytes(part, "little") for part in parts]


class Launches:
    """A driver with memory for arrays, and launches of `scale` over them."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    def array(self, values: np.ndarray) -> int:
        address = self.driver.allocate(0, values.nbytes, 0)
        self.driver.copy(address, values.ctypes.data, values.nbytes, "h2d", 0)
        return address

    def read(self, address: int, like: np.ndarray) -> np.ndarray:
        result = np.empty_like(like)
        self.driver.copy(result.ctypes.data, address, result.nbytes, "d2h", 0)
        return result

    def scale(self, x: int, factor: Any, result: int, dtype: Any, stream: int = 0, size: int = ELEMENTS) -> None:
        kind = np.dtype(dtype)
        function = self.driver.load(Kernel(scale), (Array(kind), kind, Array(kind)), 0)
        slot_values = [*array_slots(x, size, kind.itemsize), *number_slots(kind.type(factor))]
        slot_values += array_slots(result, size, kind.itemsize)
        self.driver.launch(function, (4, 1, 1), (32, 1, 1), slot_values, 0, stream)
