"""Memory of freed arrays stays with the process, to be used for the next ones.

By default glibc gives the memory of large arrays back to the operating system when they are freed, and the next one
costs a page fault, and zeros, for every 4 KiB: more than many an operation on it takes. With these settings arrays of
up to BLOCK bytes come from the heap, whose free end is kept up to KEPT bytes.
"""

from __future__ import annotations

import ctypes
import os

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of <malloc.h>
BLOCK = 32 << 20  # the most that glibc allows
KEPT = 512 << 20


def keep_freed_memory() -> bool:
    """Tell the C library, if it is glibc and the user has not told it otherwise; returns whether it complied."""
    if any(name.startswith("MALLOC_") or name == "GLIBC_TUNABLES" for name in os.environ):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library, another system
        return False
    return bool(mallopt(_MMAP_THRESHOLD, BLOCK)) and bool(mallopt(_TRIM_THRESHOLD, KEPT))
