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
from .launch import launch, reach
from .layouts import MOST

UINT32 = np.uint32
INT64 = np.dtype(np.int64)
LEAST = 32  # threads of a block


def over_elements(kernel: Kernel, size: int, *arguments: Any, of_thread: int = 1) -> None:
    """Launch a thread for each of `size` elements, or for several; the last argument says how many there are."""
    if size:
        threads = LOOP_THREADS if size > LOOP_THREADS else -(-size // LEAST) * LEAST
        launch(kernel, -(-size // (threads * of_thread)), threads, *arguments, UINT32(size))


def numbers(*given: int) -> tuple[Any, ...]:
    """Integers as kernels take them, modulo 2^32."""
    return tuple([UINT32(n % 2**32) for n in given])


def summed_in(dtype: np.dtype) -> np.dtype:
    return INT64 if dtype.kind in "iu" else in_registers(dtype)


def brought(given: Sequence[Any]) -> Sequence[Any]:
    """The arguments of a call with 0-d arrays of the host, which may stand beside those of a device, copied to it."""
    arrays = list(arrays_in(given))
    if all(isinstance(a, DeviceArray) for a in arrays):
        return given
    place = next(a.device for a in arrays if isinstance(a, DeviceArray))
    return [constant(a, place) if isinstance(a, np.ndarray) and not a.ndim else a for a in given]


def within_reach(host: Any) -> Callable[[Any], Any]:
    """Decorator of what 32-bit places are enough for: the kernel of the CPU computes of arrays that are larger."""

    def decorate(function: Any) -> Any:
        @wraps(function)
        def call(*given: Any) -> Any:
            if any(isinstance(a, DeviceArray) and max(a.size, reach(a)) > MOST for a in arrays_in(given)):
                return Fallback(host)(*given)
            return function(*brought(given))

        return call

    return decorate
