"""The functions of `specgrad.accelerator`: those of CUDA devices, which are loaded when one of them is called."""

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ...device.device import cuda_available

_HERE = __name__.rpartition(".")[0]


def _of_cuda(module_name: str, name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if not cuda_available():
            raise RuntimeError("Cannot access accelerator device when none is available.")
        return getattr(import_module(f"{_HERE}.{module_name}"), name)(*args, **kwargs)

    call.__doc__ = f"`cuda.{name}` of the accelerator; a RuntimeError where there is none."
    call.__name__ = call.__qualname__ = name
    return call


_memory: Callable[[str], Callable[..., Any]] = functools.partial(_of_cuda, "memory")
current_device_index = current_device_idx = _of_cuda("devices", "current_device")
set_device_index = set_device_idx = _of_cuda("devices", "set_device")
synchronize = _of_cuda("devices", "synchronize")
current_stream = _of_cuda("streams", "current_stream")
set_stream = _of_cuda("streams", "set_stream")
empty_cache = empty_host_cache = _memory("empty_cache")
get_memory_info = _memory("mem_get_info")
max_memory_allocated = _memory("max_memory_allocated")
max_memory_reserved = _memory("max_memory_reserved")
memory_allocated = _memory("memory_allocated")
memory_reserved = _memory("memory_reserved")
memory_stats = _memory("memory_stats")
reset_accumulated_memory_stats = _memory("reset_accumulated_memory_stats")
reset_peak_memory_stats = _memory("reset_peak_memory_stats")


class device_index:
    """A region in which another CUDA device is the current one.

    Args:
        device: its number; None changes nothing.
    """

    def __init__(self, device: int | None, /) -> None:
        self.idx = device
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx is not None:
            self.prev_idx = current_device_index()
            set_device_index(self.idx)

    def __exit__(self, *error: Any) -> None:
        if self.idx is not None:
            set_device_index(self.prev_idx)
