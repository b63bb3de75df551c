"""Memory that other processes can see: files without a name, mapped by each process that has them.

A process gives another the file's descriptor. The system frees the memory when the last process has let go of it,
however that ends: no name can be left behind, and nobody has to count.
"""

import ctypes
import errno
import mmap
import os
import sys
import tempfile
import weakref
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...locks import new_lock
from ...tensor.dtype_views import origin_of
from ...tensor.replace_memory import fix_size, move, replace

_SHARED_MEMORY = "/dev/shm"  # where the files of tempfile lie in memory, on systems without memfd_create
_lock = new_lock()
Key = tuple[int, int, int]  # device and number of a file, and how many bytes of it are mapped
_shared: "dict[int, Segment]" = {}  # by the number of the array over it
_by_file: dict[Key, weakref.ref[Any]] = {}  # that array


class Segment(NamedTuple):
    """A file that is mapped here: its descriptor, its size in bytes, and the dtype of the array over it."""

    descriptor: int
    size: int
    kind: np.dtype


def is_shared(array: Any) -> bool:
    return id(origin_of(array)) in _shared


def segment_of(array: Any) -> Segment:
    return _shared[id(origin_of(array))]


def share(arrays: Iterable[Any]) -> None:
    """Move memories, and all tensors over them, to where other processes can see them. RuntimeError: the system cannot
    share memory, or has no more of it.
    """
    with _lock:
        alone = {id(origin): origin for origin in map(origin_of, arrays) if id(origin) not in _shared}
        moved = [(origin, _copied(origin)) for origin in alone.values()]
        if moved:
            replace(moved)


def share_tensor(tensor: Any) -> None:
    with _lock:
        if id(origin_of(tensor._storage)) not in _shared:
            move(tensor, _copied(origin_of(tensor._storage)))  # with no name for the array: see `move`


def _copied(origin: np.ndarray) -> np.ndarray:
    size = origin.nbytes
    result = opened(_new_file(max(size, 1)), size, origin.dtype)
    result[:] = origin
    return result


def opened(descriptor: int, size: int, kind: np.dtype) -> np.ndarray:
    """The array over a shared file, whose descriptor belongs to it from now on: one array for each file."""
    with _lock:
        status = os.fstat(descriptor)
        key = status.st_dev, status.st_ino, size
        known = _by_file[key]() if key in _by_file else None
        if known is not None:
            if _shared[id(known)].descriptor != descriptor:
                os.close(descriptor)
            return known
        array = _mapped(descriptor, size).view(kind)
        _shared[id(array)] = Segment(descriptor, size, kind)
        _by_file[key] = weakref.ref(array)
        fix_size(array)
        weakref.finalize(array, _forget, id(array), key).atexit = False
        return array


def _forget(number: int, key: Key) -> None:
    with _lock:
        _shared.pop(number, None)
        _by_file.pop(key, None)


def _mapped(descriptor: int, size: int) -> np.ndarray:
    if sys.platform == "win32":
        raise RuntimeError("processes share memory by descriptors of files, which Windows has not")
    length = max(size, 1)
    address = _library().mmap(None, length, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, descriptor, 0)
    if address == ctypes.c_void_p(-1).value:
        number = ctypes.get_errno()
        os.close(descriptor)
        raise RuntimeError(f"unable to mmap {size} bytes: {os.strerror(number)} ({number})")
    block = (ctypes.c_uint8 * length).from_address(address)
    weakref.finalize(block, _unmap, address, length, descriptor).atexit = False  # what lives to the end stays mapped
    return np.frombuffer(memoryview(block), np.uint8, size)


def _unmap(address: int, length: int, descriptor: int) -> None:
    _library().munmap(address, length)
    os.close(descriptor)


@cache
def _library() -> Any:
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    library.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return library


def _new_file(size: int) -> int:
    try:
        descriptor = _unnamed()
        try:
            _reserve(descriptor, size)
        except BaseException:
            os.close(descriptor)
            raise
    except OSError as error:
        hint = " (ulimit -n says how many)" if error.errno == errno.EMFILE else ""
        raise RuntimeError(f"share_memory_(): unable to get {size} bytes of shared memory: {error}{hint}") from error
    return descriptor


def _unnamed() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("specgrad", os.MFD_CLOEXEC)
    folder = _SHARED_MEMORY if os.path.isdir(_SHARED_MEMORY) else None
    with tempfile.TemporaryFile(dir=folder) as file:
        return os.dup(file.fileno())


def _reserve(descriptor: int, size: int) -> None:
    """Take the memory now, for who finds none when he writes is killed."""
    os.truncate(descriptor, size)
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
