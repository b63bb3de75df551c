"""What autocast is set to in each thread: for each type of device whether it casts, and to which dtype."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...errors import ArgumentError, type_name
from ...tensor import dtypes
from ...thread_state import PerThread, mode

_UNUSED = {  # types of devices that only PyTorch has, and what it would cast to
    **dict.fromkeys(("ipu", "mps", "privateuseone", "xpu"), dtypes.float16),
    **dict.fromkeys(("hpu", "xla"), dtypes.bfloat16),
}


class Setting(NamedTuple):
    enabled: bool
    dtype: dtypes.dtype


class Cast(NamedTuple):
    """A parameter that has been cast: the count of its writes at that time, and the result."""

    tensor: Any
    version: int
    result: Any


class Here(PerThread):
    """One thread's settings; of an op's tensors on several devices `active` has the one first by which PyTorch goes."""

    def __init__(self) -> None:
        self.settings = {"cuda": Setting(False, dtypes.float16), "cpu": Setting(False, dtypes.bfloat16)}
        self.active: tuple[tuple[str, dtypes.dtype], ...] = ()
        self.nesting = 0
        self.cache_enabled = True
        self.cache: dict[int, Cast] = {}


here = Here()


def require(kind: type, call: str, argument: str, value: Any) -> None:
    if not isinstance(value, kind):
        expected = "specgrad.dtype" if kind is dtypes.dtype else kind.__name__
        raise ArgumentError(f"{call}(): argument '{argument}' must be {expected}, not {type_name(value)}")


def is_autocast_available(device_type: str) -> bool:
    """Whether there is autocast for a type of device, whether or not there is such a device.

    Args:
        device_type: the `type` of a device, a string.

    Example:
        >>> is_autocast_available("cpu"), is_autocast_available("abacus")
        (True, False)
    """
    require(str, "is_autocast_available", "device_type", device_type)
    return base_device_type(device_type) in here.settings


def base_device_type(device_type: str) -> str:
    return device_type.partition(":")[0]


def setting_for(device_type: str) -> Setting:
    """As `setting`, also for devices that specgrad does not use, for which nothing is cast."""
    kind = base_device_type(device_type) if isinstance(device_type, str) else ""
    return Setting(False, _UNUSED[kind]) if kind in _UNUSED else setting(device_type)


def setting(device_type: str) -> Setting:
    """What ops that are called now find: a backward pass casts nothing, but where autocast is entered in it."""
    if not is_autocast_available(device_type):
        known = ", ".join(here.settings)
        raise RuntimeError(f"Expected one of {known} device type at start of device string: {device_type}")
    entry = here.settings[base_device_type(device_type)]
    return entry if mode.autocast == mode.depth else entry._replace(enabled=False)
