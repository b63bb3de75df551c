"""Copies of arrays of the CPU on another device."""

from typing import Any

import numpy as np

from ...kernels.cpu.contiguous_copy import copied
from ...tensor.meta import MetaArray


def to_device(array: np.ndarray, device: Any, non_blocking: bool) -> Any:
    """A copy on a device; from pinned memory, `non_blocking` does not wait for it."""
    if device.type == "cpu":
        return copied(array)
    if device.type == "meta":
        return MetaArray(array.shape, array.dtype)
    from ...kernels.cuda_launch.arrays import from_host  # loaded with the first device

    return from_host(array, device, non_blocking)
