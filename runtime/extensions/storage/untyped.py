"""`UntypedStorage`: the memory that tensors share, as bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...device.device import default_device, resolve
from ...dispatch import argument_checks
from ...errors import ArgumentError, type_name
from ...tensor import replace_memory
from ...tensor.dtype_views import origin_of, storage_as
from ...tensor.dtypes import dtype as Dtype
from ...tensor.dtypes import uint8
from ...tensor.memory import copied, copied_once, copy_cast
from .contents import Elements, byte_array, swap_bytes, tensor_over, without_values


class UntypedStorage(Elements):
    """The bytes that tensors share: `tensor.untyped_storage()`, the same object for all of them.

    What is written through a storage is seen by its tensors and not counted as a write, as through `Tensor.data`.

    Args:
        *args: nothing, the number of bytes, or a sequence of numbers from 0 to 255.
        device: where the memory is to be.

    Raises:
        RuntimeError: the argument is neither, or the sequence holds something else.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([1, 2], dtype=sg.uint8)
        >>> x.untyped_storage().tolist(), x[1:].untyped_storage() is x.untyped_storage()
        ([1, 2], True)
    """

    __slots__ = ("__weakref__", "_array", "filename")
    _array: Any  # the 1-D array of the memory, in the dtype in which it was made
    _class_name = "UntypedStorage"
    filename: str | None  # of the file that the memory is shared with, where it is

    def __new__(cls, *args: Any, device: Any = None) -> Any:
        target_device = default_device() if device is None else resolve(device)
        if len(args) > 1:
            raise ArgumentError(f"UntypedStorage(): expected at most 1 argument, but got {len(args)}")
        value = args[0] if args else 0
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            return of_array(without_values("UntypedStorage", int(value), uint8, target_device))
        if isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str):
            return of_array(byte_array(value, target_device))
        raise RuntimeError(f"UntypedStorage(): expected a size or a sequence of ints, but got {type_name(value)}")

    size = Elements.nbytes

    def untyped(self) -> UntypedStorage:
        """The storage itself, as a typed one gives its bytes."""
        return self

    def element_size(self) -> int:
        """One: elements are bytes."""
        return 1

    @property
    def _cdata(self) -> int:
        return id(self)

    def type(self, dtype: Any = None) -> Any:
        """The name of the class; with a dtype, a typed storage of the bytes as its numbers."""
        if dtype is None:
            return "specgrad.storage.UntypedStorage"
        return self._converted(argument_checks.dtype("type", "dtype", dtype))

    def __getitem__(self, index: Any) -> Any:
        """A byte as an int; for a slice a storage over that part of the memory."""
        if isinstance(index, slice):
            first, end, step = index.indices(self.nbytes())
            if step != 1:
                raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
            return of_array(storage_as(self._array, uint8)[first : max(first, end)])
        return super().__getitem__(index)

    def copy_(self, src: Any, non_blocking: bool | None = None) -> UntypedStorage:
        """Write the bytes of another storage of this size here.

        Args:
            src: the storage.
            non_blocking: a request without effect.

        Raises:
            RuntimeError: the sizes differ.
        """
        source = untyped("copy_", "src", src)
        if source.nbytes() != self.nbytes():
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes"
            )
        if self.nbytes():
            copy_cast(storage_as(self._array, uint8), storage_as(source._array, uint8))
        return self

    def clone(self) -> UntypedStorage:
        """A copy of the memory."""
        return of_array(copied(self._array))

    def new(self) -> UntypedStorage:
        """An empty storage at the same place."""
        return UntypedStorage(0, device=self.device)

    def to(self, *, device: Any, non_blocking: bool = False) -> UntypedStorage:
        """The storage on a `device`: itself where it lies there, else a copy; `non_blocking` has no effect."""
        target_device = resolve(device)
        return self if target_device is self.device else of_array(self._tensor().to(target_device)._storage)

    def pin_memory(self, device: Any = None) -> UntypedStorage:
        """A copy in page-locked memory; the storage itself where it is that, or where there is no CUDA device.

        Args:
            device: has no effect.
        """
        pinned = self._tensor().pin_memory()
        return self if pinned._storage is storage_as(self._array, uint8) else of_array(pinned._storage)

    def resize_(self, size: int) -> UntypedStorage:
        """Another number of bytes, for all tensors of the storage; those that there is place for stay.

        A tensor that reaches beyond the end has no elements until the storage is large enough again.

        Args:
            size: the number of bytes.

        Raises:
            RuntimeError: the memory is a file's, or is shared with other processes.
        """
        requested = argument_checks.integer("resize_", "size", size)
        if requested < 0:
            raise RuntimeError(f"resize_(): expected a size that is not negative, but got {requested}")
        if requested != self.nbytes() or not self.resizable():
            replace_memory.replace([(self._array, replace_memory.resized(self._array, requested))])
        return self

    def byteswap(self, dtype: Any) -> None:
        """Turn round the order of the bytes of each number of a dtype, in place."""
        swap_bytes(storage_as(self._array, argument_checks.dtype("byteswap", "dtype", dtype)))

    @classmethod
    def _new_shared(cls, size: int, *, device: Any = "cpu") -> UntypedStorage:
        return UntypedStorage(size, device=device).share_memory_()

    @classmethod
    def from_buffer(cls, *args: Any, **kwargs: Any) -> UntypedStorage:
        """A copy of the memory of a Python object; see `from_buffer` of typed storages."""
        from .file_memory import from_buffer

        return of_array(from_buffer(*args, **kwargs))

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """The memory of a file.

        Args:
            filename: the file; one that is not there is made where it is shared.
            shared: whether what is written goes to the file, else it stays with this storage.
            nbytes: the number of bytes; of a file that is shared at least as many are made.

        Raises:
            RuntimeError: the file cannot be mapped.
        """
        from .file_memory import mapped

        result = mapped(filename, shared, argument_checks.integer("from_file", "nbytes", nbytes))
        return of_array(result, filename if shared else None)

    def __repr__(self) -> str:
        data = "\n ".join(map(str, self.tolist()))
        return f" {data}\n[{self.type()}(device={self.device}) of size {len(self)}]"

    def __deepcopy__(self, memo: dict[int, Any]) -> UntypedStorage:
        return of_array(copied_once(self._array, memo))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return of_array, (self._array,)

    def _tensor(self) -> Any:
        return tensor_over(self._array, uint8)

    def _converted(self, kind: Dtype) -> Any:
        return Elements._typed(of_array(self._tensor().to(kind)._storage), kind)


def of_array(array: Any, filename: str | None = None) -> UntypedStorage:
    """The storage of a 1-D array's memory, the same object while it lives."""
    origin = origin_of(array)
    cached = replace_memory.names.get(id(origin))
    if cached is None:
        cached = object.__new__(UntypedStorage)
        cached._array, cached.filename = origin, filename
        replace_memory.names[id(origin)] = cached
    return cached


def untyped(name: str, argument: str, value: Any) -> UntypedStorage:
    attribute = getattr(value, "_untyped_storage", value)
    if not isinstance(attribute, UntypedStorage):
        raise ArgumentError(f"{name}(): argument '{argument}' must be a storage, not {type_name(value)}")
    return attribute
