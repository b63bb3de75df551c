"""Tensors over the memory of others: of what `asarray` takes, and of other libraries by DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dispatch import checks
from ..errors import type_name
from ..tensor.base import TensorBase, alias, from_flat
from ..tensor.devices import cuda_device, cuda_device_count
from ..tensor.dlpack import CUDA, CUDA_MANAGED, Foreign, consume_capsule, content, renamed
from .data import as_tensor, device_of, from_numpy, tensor
from .options import finish


def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool | None = None
) -> Any:
    """A tensor of `obj`: `copy=True` always copies, `copy=False` never does, None only where it must.

    Args:
        obj: what `tensor` takes, or an object with `__dlpack__`.
        dtype: the element type; that of `obj` when not given.
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
    kind = checks.optional_dtype("asarray", "dtype", dtype)
    if not isinstance(obj, (TensorBase, np.ndarray)) and hasattr(obj, "__dlpack__"):
        obj = from_dlpack(obj)
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


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Any:
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
    target_device = None if device is None else checks.device("from_dlpack", "device", device)
    result = _shared(ext_tensor)
    if target_device is not None and target_device is not result._device:
        if copy is False:
            raise ValueError(
                f"cannot move DLPack tensor from device {result.__dlpack_device__()} to {target_device} without copying. "
                "Set copy=None or copy=True."
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
    try:
        return from_numpy(np.from_dlpack(value))
    except (BufferError, RuntimeError):
        capsule = _requested_capsule(value, None)
        kind = renamed(capsule)
        if kind is None:
            raise
        return from_numpy(np.from_dlpack(Capsule(capsule)).view(kind.np))


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
    """A tensor over memory of a CUDA device, which may be used by the current stream from now on."""
    if index >= cuda_device_count():
        raise BufferError(f"it lies on cuda:{index}, of {cuda_device_count()} CUDA devices that there are here")
    from ..cuda.array import DeviceArray  # loaded with the first device
    from ..cuda.current import current_stream
    from ..cuda.driver import driver
    from ..cuda.protocol import DEFAULT_STREAMS

    target_device, stream = cuda_device(index), current_stream(index)
    number = stream if stream >= DEFAULT_STREAMS else 1  # as the protocol counts: 1 is the default stream
    result = consume_capsule(_requested_capsule(value, number), stream)
    size = result.span * result.dtype.itemsize
    if size and not driver().is_on_device(result.address, size, index):
        raise BufferError(f"there are no {size} bytes at {result.address:#x} on {target_device}, of the driver in use")
    storage = DeviceArray(result.address, (result.span,), result.dtype.np, result.owner, target_device)
    return _with_strides(storage, result)


def _requested_capsule(value: Any, stream: int | None) -> Any:
    """The capsule of an object, which may not know versions yet."""
    try:
        return value.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:
        return value.__dlpack__(stream=stream)


def _with_strides(storage: Any, result: Foreign) -> Any:
    if storage.size == 0 and 0 in result.shape:
        return from_flat(storage, result.shape, result.dtype)
    return alias(from_flat(storage, storage.shape, result.dtype), result.shape, result.strides, 0)
