"""`TypedStorage`: the memory that tensors share, as numbers of one dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...device.device import device as Device
from ...device.device import resolve
from ...dispatch import argument_checks
from ...errors import ArgumentError, type_name, warn_once
from ...ops.creation.from_data import tensor
from ...tensor.dtypes import dtype as Dtype
from ...tensor.dtypes import get_default_dtype
from .contents import Elements, dtype_named, tensor_over, type_of, without_values
from .untyped import UntypedStorage, of_array

_DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)


class TypedStorage(Elements):
    """An `UntypedStorage` as numbers of one dtype: `tensor.storage()`. Deprecated, as in PyTorch.

    Args:
        *args: nothing, the number of elements, or a sequence of numbers.
        wrap_storage: the `UntypedStorage`, in place of these.
        dtype: of the elements; the default dtype when not given, necessary for `wrap_storage`.
        device: where the memory is to be.

    Raises:
        TypeError: other arguments.
        RuntimeError: `dtype` is missing, or `device` is given for a storage that lies somewhere.

    Example:
        >>> import specgrad as sg
        >>> sg.ones(2)._typed_storage().tolist()
        [1.0, 1.0]
    """

    __slots__ = ("__weakref__", "_untyped_storage", "dtype")
    _untyped_storage: UntypedStorage
    dtype: Dtype
    _class_name = "TypedStorage"

    def __init__(
        self, *args: Any, wrap_storage: Any = None, dtype: Any = None, device: Any = None, _internal: bool = False
    ) -> None:
        if not _internal:
            warn_once(_DEPRECATED)
        kind = get_default_dtype() if dtype is None else argument_checks.dtype("TypedStorage", "dtype", dtype)
        self.dtype = kind
        if wrap_storage is None:
            self._untyped_storage = _made(args, kind, resolve(device))
            return
        if args or dtype is None or device is not None:
            raise RuntimeError("TypedStorage(): wrap_storage takes a dtype, but neither other arguments nor a device")
        if not isinstance(wrap_storage, UntypedStorage):
            raise ArgumentError(
                f"TypedStorage(): argument 'wrap_storage' must be UntypedStorage, not {type_name(wrap_storage)}"
            )
        self._untyped_storage = wrap_storage

    def untyped(self) -> UntypedStorage:
        """The storage without its dtype."""
        return self._untyped_storage

    _array = property(lambda self: self._untyped_storage._array)

    @property
    def filename(self) -> str | None:
        """The file that the memory is, where it is one."""
        return self._untyped_storage.filename

    @property
    def _cdata(self) -> int:
        return self._untyped_storage._cdata

    def size(self) -> int:
        """The number of elements."""
        return self.nbytes() // self.dtype.itemsize

    def element_size(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return super().__getitem__(index)

    def copy_(self, source: Any, non_blocking: bool | None = None) -> TypedStorage:
        """Write the elements of another storage of this size here, converted where it has another dtype.

        Args:
            source: the storage.
            non_blocking: a request without effect.

        Raises:
            RuntimeError: the sizes differ.
        """
        if isinstance(source, TypedStorage) and source.dtype is not self.dtype and source.size() == self.size():
            self._tensor().copy_(source._tensor())
        else:
            self._untyped_storage.copy_(source)
        return self

    def clone(self) -> TypedStorage:
        """A copy of the memory."""
        return wrapped(self._untyped_storage.clone(), self.dtype)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the type, `FloatStorage` for float32; with a dtype or such a name, the elements as that.

        Args:
            dtype: the dtype, a class of storages, or its name.
            non_blocking: has no effect.
        """
        return type_of(self) if dtype is None else self._converted(dtype_named(dtype))

    def to(self, *, device: Any, non_blocking: bool = False) -> TypedStorage:
        """The storage on a `device`: itself where it lies there, else a copy; `non_blocking` has no effect."""
        moved = self._untyped_storage.to(device=device, non_blocking=non_blocking)
        return self if moved is self._untyped_storage else wrapped(moved, self.dtype)

    def pin_memory(self, device: Any = None) -> TypedStorage:
        """A copy in page-locked memory; see `UntypedStorage.pin_memory`, also of `device`."""
        return wrapped(self._untyped_storage.pin_memory(), self.dtype)

    def resize_(self, size: int) -> None:
        """Another number of elements, `size`; see `UntypedStorage.resize_`."""
        self._untyped_storage.resize_(argument_checks.integer("resize_", "size", size) * self.dtype.itemsize)

    def _new_shared(self, size: int, *, device: Any = None) -> TypedStorage:
        target_device = self.device if device is None else device
        count = argument_checks.integer("_new_shared", "size", size) * self.dtype.itemsize
        return wrapped(UntypedStorage._new_shared(count, device=target_device), self.dtype)

    def pickle_storage_type(self) -> str:
        """The name of the legacy class of this dtype: `FloatStorage`."""
        return str(self.type().rpartition(".")[2])

    def __repr__(self) -> str:
        data = "\n ".join(map(str, self.tolist()))
        return f" {data}\n[specgrad.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {len(self)}]"

    def __deepcopy__(self, memo: dict[int, Any]) -> TypedStorage:
        return wrapped(self._untyped_storage.__deepcopy__(memo), self.dtype)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return wrapped, (self._untyped_storage, self.dtype)

    _size, _element_size, _resize_ = size, element_size, resize_  # which give no warning in PyTorch
    _nbytes, _data_ptr = Elements.nbytes, Elements.data_ptr
    _is_shared, _share_memory_ = Elements.is_shared, Elements.share_memory_

    def _tensor(self) -> Any:
        return tensor_over(self._array, self.dtype)

    def _converted(self, kind: Dtype) -> TypedStorage:
        result = self._tensor().to(kind)
        return self if kind is self.dtype else wrapped(of_array(result._storage), kind)


def wrapped(storage: UntypedStorage, kind: Dtype) -> TypedStorage:
    return TypedStorage(wrap_storage=storage, dtype=kind, _internal=True)


Elements._typed = staticmethod(wrapped)


def storage_of(value: Any) -> TypedStorage:
    warn_once(_DEPRECATED)
    return wrapped(of_array(value._storage), value._dtype)


def _made(args: tuple[Any, ...], kind: Dtype, target_device: Device) -> UntypedStorage:
    if len(args) > 1:
        raise ArgumentError(f"TypedStorage(): expected at most 1 argument, but got {len(args)}")
    value = args[0] if args else 0
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return of_array(without_values("TypedStorage", int(value), kind, target_device))
    if isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str):
        return of_array(tensor(value, dtype=kind, device=target_device)._storage)
    raise ArgumentError(f"TypedStorage(): expected a size or a sequence of numbers, but got {type_name(value)}")
