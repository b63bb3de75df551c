"""The driver in use: chosen once, when a program first asks for a CUDA device."""

import os
import sys

from ...errors import DeviceError
from ...extension_points import extension
from ...locks import new_lock
from .driver_protocol import Driver, Properties
from .dry_run import watched

__all__ = ["Driver", "Properties", "available", "device_count", "driver", "simulate"]

NO_DRIVER = (
    "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from "
    "http://www.nvidia.com/Download/index.aspx. SPECGRAD_CUDA=simulated simulates a device."
)
_choosing = new_lock()
_chosen: list[Driver] = []
_missing: list[str] = []  # why there is no real driver, once that is known
_inherited: list[int] = []  # in a forked process: the number of devices, where the parent has used them
IN_FORK = (
    "Cannot re-initialize CUDA in forked subprocess. "
    "To use CUDA with multiprocessing, you must use the 'spawn' start method"
)


def driver() -> Driver:
    """The driver in use, as this thread calls it: see rehearsals.py; a RuntimeError where there is no driver."""
    return watched(chosen())


def chosen() -> Driver:
    """The driver in use, simulated if `SPECGRAD_CUDA=simulated` or `simulate()` say so; a RuntimeError without one."""
    if _chosen:
        return _chosen[0]
    if _inherited:
        raise DeviceError(IN_FORK)
    with _choosing:
        if not _chosen:
            _chosen.append(_simulated() if os.environ.get("SPECGRAD_CUDA") == "simulated" else _real())
    return _chosen[0]


def _simulated(devices: int = 1, memory: int = 1 << 30, seed: int = 0) -> Driver:
    return extension("cuda_driver")(devices, memory, seed, os.environ.get("CUDA_LAUNCH_BLOCKING") == "1")


def _real() -> Driver:
    from .real_driver import RealDriver, bindings, is_installed

    if not _missing and not is_installed():
        _missing.append(NO_DRIVER)
    if _missing:
        raise DeviceError(_missing[0])
    return RealDriver(bindings())


def simulate(devices: int = 1, memory: int = 1 << 30, seed: int = 0) -> None:
    """Let CUDA devices be simulated; for tests, and for programs on machines without a GPU.

    Args:
        devices: how many.
        memory: the bytes of each.
        seed: of the order in which streams do their work, where nothing orders it.

    Raises:
        RuntimeError: the real driver is in use.
    """
    with _choosing:
        if not _chosen:
            _chosen.append(_simulated(devices, memory, seed))
        elif not _chosen[0].is_simulated:
            raise DeviceError("simulate(): the CUDA driver is in use already: call it before anything else")


def available() -> bool:
    return device_count() > 0


def in_use(result: Driver) -> bool:
    """Whether that is the driver in use: neither is one that a process inherited, nor any when the interpreter ends."""
    return result in _chosen and not sys.is_finalizing()


def device_count() -> int:
    """The number of CUDA devices; 0 without a driver."""
    if _inherited:
        return _inherited[0]
    try:
        return driver().device_count()
    except DeviceError:
        return 0


def _forked() -> None:
    """What the parent has on devices is not there for a forked process, and CUDA cannot be used again in it."""
    if _chosen:
        _inherited[:] = [_chosen[0].device_count()]
        _chosen.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
