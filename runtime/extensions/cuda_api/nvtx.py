"""Ranges and marks for NVIDIA's profilers: they reach the library of NVTX where it is installed."""

import ctypes
import functools
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...device.cuda.driver import available
from ...errors import DeviceError
from ...thread_state import PerThread

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]

LIBRARY = "libnvToolsExt.so.1"


class _Open(PerThread):
    def __init__(self) -> None:
        self.depth = 0


_open = _Open()
_numbers = itertools.count(1)


@functools.cache
def _library() -> Any:
    try:
        return ctypes.CDLL(LIBRARY)
    except OSError:
        return None


def _tell(function: str, *arguments: Any) -> Any:
    if not available():
        raise DeviceError("NVTX functions not installed. Are you sure you have a CUDA build?")
    result = _library()
    return None if result is None else getattr(result, function)(*arguments)


def range_push(msg: str) -> int:
    """Begin a range inside those that this thread has begun; how many ranges it lies in.

    Args:
        msg: what the range is called.
    """
    _tell("nvtxRangePushA", msg.encode())
    _open.depth += 1
    return _open.depth - 1


def range_pop() -> int:
    """End the range that this thread began last; how many ranges it lay in, -1 where there was none."""
    _tell("nvtxRangePop")
    if not _open.depth:
        return -1
    _open.depth -= 1
    return _open.depth


def range_start(msg: str) -> int:
    """Begin a range that any thread may end, arguments as of `cuda.nvtx.range_push`; its number."""
    result, number = _tell("nvtxRangeStartA", msg.encode()), next(_numbers)
    return number if result is None else int(result)


def range_end(range_id: int) -> None:
    """End a range that `range_start` began.

    Args:
        range_id: its number.
    """
    _tell("nvtxRangeEnd", ctypes.c_uint64(range_id))


def mark(msg: str) -> None:
    """Mark a moment, arguments as of `cuda.nvtx.range_push`."""
    _tell("nvtxMarkA", msg.encode())


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A range around a `with` block or a function.

    Args:
        msg: what the range is called.
        *args, **kwargs: for `msg.format`.
    """
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
