"""Memory of a given layout, and memory that somebody else holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dispatch import checks
from ..errors import ShapeError
from ..tensor.base import alias, from_flat
from ..tensor.dtypes import get_default_dtype
from ..tensor.shapes import contiguous_strides
from ..tensor.views import span
from .data import from_numpy
from .like import options_like
from .options import allocate, checked_size, chosen_dtype, finish


def empty_strided(
    size: Any,
    stride: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """Uninitialised elements in the given size, that lie in memory with the given strides.

    Args:
        size: the shape, a list or tuple of ints.
        stride: the step in elements from one index to the next, for each dimension.
        dtype, device, requires_grad, pin_memory: as of `zeros`.

    Raises:
        RuntimeError: there are not as many strides as sizes, or one of them is negative.

    Example:
        >>> import specgrad as sg
        >>> sg.empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
    """
    kind = chosen_dtype("empty_strided", dtype, get_default_dtype())
    made = _checked_layout("empty_strided", size, stride, kind, device)
    return finish("empty_strided", made, device, requires_grad, pin_memory)


def new_empty_strided(
    self: Any, size: Any, stride: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """Uninitialised elements with the given strides, and the dtype and device of this tensor.

    Args:
        size, stride: as of `empty_strided`.
        dtype, device: those of this tensor when not given.
        requires_grad: whether operations on the new tensor are recorded.
    """
    kind, target_device = options_like("new_empty_strided", self, dtype, device)
    return finish(
        "new_empty_strided",
        _checked_layout("new_empty_strided", size, stride, kind, target_device),
        target_device,
        requires_grad,
    )


def empty_permuted(
    size: Any,
    physical_layout: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """Uninitialised elements without gaps, with the dimensions in memory in a given order.

    Args:
        size: the shape, a list or tuple of ints.
        physical_layout: the dimensions from the outermost in memory to the innermost.
        dtype, device, requires_grad, pin_memory: as of `zeros`.

    Raises:
        RuntimeError: `physical_layout` is no order of the dimensions.

    Example:
        >>> import specgrad as sg
        >>> sg.empty_permuted((2, 3, 5), (0, 2, 1)).stride()
        (15, 1, 3)
    """
    shape = checked_size("empty_permuted", checks.integer_list("empty_permuted", "size", size))
    order = checks.integer_list("empty_permuted", "physical_layout", physical_layout)
    if sorted(order) != list(range(len(shape))):
        raise ShapeError(
            f"empty_permuted(): expected each of {len(shape)} dimensions once in physical_layout, but got {list(order)}"
        )
    strides, step = [0] * len(shape), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= max(shape[dim], 1)
    kind = chosen_dtype("empty_permuted", dtype, get_default_dtype())
    return finish(
        "empty_permuted",
        _checked_layout("empty_permuted", shape, strides, kind, device),
        device,
        requires_grad,
        pin_memory,
    )


def _checked_layout(name: str, size: Any, stride: Any, kind: Any, device: Any) -> Any:
    shape = checked_size(name, checks.integer_list(name, "size", size))
    strides = checks.integer_list(name, "stride", stride)
    if len(shape) != len(strides):
        raise ShapeError(
            f"{name}(): dimensionality of sizes ({len(shape)}) must match that of strides ({len(strides)})"
        )
    if any(step < 0 for step in strides):
        raise RuntimeError(f"{name}(): storage size calculation overflowed with sizes={[*shape]}, strides={[*strides]}")
    (count,) = checked_size(name, (span(shape, strides),))
    memory = from_flat(allocate(name, (count,), kind, device), (count,), kind)
    return alias(memory, shape, strides if strides != contiguous_strides(shape) else None, 0)


def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Any:
    """A tensor over the memory of a Python object: a change of one is seen in the other.

    Memory that may not be written to is copied, since writes to a tensor could not be refused.

    Args:
        buffer: an object that offers its memory: bytearray, memoryview, array.array, mmap.
        dtype: how its bytes are read.
        count: the number of elements; a negative one takes all.
        offset: the number of bytes that are passed over.
        requires_grad: whether operations on the new tensor are recorded.

    Raises:
        ValueError: no such object, or one that is too short.

    Example:
        >>> import specgrad as sg
        >>> sg.frombuffer(bytearray([1, 0, 2, 0]), dtype=sg.int16)
        tensor([1, 2], dtype=specgrad.int16)
    """
    kind = checks.dtype("frombuffer", "dtype", dtype)
    requested, start = checks.integer("frombuffer", "count", count), checks.integer("frombuffer", "offset", offset)
    try:
        length = memoryview(buffer).nbytes
    except TypeError:
        raise ValueError("frombuffer(): object does not implement Python buffer protocol.") from None
    if not length or not requested:
        raise ValueError(f"frombuffer(): both buffer length ({length}) and count ({requested}) must not be 0")
    if not 0 <= start < length:
        raise ValueError(
            f"frombuffer(): offset ({start} bytes) must be non-negative and no greater than buffer length "
            f"({length} bytes) minus 1"
        )
    if requested < 0 and (length - start) % kind.itemsize:
        raise ValueError(
            f"frombuffer(): buffer length ({length} bytes) after offset ({start} bytes) must be a multiple of element "
            f"size ({kind.itemsize})"
        )
    if start + requested * kind.itemsize > length:
        raise ValueError(
            f"frombuffer(): requested buffer length ({requested} * {kind.itemsize} bytes) after offset ({start} bytes) "
            f"must not be greater than actual buffer length ({length} bytes)"
        )
    array = np.frombuffer(buffer, kind.np, requested if requested > 0 else -1, start)
    return finish("frombuffer", from_numpy(array), "cpu", requires_grad)
