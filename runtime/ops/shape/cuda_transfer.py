"""Copies of arrays of a CUDA device on another device."""

from __future__ import annotations

from typing import Any

from ...cuda.array import DeviceArray
from ...cuda.fallback import copying
from ...cuda.memory import copied, copied_to, to_host
from ...tensor.meta import MetaArray


@copying
def to_device(array: DeviceArray, device: Any, non_blocking: bool) -> Any:
    """A copy on a device, or on the host once it is complete."""
    if device.type == "cpu":
        return to_host(array)
    if device.type == "meta":
        return MetaArray(array.shape, array.dtype)
    return copied(array) if device is array.device else copied_to(array, device)
