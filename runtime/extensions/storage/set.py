"""`Tensor.set_`: another memory for a tensor; and tensors over storages."""

from typing import Any

from ...autograd.inplace import check_history
from ...autograd.version_counter import Replaced
from ...dispatch import argument_checks
from ...errors import ArgumentError, DeviceError, ShapeError, type_name
from ...shapes import contiguous_strides
from ...tensor.captured import check_captured
from ...tensor.dtype_views import unmarked
from ...tensor.dtypes import dtype as Dtype
from ...tensor.grad_mode import UNTRACKED, check_written, current_version, mode
from ...tensor.replace_memory import grow
from ...tensor.tensor import TensorBase, alias
from ...tensor.view_shapes import span
from .contents import tensor_over
from .typed import TypedStorage
from .untyped import UntypedStorage


def is_storage(obj: Any) -> bool:
    """Whether `obj` is a storage, typed or not.

    Args:
        obj: any object.
    """
    return isinstance(obj, (TypedStorage, UntypedStorage))


def tensor_of(storage: Any, kind: Dtype) -> Any:
    if isinstance(storage, TypedStorage) and storage.dtype is not kind:
        raise RuntimeError(
            f"Expected a Storage of type {kind.name} or an UntypedStorage, but got type {storage.dtype.name} for "
            "argument 1 'storage'"
        )
    return tensor_over(getattr(storage, "_untyped_storage", storage)._array, kind)


def set_tensor(self: Any, source: Any, storage_offset: Any, size: Any, stride: Any) -> Any:
    check_written(self)
    check_captured("set_", self)
    if mode.grad and self._requires_grad:
        check_history("set_", self)
        raise RuntimeError("set_(): the derivative is not implemented; use it under no_grad or after detach()")
    value = UntypedStorage(0, device=self._device) if source is None else source
    if isinstance(value, TensorBase):
        made = _of_tensor(self, value)
    elif is_storage(value):
        made = tensor_of(value, self._dtype)
    else:
        raise ArgumentError(f"set_(): argument 'source' must be a storage or Tensor, not {type_name(source)}")
    if made._device is not self._device:
        raise DeviceError(f"set_(): expected memory on {self._device}, but got a storage on {made._device}")
    if size is not None:
        made = _with_strides(made, size, stride, storage_offset)
    elif storage_offset or stride is not None:
        raise ArgumentError("set_(): storage_offset and stride need a size")
    return _exchanged(self, made)


def _of_tensor(tensor: Any, source: Any) -> Any:
    if source._dtype is not tensor._dtype:
        raise RuntimeError(
            f"Could not set tensor of type {source._dtype.name} to a tensor of type {tensor._dtype.name}"
        )
    source = unmarked(source)
    return alias(source, source._shape, source._strides, source._offset)


def _with_strides(made: Any, size: Any, stride: Any, offset: Any) -> Any:
    shape = argument_checks.integer_list("set_", "size", size)
    steps = contiguous_strides(shape) if stride is None else argument_checks.integer_list("set_", "stride", stride)
    first = argument_checks.integer("set_", "storage_offset", offset)
    if len(steps) != len(shape):
        raise ShapeError(f"set_(): expected as many strides as sizes, but got {list(steps)} for {list(shape)}")
    if first < 0 or min((*shape, *steps), default=0) < 0:
        raise RuntimeError(f"set_(): got a negative number among {list(shape)}, {list(steps)} and offset {first}")
    read_extent = first + span(shape, steps)
    if read_extent > made._storage.size:
        grow(made, read_extent)
    return alias(made, shape, None if steps == contiguous_strides(shape) else steps, first)


def _exchanged(tensor: Any, made: Any) -> Any:
    """The tensor with the memory and layout of `made`: of no view's any more, with a count of writes of its own."""
    writes, base = tensor._version_counter, tensor._base
    count = current_version(tensor)
    tensor.data = made
    if base is not None:
        base._views[:] = [reference for reference in base._views if reference() is not tensor]
        tensor._base = tensor._views = None
    tensor._version_counter = writes if writes is UNTRACKED else [Replaced(count + 1), "set_"]
    return tensor
