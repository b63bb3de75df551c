"""The memory of large results: it begins at a cache line.

Vectors of 64 bytes across two cache lines cost twice as much, and malloc gives multiples of 16. So native code asks for
a line more than an array has; where the block begins, and how large the array is, stands in the two words before the
array. NumPy frees it by the handler that the array names: a capsule with the functions of this module."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from ...compiler.language.functions import NULL, Half, New, external, native
from ...compiler.language.memory import load, store
from ...compiler.language.structs import Items
from . import c_api as c
from .c_api import handler, uses_malloc
from .interned import NewMemory, array_type, memory_slots, new_memory
from .layout import ARRAY_HANDLER, Array, Object, slots_of
from .references import retain

LINE = 64  # bytes
MIN_ALIGNED_BYTES = 4096  # bytes: what is smaller lies in the first cache, which reads two lines at once
HEADER_BYTES = 16  # bytes before an array: where its block begins, and its size
LARGE_PAGES = 1 << 22 if sys.platform == "linux" else 1 << 62  # bytes from which NumPy asks for these, too
MADV_HUGEPAGE = 14
PAGE = 4096
NUMPY_DOMAIN = 389047  # of tracemalloc
PLAIN, OWNS_MEMORY = 0x503, 0x4  # flags of an array: contiguous, aligned, writeable; frees its memory

_malloc = external("malloc", int, int)
_free = external("free", None, int)
copy_memory = external("memcpy", int, int, int, int)
set_bytes = external("memset", int, int, Half, int)
_advise = external("madvise", Half, int, int, Half)
_track = external("PyTraceMalloc_Track", Half, Half, int, int)


@native
def allocated(size: int) -> int:
    block = _malloc(size + LINE + HEADER_BYTES)
    if block == 0:
        return 0
    start = (block + HEADER_BYTES + LINE - 1) & -LINE
    store(start - HEADER_BYTES, 0, block)
    store(start - HEADER_BYTES, 8, size)
    if size >= LARGE_PAGES:
        first = (start + PAGE - 1) & -PAGE
        _advise(first, (start + size - first) & -PAGE, MADV_HUGEPAGE)
    return start


@native
def malloc(unused: int, size: int) -> int:
    return allocated(size)


@native
def calloc(unused: int, count: int, size: int) -> int:
    start = allocated(count * size)
    if start != 0:
        set_bytes(start, 0, count * size)
    return start


@native
def realloc(unused: int, start: int, size: int) -> int:
    made = allocated(size)
    if made != 0 and start != 0:
        before = load(start - HEADER_BYTES, 8)
        copy_memory(made, start, before if before < size else size)
        _free(load(start - HEADER_BYTES, 0))
    return made


@native
def free(unused: int, start: int, size: int) -> None:
    if start != 0:
        _free(load(start - HEADER_BYTES, 0))


@native
def new_large(descr: Object, shape: Items[int], size: int) -> New[Array]:
    """A flat array of `size` bytes, not filled, which begins at a cache line; NULL where there is no memory."""
    start = allocated(size)
    if start == 0:
        return NULL
    array = c.new_array(array_type, retain(descr), 1, shape, 0, start, PLAIN, 0)
    if array is NULL:
        _free(load(start - HEADER_BYTES, 0))
        return array
    array.handler = retain(new_memory.handler)
    array.flags |= OWNS_MEMORY
    _track(NUMPY_DOMAIN, start, size)
    return array


FUNCTIONS = (malloc, calloc, realloc, free)


def align(addresses: Sequence[int]) -> None:
    """Let large arrays begin at cache lines from now on, unless the user has given NumPy other memory than malloc's."""
    own, array = uses_malloc(), np.empty(MIN_ALIGNED_BYTES)
    if own and slots_of(array, np.ndarray.__basicsize__)[ARRAY_HANDLER // 8 :][:1] == [own]:
        made = handler(b"specgrad", 0, addresses)
        NewMemory.put(memory_slots, "handler", id(made))
        NewMemory.put(memory_slots, "min_bytes", MIN_ALIGNED_BYTES)
