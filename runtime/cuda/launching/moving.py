"""Launches of kernels that have a thread for each element of their result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from ...kernels.cuda.kernel import Kernel
from ...kernels.cuda.loops import THREADS as LOOP_THREADS
from ...kernels.cuda.storage import in_registers
from ..array import DeviceArray
from ..fallback import Fallback, arrays_in
from ..memory import constant
from .launch import launch, read_extent
from .layouts import MAX_LAUNCH_ELEMENTS

UINT32 = np.uint32
INT64 = np.dtype(np.int64)
MIN_BLOCK_THREADS = 32  # threads of a block


def over_elements(kernel: Kernel, size: int, *arguments: Any, of_thread: int = 1) -> None:
    """Launch a thread for each of `size` elements, or for several; the last argument says how many there are."""
    if size:
        threads = LOOP_THREADS if size > LOOP_THREADS else -(-size // MIN_BLOCK_THREADS) * MIN_BLOCK_THREADS
        launch(kernel, -(-size // (threads * of_thread)), threads, *arguments, UINT32(size))


def numbers(*args: int) -> tuple[Any, ...]:
    """Integers as kernels take them, modulo 2^32."""
    return tuple([UINT32(n % 2**32) for n in args])


def summed_in(dtype: np.dtype) -> np.dtype:
    return INT64 if dtype.kind in "iu" else in_registers(dtype)


def brought(args: Sequence[Any]) -> Sequence[Any]:
    """The arguments of a call with 0-d arrays of the host, which may stand beside those of a device, copied to it."""
    arrays = list(arrays_in(args))
    if all(isinstance(a, DeviceArray) for a in arrays):
        return args
    target_device = next(a.device for a in arrays if isinstance(a, DeviceArray))
    return [constant(a, target_device) if isinstance(a, np.ndarray) and not a.ndim else a for a in args]


def pinned_reader(host: Any) -> Callable[[Any], Any]:
    """Decorator of what 32-bit places are enough for: the kernel of the CPU computes of arrays that are larger."""

    def decorate(function: Any) -> Any:
        @wraps(function)
        def call(*value: Any) -> Any:
            if any(
                isinstance(a, DeviceArray) and max(a.size, read_extent(a)) > MAX_LAUNCH_ELEMENTS
                for a in arrays_in(value)
            ):
                return Fallback(host)(*value)
            return function(*brought(value))

        return call

    return decorate
