"""Launches of kernels with a thread for each element of their result, and of scalar functions written by hand."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray
from ..cuda.elementwise import THREADS as LOOP_THREADS
from ..cuda.elementwise import source_kernel
from ..cuda.kernel import Kernel
from ..cuda.per_element import indexed_kernel
from ..cuda.storage import in_registers
from . import arrays
from .arrays import constant
from .cpu_fallback import Fallback, arrays_in
from .elementwise import as_passed as given_to_loops
from .elementwise import run as run_loops
from .launch import flat, launch, read_extent
from .layouts import MAX_LAUNCH_ELEMENTS

UINT32 = np.uint32
INT64 = np.dtype(np.int64)
MIN_BLOCK_THREADS = 32  # threads of a block


def over_elements(kernel: Kernel, size: int, *arguments: Any, of_thread: int = 1) -> None:
    if size:
        threads = LOOP_THREADS if size > LOOP_THREADS else -(-size // MIN_BLOCK_THREADS) * MIN_BLOCK_THREADS
        launch(kernel, -(-size // (threads * of_thread)), threads, *arguments, UINT32(size))


def numbers(*args: int) -> tuple[Any, ...]:
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


def apply(function: Any, computed: np.dtype, operands: Sequence[Any], *outs: DeviceArray) -> None:
    """Fill results with a function of operands that broadcast to them. Its text may name `T`, the type `computed`, and
    scalar functions; it returns as many numbers as there are results. 16-bit floats are float32."""
    registers = in_registers(computed)
    args = [given_to_loops(ready(value, registers), registers) for value in operands]
    run_loops(source_kernel(function, registers), args, outs[0].shape, outs)


def made(function: Any, shape: Sequence[int], operands: Sequence[Any], dtype: np.dtype | None = None) -> DeviceArray:
    first = operands[0]
    result = arrays.result(first, tuple(shape)) if dtype is None else arrays.empty(tuple(shape), dtype, first.device)
    apply(function, first.dtype, operands, result)
    return result


def ready(value: Any, target_dtype: np.dtype) -> Any:
    """An operand that one conversion brings to a dtype: the result of a cast that is another one is made before."""
    if not isinstance(value, DeviceArray) or value.dtype in (target_dtype, in_registers(value.stored)):
        return value
    return arrays.materialized(value)


THREADS, WARP = 256, 32
INT32_ELEMENTS = (1 << 31) - THREADS  # places that an int32 holds, those of the last block's idle threads among them


def run(function: Any, total: int, computed: np.dtype, *arguments: Any) -> None:
    """Run a text (kernels/cuda/per_element.py) for each number below `total`, of arrays; ints, which become places;
    tuples of these; other numbers in the dtype that they are computed in."""
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
