"""New memory for tensors, and copies and casts between arrays, wherever they lie.

By default glibc gives the memory of large arrays back when they are freed, and the next one costs a page fault, and
zeros, for every 4 KiB. With the settings here arrays of up to BLOCK bytes come from the heap, whose free end is kept up
to CACHED_BLOCKS bytes. The heap gets addresses for RESERVED bytes at once, so that the kernel can be asked for pages of
2 MiB: each costs one fault. Addresses are no memory: that is taken, a page at a time, when it is first written to."""

import ctypes
import gc
import mmap
import os
from typing import Any

import numpy as np

from ..device.device import CPU, META
from ..kernels.cpu import allocate_and_fill
from ..kernels.cpu import casting as host


def empty(count: int, kind: np.dtype, device: Any) -> Any:
    return allocate_and_fill.empty(count, kind) if device is CPU else _of(device).empty((count,), kind, device)


def exposed(flat: Any) -> Any:
    """For the user, who may read what the memory happens to hold."""
    return flat if isinstance(flat, np.ndarray) or not flat.size else _of(flat.device).exposed(flat)


def zeros(count: int, kind: np.dtype, device: Any) -> Any:
    return allocate_and_fill.zeros(count, kind) if device is CPU else full(count, 0, kind, device)


def full(count: int, value: Any, kind: np.dtype, device: Any) -> Any:
    flat = empty(count, kind, device)
    if device is CPU:
        return allocate_and_fill.filled(flat, value)
    _of(device).fill(flat, value)
    return flat


def copied(array: Any) -> Any:
    return allocate_and_fill.copied(array) if isinstance(array, np.ndarray) else _of(array.device).copied(array)


def copied_once(array: Any, memo: dict[int, Any]) -> Any:
    """The copy that one `copy.deepcopy` makes for all that lies in the memory."""
    if id(array) not in memo:
        memo[id(array)] = copied(array)
        memo.setdefault(id(memo), []).append(array)  # kept, as `copy` does: no other object may get this number
    return memo[id(array)]


def contiguous(array: Any) -> Any:
    """The array itself where its elements lie in row order, in the dtype that they are read in, else a copy."""
    return np.ascontiguousarray(array) if isinstance(array, np.ndarray) else _of(array.device).contiguous(array)


def on_host(array: Any) -> np.ndarray:
    """Of a device's array a copy, once all is done that was to be done before."""
    return array if isinstance(array, np.ndarray) else _of(array.device).to_host(array)


def placed(array: np.ndarray, device: Any) -> Any:
    return array if device is CPU else _of(device).from_host(array, device)


def _of(device: Any) -> Any:
    if device is META:
        from . import meta

        return meta
    from ..kernels.cuda_launch import arrays

    return arrays


_TRIM_THRESHOLD, _MMAP_THRESHOLD, _MMAP_MAX = -1, -3, -4  # of <malloc.h>
_MMAPS = 65536  # blocks that may lie outside of the heap: what glibc begins with
BLOCK = 32 << 20  # the most that glibc allows
CACHED_BLOCKS = 512 << 20
RESERVED = 448 << 20  # less than KEPT, or it would be given back


def keep_freed_memory() -> bool:
    """Tell the C library, if it is glibc and the user has not told it otherwise; returns whether it complied."""
    if any(name.startswith("MALLOC_") or name == "GLIBC_TUNABLES" for name in os.environ):
        return False
    library = _glibc()
    if library is None:
        return False
    complied = bool(library.mallopt(_MMAP_THRESHOLD, BLOCK)) and bool(library.mallopt(_TRIM_THRESHOLD, CACHED_BLOCKS))
    if complied and not _limited():
        _reserve(library)
        _reserved.append(library)
    return complied


def empty_cache() -> None:
    """Give the memory of freed tensors back to the operating system, for other processes to use; tensors keep theirs.

    The process keeps up to 512 MiB of what is freed, as tensors cost less in memory that it has already. Call this when
    much was needed for once, as after training. Where the C library is another one than glibc nothing happens.

        >>> import specgrad as sg
        >>> x = sg.ones(1000, 1000)
        >>> del x
        >>> sg.cpu.empty_cache()
    """
    gc.collect()  # tensors in circles of references are in use for the C library
    library = _glibc()
    if library is not None:
        library.malloc_trim(0)
        for reserving in _reserved:  # the addresses went with the memory
            _reserve(reserving)


def _glibc() -> Any:
    try:
        library = ctypes.CDLL(None)
        return library if library.mallopt and library.malloc_trim else None
    except (AttributeError, OSError, TypeError):  # another C library, another system
        return None


_reserved: list[Any] = []  # the C library, where it has been given addresses


def _limited() -> bool:
    """Whether the process may have a certain number of addresses only: none are reserved then."""
    import resource  # only here: not every system has it

    kinds = resource.RLIMIT_AS, resource.RLIMIT_DATA
    return any(resource.getrlimit(kind)[0] != resource.RLIM_INFINITY for kind in kinds)


def _reserve(library: Any) -> None:
    """The block is freed at once."""
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.argtypes = [ctypes.c_void_p]
    library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    library.mallopt(_MMAP_MAX, 0)  # so that the block comes from the heap
    start = library.malloc(RESERVED)
    library.free(start)
    library.mallopt(_MMAP_MAX, _MMAPS)
    if start is not None:
        page = mmap.PAGESIZE
        first, last = -(-start // page) * page, (start + RESERVED) // page * page
        library.madvise(first, last - first, mmap.MADV_HUGEPAGE)  # where it is refused, pages stay small


def copy_cast(to: Any, source: Any) -> None:
    if isinstance(to, np.ndarray) and isinstance(source, np.ndarray):
        host.copy_cast(to, source)
        return
    if META in (getattr(to, "device", None), getattr(source, "device", None)):  # NumPy's arrays have a device, too
        from . import meta

        return meta.copy(to, source)
    from ..kernels.cuda_launch import arrays  # loaded with the first device

    arrays.copy(to, source)


def cast(array: Any, to: Any, final: Any = None) -> Any:
    """On a device the same memory, which kernels convert as they read it. `final`: of what an op computes of it."""
    return array.as_read(to, final) if getattr(array, "on_device", False) else host.cast(array, to)


__all__ = ["empty_cache"]
