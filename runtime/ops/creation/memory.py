"""Tensors over the memory of others, of what `asarray` takes or by DLPack, and memory of a given layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...device.device import DeviceLike, cuda_device, cuda_device_count
from ...dispatch import argument_checks
from ...errors import ShapeError, type_name
from ...namespace import Tensor
from ...shapes import contiguous_strides
from ...tensor.dlpack import CUDA, CUDA_MANAGED, Versioned, consume_capsule, content, renamed
from ...tensor.dtypes import dtype, get_default_dtype
from ...tensor.tensor import TensorBase, alias, from_flat
from ...tensor.view_shapes import span
from .from_data import as_tensor, device_of, from_numpy, tensor
from .like import options_like
from .options import allocate, checked_size, chosen_dtype, finish


def asarray(
    obj: Any,
    *,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """A tensor of `obj`: `copy=True` always copies, `copy=False` never does, None only where it must.

    Args:
        obj: what `tensor` takes, an object with `__dlpack__`, or one that offers its memory, as `frombuffer` takes.
        dtype: the element type; that of `obj` when not given, and the default one for plain memory.
        device: where the tensor is to be.
        copy: True, False or None, as above.
        requires_grad: whether operations on the tensor are recorded; as on `obj` when not given.

    Raises:
        ValueError: when `copy=False` and the memory cannot be shared.

    Example:
        >>> import numpy, specgrad as sg
        >>> sg.asarray(numpy.arange(3), dtype=sg.float32)
        tensor([0., 1., 2.])
    """
    kind = argument_checks.optional_dtype("asarray", "dtype", dtype)
    if not isinstance(obj, (TensorBase, np.ndarray)) and hasattr(obj, "__dlpack__"):
        obj = from_dlpack(obj)
    elif not isinstance(obj, (TensorBase, np.ndarray, np.generic)) and is_buffer(obj):
        obj = frombuffer(obj, dtype=kind or get_default_dtype())
    if not isinstance(obj, (TensorBase, np.ndarray)):
        if copy is False:
            raise ValueError(f"asarray(): can't alias {type_name(obj)} into a tensor")
        return tensor(obj, dtype=kind, device=device, requires_grad=requires_grad or False)
    value = as_tensor(obj)
    if copy is False and kind is not None and kind is not value._dtype:
        raise ValueError(f"asarray(): can't alias tensor with dtype {value._dtype} into dtype {kind}")
    result = as_tensor(value.clone() if copy and (kind is None or kind is value._dtype) else value, kind)
    if requires_grad is False and result.requires_grad:
        result = result.detach()
    return finish("asarray", result, device_of(obj, device), requires_grad or False, is_data=True)


def is_buffer(obj: Any) -> bool:
    """Whether an object offers its memory."""
    try:
        memoryview(obj).release()
    except TypeError:
        return False
    return True


def from_dlpack(ext_tensor: Any, *, device: DeviceLike = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of an object with `__dlpack__`: an array of any library, on the CPU or a CUDA device.

    On a device the object is asked to have its work done before what the current stream is given from now on.

    Args:
        ext_tensor: the object, or a capsule that nobody has taken yet; its memory lives as long as the tensor.
        device: where the tensor is to be; that of the object when not given.
        copy: True always copies, False never does, None only to another device.

    Raises:
        TypeError: the object has no `__dlpack__`.
        BufferError: it is a tensor that requires grad.
        RuntimeError: its memory cannot be shared.
        ValueError: it lies on another device, and must not be copied.

    Example:
        >>> import numpy, specgrad as sg
        >>> sg.from_dlpack(numpy.arange(3))
        tensor([0, 1, 2])
    """
    target_device = None if device is None else argument_checks.device("from_dlpack", "device", device)
    result = _shared(ext_tensor)
    if target_device is not None and target_device is not result._device:
        if copy is False:
            raise ValueError(
                f"cannot move DLPack tensor from device {result.__dlpack_device__()} to {target_device} without "
                "copying. Set copy=None or copy=True."
            )
        return result.to(target_device)
    return result.clone() if copy else result


def _shared(value: Any) -> Any:
    if isinstance(value, TensorBase):
        if value._requires_grad:
            raise BufferError("from_dlpack(): can't export tensors that require gradient, use tensor.detach()")
        return alias(value, value._shape, value._strides, value._offset)
    if type(value).__name__ == "PyCapsule":
        value = Capsule(value)
    if not hasattr(value, "__dlpack__"):
        raise TypeError(f"from_dlpack(): expected an object with __dlpack__, but got {type_name(value)}")
    kind, index = value.__dlpack_device__() if hasattr(value, "__dlpack_device__") else (1, 0)
    try:
        if kind in (CUDA, CUDA_MANAGED):
            return _of_device(value, index)
        return _of_host(value)
    except (BufferError, RuntimeError) as error:
        raise RuntimeError(f"from_dlpack(): cannot share the memory of {type_name(value)}: {error}") from error


def _of_host(value: Any) -> Any:
    """A tensor over memory of the host; NumPy takes what it has numbers for."""
    capsule = _requested_capsule(value, None)
    has_flags = isinstance(content(capsule), Versioned)
    kind = renamed(capsule)
    array = np.from_dlpack(Capsule(capsule))
    if not has_flags and not array.flags.writeable:  # which such a capsule does not say
        array = np.asarray(Writable(array))
    return from_numpy(array if kind is None else array.view(kind.np))


class Writable:
    """The memory of an array that NumPy would not write to."""

    def __init__(self, array: np.ndarray) -> None:
        self.owner, interface = array, array.__array_interface__
        self.__array_interface__ = interface | {"data": (interface["data"][0], False)}


class Capsule:
    """A capsule as an object with `__dlpack__`, which was asked for it already."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        dl_tensor = content(self.capsule).tensor
        return dl_tensor.device_type, dl_tensor.device_id


def _of_device(value: Any, index: int) -> Any:
    if index >= cuda_device_count():
        raise BufferError(f"it lies on cuda:{index}, of {cuda_device_count()} CUDA devices that there are here")
    from ...device.cuda.array import DeviceArray  # loaded with the first device
    from ...device.cuda.current import current_stream
    from ...device.cuda.driver import driver
    from ...device.cuda.driver_protocol import DEFAULT_STREAMS

    target_device, stream = cuda_device(index), current_stream(index)
    number = stream if stream >= DEFAULT_STREAMS else 1  # as the protocol counts: 1 is the default stream
    result = consume_capsule(_requested_capsule(value, number), stream)
    size = result.span * result.dtype.itemsize
    if size and not driver().is_on_device(result.address, size, index):
        raise BufferError(f"there are no {size} bytes at {result.address:#x} on {target_device}, of the driver in use")
    storage = DeviceArray(result.address, (result.span,), result.dtype.np, result.owner, target_device)
    if storage.size == 0 and 0 in result.shape:
        return from_flat(storage, result.shape, result.dtype)
    return alias(from_flat(storage, storage.shape, result.dtype), result.shape, result.strides, 0)


def _requested_capsule(value: Any, stream: int | None) -> Any:
    """The capsule of an object, which may not know versions yet."""
    try:
        return value.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:
        return value.__dlpack__(stream=stream)


def empty_strided(
    size: Sequence[int],
    stride: Sequence[int],
    *,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
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
    self: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    dtype: dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Uninitialised elements with the given strides, and the dtype and device of this tensor.

    Args:
        size, stride: as of `empty_strided`.
        dtype, device: those of this tensor when not given.
        requires_grad: whether operations on the new tensor are recorded.
    """
    kind, target_device = options_like("new_empty_strided", self, dtype, device)
    made = _checked_layout("new_empty_strided", size, stride, kind, target_device)
    return finish("new_empty_strided", made, target_device, requires_grad)


def empty_permuted(
    size: Sequence[int],
    physical_layout: Sequence[int],
    *,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
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
    shape = checked_size("empty_permuted", argument_checks.integer_list("empty_permuted", "size", size))
    order = argument_checks.integer_list("empty_permuted", "physical_layout", physical_layout)
    if sorted(order) != list(range(len(shape))):
        raise ShapeError(
            f"empty_permuted(): expected each of {len(shape)} dimensions once in physical_layout, but got {list(order)}"
        )
    strides, step = [0] * len(shape), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= max(shape[dim], 1)
    kind = chosen_dtype("empty_permuted", dtype, get_default_dtype())
    made = _checked_layout("empty_permuted", shape, strides, kind, device)
    return finish("empty_permuted", made, device, requires_grad, pin_memory)


def _checked_layout(name: str, size: Any, stride: Any, kind: Any, device: Any) -> Any:
    shape = checked_size(name, argument_checks.integer_list(name, "size", size))
    strides = argument_checks.integer_list(name, "stride", stride)
    if len(shape) != len(strides):
        raise ShapeError(
            f"{name}(): dimensionality of sizes ({len(shape)}) must match that of strides ({len(strides)})"
        )
    if any(step < 0 for step in strides):
        raise RuntimeError(f"{name}(): storage size calculation overflowed with sizes={[*shape]}, strides={[*strides]}")
    (count,) = checked_size(name, (span(shape, strides),))
    memory = from_flat(allocate(name, (count,), kind, device), (count,), kind)
    return alias(memory, shape, strides if strides != contiguous_strides(shape) else None, 0)


def frombuffer(buffer: Any, *, dtype: dtype, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
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
    kind = argument_checks.dtype("frombuffer", "dtype", dtype)
    numbers = {"count": count, "offset": offset}
    requested, start = (argument_checks.integer("frombuffer", name, value) for name, value in numbers.items())
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
