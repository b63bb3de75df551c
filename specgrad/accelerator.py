"""The accelerator that programs may use instead of the CPU, whatever its kind: here that of CUDA."""

from .runtime.cuda.api.accelerator import (
    current_device_idx,
    current_device_index,
    current_stream,
    device_index,
    empty_cache,
    empty_host_cache,
    get_memory_info,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
    set_device_idx,
    set_device_index,
    set_stream,
    synchronize,
)
from .runtime.tensor.devices import cuda_available as is_available
from .runtime.tensor.devices import cuda_device_count as device_count
from .runtime.tensor.devices import current_accelerator

__all__ = [
    "current_accelerator",
    "current_device_idx",
    "current_device_index",
    "current_stream",
    "device_count",
    "device_index",
    "empty_cache",
    "empty_host_cache",
    "get_memory_info",
    "is_available",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "set_device_idx",
    "set_device_index",
    "set_stream",
    "synchronize",
]
