"""The driver in use: chosen once, when a program first asks for a CUDA device."""

from __future__ import annotations

import os

from ..errors import DeviceError
from ..locks import new_lock
from .protocol import Driver, Properties

__all__ = ["Driver", "Properties", "available", "device_count", "driver", "simulate"]

NO_DRIVER = (
    "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from "
    "http://www.nvidia.com/Download/index.aspx. SPECGRAD_CUDA=simulated simulates a device."
)
_choosing = new_lock()
_chosen: list[Driver] = []


def driver() -> Driver:
    """The driver in use: the simulated one if `SPECGRAD_CUDA=simulated` or `simulate()` ask for it, else the real one.

    Raises:
        RuntimeError: there is no driver.
    """
    if _chosen:
        return _chosen[0]
    with _choosing:
        if not _chosen:
            _chosen.append(_simulated() if os.environ.get("SPECGRAD_CUDA") == "simulated" else _real())
    return _chosen[0]


def _simulated(devices: int = 1, memory: int = 1 << 30) -> Driver:
    from .simulated.driver import SimulatedDriver

    return SimulatedDriver(devices, memory)


def _real() -> Driver:
    raise DeviceError(NO_DRIVER)


def simulate(devices: int = 1, memory: int = 1 << 30) -> None:
    """Let CUDA devices be simulated, each with `memory` bytes; for tests and for programs on machines without a GPU.

    Raises:
        RuntimeError: the real driver is in use.
    """
    from .simulated.driver import SimulatedDriver

    with _choosing:
        if not _chosen:
            _chosen.append(_simulated(devices, memory))
        elif not isinstance(_chosen[0], SimulatedDriver):
            raise DeviceError("simulate(): the CUDA driver is in use already: call it before anything else")


def available() -> bool:
    """Whether there is a CUDA device."""
    return device_count() > 0


def device_count() -> int:
    """The number of CUDA devices; 0 without a driver."""
    try:
        return driver().device_count()
    except DeviceError:
        return 0
