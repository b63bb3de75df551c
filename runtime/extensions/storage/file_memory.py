"""Memory that is a file, and memory that is copied from a Python object."""

import os
import sys
from typing import Any

import numpy as np

from ...device.device import CPU
from ...dispatch import argument_checks
from ...errors import ArgumentError, type_name
from ...tensor.dtypes import get_default_dtype, uint8
from ...tensor.replace_memory import fix_size
from .contents import swap_bytes, tensor_over
from .shared_memory import opened

_ORDERS = {"native": sys.byteorder, "little": "little", "big": "big"}


def mapped(filename: Any, shared: bool, nbytes: int) -> np.ndarray:
    """The first bytes of a file as memory. Where it is shared, what is written goes to the file, which is made, or made
    longer, as need be; else it stays here. TypeError: what should name the file does not; RuntimeError: there is no
    such file, it is too short, or it cannot be mapped.
    """
    if not isinstance(filename, str | os.PathLike):
        raise TypeError(f"from_file(): argument 'filename' must be str, not {type(filename).__name__}")
    path = os.fspath(filename)
    if nbytes < 0:
        raise RuntimeError(f"from_file(): expected a size that is not negative, but got {nbytes}")
    if not nbytes:  # which cannot be mapped
        return np.empty(0, np.uint8)
    try:
        if shared:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
            if os.fstat(descriptor).st_size < nbytes:
                os.truncate(descriptor, nbytes)
            return opened(descriptor, nbytes, np.dtype(np.uint8))
        if os.path.getsize(path) < nbytes:
            raise RuntimeError(f"from_file(): file {path!r} is shorter than {nbytes} bytes")
        memory = np.asarray(np.memmap(path, np.uint8, "c", shape=(nbytes,)))
    except OSError as error:
        raise RuntimeError(f"from_file(): unable to open file {path!r}: {error}") from error
    fix_size(memory)
    return memory


def from_file(
    filename: str,
    shared: bool | None = None,
    size: int | None = 0,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """A 1-D tensor of the CPU over the memory of a file.

    Args:
        filename: the file.
        shared: whether what is written goes to the file, which is made where there is none; else it stays here.
        size: the number of elements.
        dtype: of the elements; the default dtype when not given.
        layout, device, pin_memory: accepted where they say what is so: strided, on the CPU, not pinned.
        requires_grad: whether operations on the new tensor are recorded.

    Raises:
        RuntimeError: the file cannot be mapped, or another place is asked for.

    Example:
        >>> import tempfile, specgrad as sg
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     sg.from_file(file.name, shared=True, size=2).fill_(1)
        tensor([1., 1.])
    """
    kind = get_default_dtype() if dtype is None else argument_checks.dtype("from_file", "dtype", dtype)
    if pin_memory or (device is not None and argument_checks.device("from_file", "device", device) is not CPU):
        raise RuntimeError("from_file(): the memory of a file lies on the CPU and is not pinned")
    count = argument_checks.integer("from_file", "size", size)
    result = tensor_over(mapped(filename, bool(shared), count * kind.itemsize), kind)
    return result._requiring_grad(argument_checks.boolean("from_file", "requires_grad", requires_grad))


def from_buffer(
    buffer: Any, byte_order: str | None = None, count: int = -1, offset: int = 0, *, dtype: Any = None
) -> np.ndarray:
    """A copy of numbers that a Python object holds, as an array in the order of bytes of this machine.

    Raises:
        RuntimeError: the order of bytes is missing where it matters.
        ValueError: the buffer is too short, or of another size than a whole number of elements.
    """
    kind = uint8 if dtype is None else argument_checks.dtype("from_buffer", "dtype", dtype)
    order = _order(byte_order, kind.itemsize)
    try:
        data = np.frombuffer(buffer, np.uint8) if len(memoryview(buffer)) else np.empty(0, np.uint8)
    except TypeError:
        raise ArgumentError(f"from_buffer(): expected an object with a buffer, but got {type_name(buffer)}") from None
    if not 0 <= offset <= data.size:
        raise ValueError(
            f"offset must be non-negative and no greater than buffer length ({data.size}), but got {offset}"
        )
    rest, size = data.size - offset, kind.itemsize
    if count < 0:
        if rest % size:
            raise ValueError(f"buffer size ({rest}) must be a multiple of element size ({size})")
        count = rest // size
    if count * size > rest:
        raise ValueError(f"buffer has only {rest} elements after offset {offset}, but specified a size of {count}")
    result = data[offset : offset + count * size].copy().view(kind.np)
    if order != sys.byteorder:
        swap_bytes(result)
    return result


def _order(byte_order: str | None, itemsize: int) -> str:
    if byte_order is None:
        if itemsize > 1:
            raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
        return sys.byteorder
    if byte_order not in _ORDERS:
        raise ValueError(f"invalid byte_order {byte_order!r}: expected native, little or big")
    return _ORDERS[byte_order]
