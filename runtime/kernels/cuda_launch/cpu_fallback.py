"""The kernels of a device, by the name that they have for the CPU; where one is missing, the host computes. That is
counted (`counts`) and said once for each op; `SPECGRAD_CUDA_FALLBACK` is `warn`, `silent`, or `error`."""

import importlib.util
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from ...device.cuda import graph_capture
from ...device.cuda.array import DeviceArray
from ...device.cuda.driver import driver
from ...errors import DeviceError, warn_user
from .arrays import from_host, to_host

MODES = ("warn", "silent", "error")
counts: Counter[str] = Counter()  # calls that were computed on the host, by kernel


@cache
def counterpart(kernel: Any) -> Any:
    """The function that has the name of a kernel of the CPU in `cuda*.py` beside it, or a `Fallback`."""
    for module in modules_beside(kernel.__module__):
        value = getattr(module, kernel.__name__, None)
        if value is not None:
            return value if hasattr(value, "copies") else Bounded(kernel, value)
    return Fallback(kernel)


def copying(function: Any) -> Any:
    """Decorator of a device's kernel that launches no threads, so that the host never computes in its place."""
    function.copies = True
    return function


class Bounded:
    """A kernel of a device, in whose place the host computes what a simulated device would take too long for."""

    def __init__(self, kernel: Any, device_kernel: Any) -> None:
        self.device_kernel, self.host = device_kernel, Fallback(kernel, is_noted=False)

    def __call__(self, *args: Any) -> Any:
        arrays, limit = list(arrays_in(args)), driver().max_elements
        device_of(self.host.name, arrays)
        if limit is not None and sum(array.size for array in arrays) > limit:
            return self.host(*args)
        return self.device_kernel(*args)


def device_of(name: str, arrays: Sequence[Any]) -> Any:
    """The device of a call's arrays, beside which only 0-d arrays may lie on the host: else a DeviceError."""
    device = next(a.device for a in arrays if isinstance(a, DeviceArray))
    for a in arrays:
        if (isinstance(a, DeviceArray) and a.device is not device) or (isinstance(a, np.ndarray) and a.ndim):
            other = a.device if isinstance(a, DeviceArray) else "cpu"
            raise DeviceError(
                f"{name}(): Expected all tensors to be on the same device, but found at least two devices, {device} "
                f"and {other}!"
            )
    return device


def modules_beside(name: str) -> Iterator[Any]:
    package, _, last = name.rpartition(".")
    for beside in (f"{package}.{last.replace('cpu', 'cuda')}", f"{package}.cuda"):
        if beside != name and importlib.util.find_spec(beside) is not None:
            yield import_module(beside)


class Fallback:
    """A kernel of the CPU for arrays on a device: they are copied to the host, and what it returns is copied back."""

    def __init__(self, kernel: Any, is_noted: bool = True) -> None:
        self.kernel = kernel
        self.name = kernel.__name__
        self.is_noted = is_noted

    def __call__(self, *args: Any) -> Any:
        arrays = list(arrays_in(args))
        device = device_of(self.name, arrays)
        graph_capture.refuse(device.index, f"is computed on the CPU ({self.name} has no CUDA kernel for this call)")
        if self.is_noted:
            note(self.name, sum(a.nbytes for a in arrays))
        return there(self.kernel(*[here(value) for value in args]), device)


def arrays_in(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (DeviceArray, np.ndarray)):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from arrays_in(value)


def here(value: Any) -> Any:
    if isinstance(value, DeviceArray):
        return to_host(value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)([here(item) for item in value])
    return value


def there(value: Any, device: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return from_host(np.asarray(value), device)
    if isinstance(value, (list, tuple)):
        return type(value)([there(item, device) for item in value])
    return value


def note(name: str, size: int) -> None:
    """Count a call that the host computes, and say so once a kernel; with SPECGRAD_CUDA_FALLBACK=error a
    DeviceError."""
    requested = os.environ.get("SPECGRAD_CUDA_FALLBACK", "warn")
    if requested not in MODES:
        raise DeviceError(f"SPECGRAD_CUDA_FALLBACK: expected one of {', '.join(MODES)}, but got {requested!r}")
    if requested == "error":
        raise DeviceError(f"{name}(): has no CUDA kernel, and SPECGRAD_CUDA_FALLBACK=error refuses to use the CPU's")
    counts[name] += 1
    if requested == "warn" and counts[name] == 1:
        warn_user(
            f"{name} has no CUDA kernel yet: computed on the CPU and copied ({size / 1e6:.1f} MB). Shown once per op; "
            "SPECGRAD_CUDA_FALLBACK=error|silent"
        )
