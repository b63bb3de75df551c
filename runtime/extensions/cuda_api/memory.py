"""What memory of a device is in use, under PyTorch's names; 0 where nothing was ever allocated."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ...device.cuda import allocator
from ...device.cuda.allocator import Block
from ...device.cuda.driver import driver, in_use
from ...device.cuda.memory_stats import Statistics, human
from .devices import index_of

__all__ = ["caching_allocator_alloc", "caching_allocator_delete", "clock_rate", "device_memory_used", "empty_cache"]
__all__ += ["get_allocator_backend", "get_per_process_memory_fraction", "list_gpu_processes", "max_memory_allocated"]
__all__ += ["max_memory_cached", "max_memory_reserved", "mem_get_info", "memory_allocated", "memory_cached"]
__all__ += ["memory_reserved", "memory_stats", "memory_stats_as_nested_dict", "memory_summary", "memory_usage"]
__all__ += ["power_draw", "reset_accumulated_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached"]
__all__ += ["reset_peak_memory_stats", "set_per_process_memory_fraction", "temperature", "utilization"]

WIDTH = 75  # of the table of `memory_summary`
ROWS = (
    ("allocated_bytes", "Allocated memory"),
    ("requested_bytes", "Requested memory"),
    ("reserved_bytes", "GPU reserved memory"),
    ("allocation", "Allocations"),
    ("segment", "GPU reserved segments"),
)
_raw: dict[int, Block] = {}  # what `caching_allocator_alloc` gave out


def _existing(device: Any, function: str) -> Statistics | None:
    if not allocator.in_use():
        return None
    result = allocator.existing_cache(index_of(device, function))
    return None if result is None else result.statistics


def _statistics(device: Any, function: str) -> Statistics:
    return _existing(device, function) or Statistics()


def memory_allocated(device: Any = None) -> int:
    """Bytes that tensors have, rounded to blocks.

    Args:
        device: the device; None is the current one.
    """
    return _statistics(device, "memory_allocated").allocated.now


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes of tensors at once since `reset_peak_memory_stats`, arguments as of `cuda.memory_allocated`."""
    return _statistics(device, "max_memory_allocated").allocated.peak


def memory_reserved(device: Any = None) -> int:
    """Bytes that the process has of the driver, cached ones too; arguments as of `cuda.memory_allocated`."""
    return _statistics(device, "memory_reserved").reserved.now


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes that the process had of the driver at once, arguments as of `cuda.memory_allocated`."""
    return _statistics(device, "max_memory_reserved").reserved.peak


memory_cached, max_memory_cached = memory_reserved, max_memory_reserved  # their older names


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    """All figures of a device, as dicts of dicts, arguments as of `cuda.memory_allocated`."""
    result = _existing(device, "memory_stats_as_nested_dict")
    return {} if result is None else result.nested()


def memory_stats(device: Any = None) -> OrderedDict[str, int]:
    """All figures by names such as `allocated_bytes.all.peak`, arguments as of `cuda.memory_allocated`.

    Example:
        >>> import specgrad as sg
        >>> sg.cuda.memory_stats().get("allocated_bytes.all.current", 0) == sg.cuda.memory_allocated()
        True
    """
    flat: dict[str, int] = {}
    for name, value in memory_stats_as_nested_dict(device).items():
        if isinstance(value, int):
            flat[name] = value
            continue
        flat.update({f"{name}.{pool}.{key}": n for pool, figures in value.items() for key, n in figures.items()})
    return OrderedDict(sorted(flat.items()))


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """All figures of a device as a table to print.

    Args:
        device: the device; None is the current one.
        abbreviated: with no effect: blocks are in one pool.
    """
    index = index_of(device, "memory_summary")
    result = _statistics(index, "memory_summary")
    figures = result.figures()
    lines = [
        "=" * WIDTH,
        f"specgrad CUDA memory summary, device ID {index}".center(WIDTH),
        "-" * WIDTH,
        f"  CUDA OOMs: {result.failures:<12d} | cudaMalloc retries: {result.retries:<8d}".ljust(WIDTH),
        "=" * WIDTH,
        "        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ",
        "-" * WIDTH,
    ]
    for key, title in ROWS:
        figure = figures[key]
        numbers = [figure.now, figure.peak, figure.added, figure.total_allocated]
        cells = [human(n) if key.endswith("bytes") else str(n) for n in numbers]
        lines.append(f" {title:<21} | " + " | ".join(f"{cell:>10}" for cell in cells) + " ")
    return "".join(f"|{line}|\n" for line in [*lines, "=" * WIDTH])


def reset_peak_memory_stats(device: Any = None) -> None:
    """Let the peaks begin at what is there now, arguments as of `cuda.memory_allocated`."""
    _statistics(device, "reset_peak_memory_stats").reset_peaks()


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """Forget how much was allocated and freed in all, arguments as of `cuda.memory_allocated`."""
    _statistics(device, "reset_accumulated_memory_stats").reset_accumulated()


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def empty_cache() -> None:
    """Give cached memory back to the driver, for other processes to use; tensors keep theirs."""
    allocator.release()


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Bytes that are free, and that there are, whoever uses them; arguments as of `cuda.memory_allocated`."""
    return driver().memory_info(index_of(device, "mem_get_info"))


def device_memory_used(device: Any = None) -> int:
    """Bytes of a device that are in use, whoever uses them; arguments as of `cuda.memory_allocated`."""
    free, total = mem_get_info(device)
    return total - free


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """Let this process have only a part of a device's memory: more is an OutOfMemoryError.

    Args:
        fraction: the part, a float from 0 to 1; else a TypeError or a ValueError.
        device: the device; None is the current one.
    """
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    allocator.cache(index_of(device, "set_per_process_memory_fraction")).fraction = fraction


def get_per_process_memory_fraction(device: Any = None) -> float:
    """The part of a device's memory that this process may have, arguments as of `cuda.memory_allocated`."""
    return allocator.cache(index_of(device, "get_per_process_memory_fraction")).fraction


def caching_allocator_alloc(size: int, device: Any = None, stream: Any = None) -> int:
    """The address of memory for another library.

    Args:
        size: in bytes.
        device: the device; None is the current one.
        stream: the stream that uses it, or its handle; None is the current one.
    """
    index = index_of(device, "caching_allocator_alloc")
    handle = getattr(stream, "handle", stream)
    block = allocator.allocate(index, size, index if handle == 0 else handle)
    _raw[block.address] = block
    return block.address


def caching_allocator_delete(mem_ptr: int) -> None:
    """Free memory that `caching_allocator_alloc` gave out.

    Args:
        mem_ptr: its address; a RuntimeError where it gave out no such memory.
    """
    if mem_ptr not in _raw or not in_use(_raw[mem_ptr].size_class.cache.driver):
        raise RuntimeError(f"caching_allocator_delete(): invalid device pointer: {mem_ptr:#x}")
    del _raw[mem_ptr]


def get_allocator_backend() -> str:
    """The name of the allocator: "native", specgrad's own."""
    return "native"


def _unsupported_query(name: str, what: str) -> Callable[..., Any]:
    def query(device: Any = None) -> Any:
        raise NotImplementedError(f"{name}(): specgrad does not ask NVML: see nvidia-smi, or the package nvidia-ml-py")

    query.__doc__ = f"{what} is not known here.\n\nArgs:\n    device: the device."
    query.__name__ = query.__qualname__ = name
    return query


list_gpu_processes = _unsupported_query("list_gpu_processes", "Which processes use a device")
memory_usage = _unsupported_query("memory_usage", "How busy the memory of a device is,")
utilization = _unsupported_query("utilization", "How busy a device is,")
temperature = _unsupported_query("temperature", "The temperature of a device")
power_draw = _unsupported_query("power_draw", "The power of a device")
clock_rate = _unsupported_query("clock_rate", "The clock of a device at this moment")
