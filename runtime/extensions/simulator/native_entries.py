"""What native code calls in the place of the driver's own functions: callbacks with the same arguments."""

from __future__ import annotations

import ctypes
import weakref
from typing import Protocol

from ...device.cuda.driver_protocol import Driver

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
