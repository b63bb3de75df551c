"""What is in a storage, the methods that typed and untyped ones share, and the names of those of a dtype."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from ...device.device import CPU
from ...device.device import device as Device
from ...dispatch import argument_checks
from ...errors import type_name
from ...tensor import dtypes, replace_memory
from ...tensor.dtype_views import storage_as
from ...tensor.dtypes import dtype as Dtype
from ...tensor.memory import empty, exposed, placed
from ...tensor.tensor import from_flat


def tensor_over(array: Any, kind: Dtype) -> Any:
    """A 1-D tensor of a dtype over all of a memory; writes to it are not counted with those of others."""
    storage = storage_as(array, kind)
    return from_flat(storage, (storage.size,), kind)


def without_values(name: str, count: int, kind: Dtype, target_device: Any) -> Any:
    if count < 0:
        raise RuntimeError(f"{name}(): Storage size must be non-negative, but got {count}")
    try:
        return exposed(empty(count, kind.np, target_device))
    except (MemoryError, ValueError) as error:  # NumPy's for sizes that no memory has
        raise RuntimeError(f"{name}(): can't allocate memory: {error}") from None


def byte_array(values: Sequence[Any] | np.ndarray, target_device: Any) -> Any:
    """Whole numbers as bytes; negative ones wrap, as in C; a RuntimeError where one of them is no int."""
    for value in values:
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
            raise RuntimeError(
                f"UntypedStorage(): tried to construct a storage from a sequence ({type_name(values)}), but one of "
                f"the items was of type {type_name(value)} instead of int"
            )
    return placed(np.array([int(value) % 256 for value in values], np.uint8), target_device)


def swap_bytes(array: Any) -> None:
    """Turn round the order of the bytes of each number, in place; parts of complex numbers each for itself."""
    if not isinstance(array, np.ndarray):
        raise RuntimeError("byteswap(): expected a storage on the CPU")
    size = array.itemsize // (2 if array.dtype.kind == "c" else 1)
    if size > 1:
        array.view(np.dtype(f"u{size}")).byteswap(inplace=True)


def _as(kind: Dtype) -> Any:
    """A method that copies a storage's elements as numbers of a dtype into a typed storage."""

    def conversion(self: Elements) -> Any:
        return self._converted(kind)

    conversion.__doc__ = f"The elements as {kind.name}."
    return conversion


class Elements:
    """What typed and untyped storages do alike; elements are numbers of a dtype, or bytes."""

    __slots__ = ()
    _typed: ClassVar[Callable[[Any, Dtype], Any]]  # makes a typed storage of an untyped one: set by its module
    _class_name: ClassVar[str]
    is_sparse = is_hpu = False

    # each has members of its own for these
    _array: Any
    size: Any
    clone: Any
    to: Any
    _tensor: Any
    _converted: Any

    @property
    def device(self) -> Device:
        """Where the memory is."""
        return CPU if isinstance(self._array, np.ndarray) else self._array.device

    @property
    def is_cuda(self) -> bool:
        """Whether the memory is on a CUDA device."""
        return self.device.type == "cuda"

    def get_device(self) -> int:
        """The index of the CUDA device; -1 on the CPU."""
        return self.device.index or 0 if self.is_cuda else -1

    def nbytes(self) -> int:
        """The number of bytes."""
        return int(self._array.nbytes)

    def data_ptr(self) -> int:
        """The address of the first element; 0 where there is none."""
        if not self.nbytes():
            return 0
        on_host = isinstance(self._array, np.ndarray)
        return int(self._array.__array_interface__["data"][0] if on_host else self._array.address)

    def is_pinned(self, device: Any = None) -> bool:
        """Whether the memory is page-locked; `device` has no effect."""
        return bool(self._tensor().is_pinned())

    def resizable(self) -> bool:
        """Whether the memory can have another size: not that of a file or of several processes."""
        return replace_memory.is_resizable(self._array)

    def is_shared(self) -> bool:
        """Whether other processes can see the memory; that of CUDA devices they can."""
        from .shared_memory import is_shared  # where no storage is shared that is not asked

        return self.is_cuda or is_shared(self._array)

    def share_memory_(self) -> Any:
        """Move to memory that other processes can see; all tensors of the storage lie there then.
        Raises RuntimeError: the system cannot share memory.
        """
        from .shared_memory import share

        if not self.is_cuda:
            share([self._array])
        return self

    def __len__(self) -> int:
        return self.size()

    def __getitem__(self, index: Any) -> Any:
        return self._tensor()[self._index(index)].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._tensor()[index if isinstance(index, slice) else self._index(index)] = value

    def _index(self, index: Any) -> int:
        position, count = argument_checks.integer(self._class_name, "index", index), self.size()
        if not -count <= position < count:
            raise IndexError(f"index {position} out of range for storage of size {count}")
        return position % count

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """The elements as Python numbers."""
        return self._tensor().tolist()

    def fill_(self, value: Any) -> Any:
        """Write one value to every element."""
        self._tensor().fill_(value)
        return self

    def cpu(self) -> Any:
        """The storage on the CPU: itself where it lies there, else a copy."""
        return self.to(device=CPU)

    def cuda(self, device: Any = None, non_blocking: bool = False) -> Any:
        """The storage on a CUDA `device`, the current one when None; `non_blocking` has no effect."""
        return self.to(device="cuda" if device is None else device)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def __copy__(self) -> Any:
        return self.clone()


_NAMED = {
    "double": dtypes.float64,
    "float": dtypes.float32,
    "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16,
    "long": dtypes.int64,
    "int": dtypes.int32,
    "short": dtypes.int16,
    "char": dtypes.int8,
    "byte": dtypes.uint8,
    "bool": dtypes.bool_,
    "complex_double": dtypes.complex128,
    "complex_float": dtypes.complex64,
}
for _name, _kind in _NAMED.items():
    _method = _as(_kind)
    _method.__name__, _method.__qualname__ = _name, f"Elements.{_name}"
    setattr(Elements, _name, _method)
OF_NAMES = {f"{name.title().replace('_', '').replace('Bf', 'BF')}Storage": kind for name, kind in _NAMED.items()}


def type_of(storage: Any) -> str:
    package = "specgrad.cuda" if storage.is_cuda else "specgrad"
    return f"{package}.{next(name for name, kind in OF_NAMES.items() if kind is storage.dtype)}"


def dtype_named(value: Any) -> Dtype:
    """The dtype that a storage's `type(value)` asks for: a dtype, a class of storages or its name. ValueError: for a
    name that is none of these.
    """
    if isinstance(value, type) and isinstance(getattr(value, "dtype", None), Dtype):
        return value.dtype  # type: ignore[attr-defined]
    if not isinstance(value, str):
        return argument_checks.dtype("type", "dtype", value)
    name = value.rpartition(".")[2]
    if name not in OF_NAMES:
        raise ValueError(f"type(): invalid type: {value!r}, expected one of {', '.join(OF_NAMES)}")
    return OF_NAMES[name]
