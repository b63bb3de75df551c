"""Memory of freed arrays stays with the process, to be used for the next ones, and lies in large pages.

By default glibc gives the memory of large arrays back to the operating system when they are freed, and the next one
costs a page fault, and zeros, for every 4 KiB: more than many an operation on it takes. With these settings arrays of
up to BLOCK bytes come from the heap, whose free end is kept up to KEPT bytes.

The heap gets addresses for RESERVED bytes at once, so that the kernel can be asked to back them with pages of 2 MiB:
each costs one fault, and whoever reads an array across its rows finds the pages in the processor's table of them.
Addresses are no memory: that is taken, a page at a time, when it is first written to.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
from typing import Any

__all__ = ["empty_cache"]

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
    """The C library, if it is glibc."""
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
    """Let the heap grow by a block that is freed at once, and ask for large pages there."""
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
