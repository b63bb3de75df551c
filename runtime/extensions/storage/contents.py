"""What is in a storage: tensors over its memory, bytes that are given, and bytes in the other order.

The methods of storages that are named after dtypes: `storage.float()`.

The names of storages of a dtype: `FloatStorage`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ...dispatch import argument_checks
from ...errors import type_name
from ...tensor import dtypes
from ...tensor.dtype_views import storage_as
from ...tensor.dtypes import dtype
from ...tensor.dtypes import dtype as Dtype
from ...tensor.memory import empty, exposed, placed
from ...tensor.tensor import from_flat


def tensor_over(array: Any, kind: dtype) -> Any:
    """A 1-D tensor of a dtype over all of a memory; writes to it are not counted with those of others."""
    storage = storage_as(array, kind)
    return from_flat(storage, (storage.size,), kind)


def without_values(name: str, count: int, kind: dtype, target_device: Any) -> Any:
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


class Conversions:
    """Copies of a storage's elements as numbers of other dtypes, in typed storages."""

    __slots__ = ()
    _typed: ClassVar[
        Callable[[Any, dtype], Any]
    ]  # makes a typed storage of an untyped one: set by the typed one's module

    def _converted(self, kind: dtype) -> Any:
        raise NotImplementedError

    def double(self) -> Any:
        """The elements as float64."""
        return self._converted(dtypes.float64)

    def float(self) -> Any:
        """The elements as float32."""
        return self._converted(dtypes.float32)

    def half(self) -> Any:
        """The elements as float16."""
        return self._converted(dtypes.float16)

    def bfloat16(self) -> Any:
        """The elements as bfloat16."""
        return self._converted(dtypes.bfloat16)

    def long(self) -> Any:
        """The elements as int64."""
        return self._converted(dtypes.int64)

    def int(self) -> Any:
        """The elements as int32."""
        return self._converted(dtypes.int32)

    def short(self) -> Any:
        """The elements as int16."""
        return self._converted(dtypes.int16)

    def char(self) -> Any:
        """The elements as int8."""
        return self._converted(dtypes.int8)

    def byte(self) -> Any:
        """The elements as uint8."""
        return self._converted(dtypes.uint8)

    def bool(self) -> Any:
        """The elements as bool."""
        return self._converted(dtypes.bool_)

    def complex_float(self) -> Any:
        """The elements as complex64."""
        return self._converted(dtypes.complex64)

    def complex_double(self) -> Any:
        """The elements as complex128."""
        return self._converted(dtypes.complex128)


OF_NAMES = {
    "DoubleStorage": dtypes.float64,
    "FloatStorage": dtypes.float32,
    "HalfStorage": dtypes.float16,
    "BFloat16Storage": dtypes.bfloat16,
    "LongStorage": dtypes.int64,
    "IntStorage": dtypes.int32,
    "ShortStorage": dtypes.int16,
    "CharStorage": dtypes.int8,
    "ByteStorage": dtypes.uint8,
    "BoolStorage": dtypes.bool_,
    "ComplexDoubleStorage": dtypes.complex128,
    "ComplexFloatStorage": dtypes.complex64,
}


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
