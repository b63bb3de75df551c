"""Launches of kernels with a thread for each result."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.cuda.indexed import indexed_kernel
from ...kernels.cuda.storage import in_registers
from ..array import DeviceArray
from .launch import flat, launch, read_extent

THREADS, WARP = 256, 32
INT32_ELEMENTS = (1 << 31) - THREADS  # places that an int32 holds, those of the last block's idle threads among them


def run(function: Any, total: int, computed: np.dtype, *arguments: Any) -> None:
    """Run a text (kernels/cuda/indexed.py) for each number below `total`.

    Args:
        arguments: arrays, of which it sees the memory; ints, which become places; tuples of these; other numbers in
            the dtype that they are computed in. `total` comes last.
    """
    if not total:
        return
    needs_int64 = total >= INT32_ELEMENTS or any(
        isinstance(a, DeviceArray) and read_extent(a) >= INT32_ELEMENTS for a in flat(arguments)
    )
    kernel = indexed_kernel(function, in_registers(computed), needs_int64)
    args = [as_passed(value, np.int64 if needs_int64 else np.int32, computed) for value in (*arguments, total)]
    threads = min(THREADS, -(-total // WARP) * WARP)
    launch(kernel, -(-total // threads), threads, *args)


def as_passed(value: Any, to_device: Any, computed: np.dtype) -> Any:
    if isinstance(value, tuple):
        return tuple([as_passed(inner, to_device, computed) for inner in value])
    if isinstance(value, bool | int):
        return to_device(value)
    return computed.type(value) if isinstance(value, float | complex) else value
